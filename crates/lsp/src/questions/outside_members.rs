//! Whether a class outside the project declares a member, itself or by what it inherits: `textDocument/documentSymbol` of its
//! file, and from the names in its head (`textDocument/semanticTokens/full`) `textDocument/definition`, class by class. The
//! server reads those files; symd sees names and places of them alone.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use crate::session::Session;
use crate::shapes::{Listed, LocationShape, SymbolShape};
use crate::{FileRef, Item, NoAnswer, OutsideMembers, ServerPosition, Span, uri};
use symd_syntax::SymbolKind;

/// How many classes are looked at.
const MAX_CLASSES: usize = 48;

const SYMBOLS: &str = "textDocument/documentSymbol";
const TOKENS: &str = "textDocument/semanticTokens/full";
const DEFINITION: &str = "textDocument/definition";

/// Types of tokens that are no base of a class (LSP 3.17, `SemanticTokenTypes`, and servers' own).
const NO_BASES: [&str; 15] = [
    "namespace",
    "module",
    "typeParameter",
    "string",
    "number",
    "comment",
    "keyword",
    "operator",
    "regexp",
    "modifier",
    "decorator",
    "parameter",
    "builtinConstant",
    "property",
    "method",
];

/// `SemanticTokens`.
#[derive(Debug, Default, Deserialize)]
struct TokensShape {
    #[serde(default)]
    data: Vec<u32>,
}

/// A name in a file.
struct Token {
    start: ServerPosition,
    kind: String,
}

/// What was asked so far.
struct Looking<'s> {
    session: &'s Session,
    deadline: Instant,
    symbols: HashMap<FileRef, Arc<Vec<Item>>>,
}

impl Session {
    /// What the class whose name stands at `class`, and those it inherits from, say of a member `name`.
    pub(crate) async fn outside_members(
        &self,
        classes: &[Span],
        name: &str,
    ) -> Result<OutsideMembers, NoAnswer> {
        self.require(SYMBOLS)?;
        let mut looking = Looking { session: self, deadline: self.deadline(), symbols: HashMap::new() };
        let mut said = OutsideMembers { declared_by: None, is_whole: true, lists_attributes: true };
        let mut open: Vec<Vec<Span>> = vec![classes.to_vec()];
        let mut seen: BTreeSet<(FileRef, ServerPosition)> = BTreeSet::new();
        let mut at = 0;
        while let Some(places) = open.get(at).cloned() {
            at += 1;
            if at > MAX_CLASSES {
                said.is_whole = false;
                break;
            }
            let mut is_class = false;
            for place in places {
                // The source and a stub of it: what both say counts.
                let Some(item) = looking.class_at(&place).await? else { continue };
                is_class = true;
                if !seen.insert((item.range.file.clone(), item.name_range.start)) || item.name == "object" {
                    continue;
                }
                if item.children.iter().any(|child| child.name == name) {
                    said.declared_by = Some(item.name);
                    return Ok(said);
                }
                said.lists_attributes &= has_attributes(&item);
                match looking.bases(&item).await? {
                    Some(bases) => open.extend(bases),
                    None => said.is_whole = false,
                }
            }
            said.is_whole &= is_class;
        }
        Ok(said)
    }
}

/// Whether what methods assign to the object is among a class's symbols; so it is if there are no methods.
fn has_attributes(class: &Item) -> bool {
    use SymbolKind::{Constructor, Field, Function, Method, Property, Variable};
    let is_function = |item: &&Item| matches!(item.kind, Method | Function | Constructor);
    let functions: Vec<&Item> = class.children.iter().filter(is_function).collect();
    let lies_in = |item: &Item, function: &Item| {
        function.range.start < item.name_range.start && item.name_range.end <= function.range.end
    };
    let assigned = |item: &&Item| matches!(item.kind, Variable | Field | Property);
    let mut assigned = class.children.iter().filter(assigned);
    !functions.iter().any(|function| function.name == "__init__")
        || assigned.any(|item| functions.iter().any(|function| lies_in(item, function)))
}

impl Looking<'_> {
    /// The class whose name stands at a place.
    async fn class_at(&mut self, place: &Span) -> Result<Option<Item>, NoAnswer> {
        let symbols = self.symbols(&place.file).await?;
        Ok(find(&symbols, place.start).filter(|item| item.kind == SymbolKind::Class).cloned())
    }

    fn uri_of(&self, file: &FileRef) -> String {
        match file {
            // What is no path was kept as the URI that it came as.
            FileRef::Outside(path) if !path.is_absolute() => path.to_string_lossy().into_owned(),
            FileRef::Outside(path) => uri::of_path(path),
            // Installed beneath the root.
            FileRef::Project(path) => uri::of_file(&self.session.rim.root, path),
        }
    }

    async fn symbols(&mut self, file: &FileRef) -> Result<Arc<Vec<Item>>, NoAnswer> {
        if let Some(known) = self.symbols.get(file) {
            return Ok(known.clone());
        }
        let params = json!({ "textDocument": { "uri": self.uri_of(file) } });
        let found: Option<Vec<SymbolShape>> = self.session.ask(SYMBOLS, &params, self.deadline).await?;
        let symbols = Arc::new(self.session.rim.symbols(file, found.unwrap_or_default()));
        self.symbols.insert(file.clone(), symbols.clone());
        Ok(symbols)
    }

    /// The bases in the head of a class, each with all places where it is said to be; `None` where they cannot be told.
    async fn bases(&mut self, class: &Item) -> Result<Option<Vec<Vec<Span>>>, NoAnswer> {
        if !self.session.supports(TOKENS) || !self.session.supports(DEFINITION) {
            return Ok(None);
        }
        let file = &class.range.file;
        let mut bases = Vec::new();
        for token in self.head(class).await? {
            let params = json!({
                "textDocument": { "uri": self.uri_of(file) },
                "position": { "line": token.start.line, "character": token.start.character },
            });
            let Listed::<LocationShape>(found) = self.session.ask(DEFINITION, &params, self.deadline).await?;
            let places = self.session.rim.spans(found);
            let mut is_class = false;
            for place in &places {
                is_class |= self.class_at(place).await?.is_some();
            }
            let is_in_first_line = token.start.line == class.name_range.start.line;
            match (is_class, token.kind == "class" || is_in_first_line) {
                (true, _) => bases.push(places),
                // What it inherits from is not known to the server either.
                (false, true) => return Ok(None),
                // Something in the body.
                (false, false) => {}
            }
        }
        Ok(Some(bases))
    }

    /// The names between the class's own and the first of its members.
    async fn head(&mut self, class: &Item) -> Result<Vec<Token>, NoAnswer> {
        let params = json!({ "textDocument": { "uri": self.uri_of(&class.range.file) } });
        let answer: Option<TokensShape> = self.session.ask(TOKENS, &params, self.deadline).await?;
        let tokens = decoded(&answer.unwrap_or_default().data, &self.session.token_types());
        let members = class.children.iter().map(|child| child.range.start);
        // Decorators of the first member are no part of it for some servers: its line is not the head's either.
        let end =
            members.min().map_or(class.range.end, |first| ServerPosition { line: first.line, character: 0 });
        let is_in_head = |token: &Token| {
            let is_before = token.start < end || token.start.line == class.name_range.start.line;
            class.name_range.end <= token.start && is_before
        };
        let head = tokens.into_iter().filter(is_in_head);
        let head = head.take_while(|token| token.kind != "string" && token.kind != "decorator");
        Ok(head.filter(|token| !NO_BASES.contains(&token.kind.as_str())).collect())
    }
}

/// The symbol whose name begins at a place.
fn find(items: &[Item], at: ServerPosition) -> Option<&Item> {
    items.iter().find_map(
        |item| {
            if item.name_range.start == at { Some(item) } else { find(&item.children, at) }
        },
    )
}

/// The names of a file, in order: each five numbers are lines and columns further, length, type and modifiers (LSP 3.17,
/// `SemanticTokens`).
fn decoded(data: &[u32], types: &[String]) -> Vec<Token> {
    let mut at = ServerPosition { line: 0, character: 0 };
    let mut tokens = Vec::with_capacity(data.len() / 5);
    for token in data.chunks_exact(5) {
        if token[0] > 0 {
            at = ServerPosition { line: at.line.saturating_add(token[0]), character: 0 };
        }
        at.character = at.character.saturating_add(token[1]);
        let kind = usize::try_from(token[3]).ok().and_then(|kind| types.get(kind));
        tokens.push(Token { start: at, kind: kind.cloned().unwrap_or_default() });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_from_one_another() {
        let types = ["namespace".to_owned(), "class".to_owned()];
        let tokens = decoded(&[3, 6, 2, 1, 0, 0, 4, 1, 0, 0, 2, 1, 5, 9, 0, 7, 7], &types);
        let found: Vec<(u32, u32, &str)> =
            tokens.iter().map(|it| (it.start.line, it.start.character, it.kind.as_str())).collect();
        assert_eq!(found, [(3, 6, "class"), (3, 10, "namespace"), (5, 1, "")]);
    }
}
