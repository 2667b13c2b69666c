//! Finds out whether a class outside the project declares or inherits a member: `textDocument/documentSymbol`
//! of its file, then `textDocument/definition` of the names in its head (found by
//! `textDocument/semanticTokens/full`), class by class. The server reads these files; symd sees only names
//! and positions in them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use crate::session::Session;
use crate::shapes::{Listed, LocationShape, SymbolShape};
use crate::{FileRef, Item, OutsideMembers, ServerError, ServerPosition, Span, uri};
use symd_syntax::SymbolKind;

/// The maximum number of classes in one search.
const MAX_CLASSES: usize = 48;

const SYMBOLS: &str = "textDocument/documentSymbol";
const TOKENS: &str = "textDocument/semanticTokens/full";
const DEFINITION: &str = "textDocument/definition";

/// Semantic token types that cannot be a base class (LSP 3.17, `SemanticTokenTypes`, and servers' own).
const NON_BASE_TOKENS: [&str; 15] = [
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

/// A semantic token: the position and type of a name.
struct Token {
    start: ServerPosition,
    kind: String,
}

/// The state of one search.
struct MemberSearch<'s> {
    session: &'s Session,
    deadline: Instant,
    symbols: HashMap<FileRef, Arc<Vec<Item>>>,
}

impl Session {
    /// Searches for the member `name` in the class whose name is at `classes`, and in those that it inherits
    /// from. Several places are the same class: its source, a stub of it.
    pub(crate) async fn outside_members(
        &self,
        classes: &[Span],
        name: &str,
    ) -> Result<OutsideMembers, ServerError> {
        self.require(SYMBOLS)?;
        let mut looking = MemberSearch { session: self, deadline: self.deadline(), symbols: HashMap::new() };
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
                // The places may be the source and a stub of the same class: both are searched.
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

/// Whether a class's symbols include attributes that its methods assign. True if it has no `__init__`,
/// because then nothing shows whether the server would list them.
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

impl MemberSearch<'_> {
    /// Returns the class or interface whose name starts at a place.
    async fn class_at(&mut self, place: &Span) -> Result<Option<Item>, ServerError> {
        let symbols = self.symbols(&place.file).await?;
        let is_class = |item: &&Item| matches!(item.kind, SymbolKind::Class | SymbolKind::Interface);
        Ok(find(&symbols, place.start).filter(is_class).cloned())
    }

    fn uri_of(&self, file: &FileRef) -> String {
        match file {
            // A URI that is not a file's was kept as text in place of the path.
            FileRef::Outside(path) if !path.is_absolute() => path.to_string_lossy().into_owned(),
            FileRef::Outside(path) => uri::of_path(path),
            // The file is installed inside the project's root.
            FileRef::Project(path) => uri::of_file(&self.session.rim.root, path),
        }
    }

    async fn symbols(&mut self, file: &FileRef) -> Result<Arc<Vec<Item>>, ServerError> {
        if let Some(known) = self.symbols.get(file) {
            return Ok(known.clone());
        }
        let params = json!({ "textDocument": { "uri": self.uri_of(file) } });
        let found: Option<Vec<SymbolShape>> = self.session.ask(SYMBOLS, &params, self.deadline).await?;
        let symbols = Arc::new(self.session.rim.symbols(file, found.unwrap_or_default()));
        self.symbols.insert(file.clone(), symbols.clone());
        Ok(symbols)
    }

    /// Returns the base classes in the head of a class, each with all its places; `None` if they cannot be
    /// determined.
    async fn bases(&mut self, class: &Item) -> Result<Option<Vec<Vec<Span>>>, ServerError> {
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
                // The server cannot resolve this base class either.
                (false, true) => return Ok(None),
                // The token belongs to the body.
                (false, false) => {}
            }
        }
        Ok(Some(bases))
    }

    /// Returns the tokens between the class's own name and its first member that may name a base class.
    async fn head(&mut self, class: &Item) -> Result<Vec<Token>, ServerError> {
        let params = json!({ "textDocument": { "uri": self.uri_of(&class.range.file) } });
        let answer: Option<TokensShape> = self.session.ask(TOKENS, &params, self.deadline).await?;
        let tokens = decoded(&answer.unwrap_or_default().data, &self.session.token_types());
        let members = class.children.iter().map(|child| child.range.start);
        // Some servers do not include decorators in a member's range. So the whole line of the first member
        // is not part of the head either.
        let end =
            members.min().map_or(class.range.end, |first| ServerPosition { line: first.line, character: 0 });
        let is_in_head = |token: &Token| {
            let is_before = token.start < end || token.start.line == class.name_range.start.line;
            class.name_range.end <= token.start && is_before
        };
        let head = tokens.into_iter().filter(is_in_head);
        let head = head.take_while(|token| token.kind != "string" && token.kind != "decorator");
        Ok(head.filter(|token| !NON_BASE_TOKENS.contains(&token.kind.as_str())).collect())
    }
}

/// Returns the symbol whose name starts at a position.
fn find(items: &[Item], at: ServerPosition) -> Option<&Item> {
    items.iter().find_map(
        |item| {
            if item.name_range.start == at { Some(item) } else { find(&item.children, at) }
        },
    )
}

/// Decodes semantic tokens, in order: each is five numbers, the line and column relative to the previous
/// token, length, type and modifiers (LSP 3.17, `SemanticTokens`).
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
