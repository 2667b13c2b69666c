//! What uses a declaration without its name in the project's code: what starts a program, a test runner, an annotation
//! that makes it known to a framework. Read from the text around the name, without a tree.

use super::external_reader::find_external_reader;
use super::family::Family;
use super::initializer_effect::initializer_effect;
use super::lookup::{is_harmless, rust_attributes};
use super::positions::{PositionUse, find_position_user};
use super::profiles::{AnnotationForm, LanguageProfile};
use super::sources::{IndexedDeclaration, Sources};
use super::unnamed_containers::implemented_trait;
use crate::go::renames::{is_asked_for, is_embedding};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// What uses a declaration without its name in the project's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnseenUser {
    /// It finds the declaration by its name: "pytest", "the program's start".
    Reader(&'static str),
    /// An annotation as written, without arguments: `@app.route`. It may register what it annotates.
    Annotation(String),
    /// Interfaces of Go ask for a method of its name.
    Interface,
    /// It embeds a type of Go, whose members are members of the struct around it.
    Embedding,
    /// The constants after it get their values by their positions.
    Position,
    /// `#[default]` makes it the value that its type's `Default` gives.
    Default,
    /// This code reads the positions of the constants after it: `color.ordinal`.
    PositionRead(PositionUse),
    /// This code gives the field by its position among the others: `Point{1, 2}`.
    FieldByPosition(PositionUse),
    /// Its value is computed by this, which may have an effect: `side()`.
    Effect(String),
    /// It implements a trait of Rust, which code calls and bounds ask for: the trait as written.
    Trait(String),
}

/// Returns what uses the target though no code names it; `None` if nothing is known to.
pub fn unseen_user(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Option<UnseenUser>, Cancelled> {
    if let Some(reader) = find_external_reader(sources, target, None, cancel)? {
        return Ok(Some(UnseenUser::Reader(reader)));
    }
    if is_asked_for(sources, target, cancel)? {
        return Ok(Some(UnseenUser::Interface));
    }
    if let Some(implemented) = implemented_trait(target) {
        return Ok(Some(UnseenUser::Trait(implemented)));
    }
    if is_embedding(sources, target, cancel)? {
        return Ok(Some(UnseenUser::Embedding));
    }
    if let Some(user) = user_in_file(sources, target) {
        return Ok(Some(user));
    }
    find_position_user(sources, target, cancel)
}

/// Returns what uses the target, as far as its own file tells.
fn user_in_file(sources: &dyn Sources, target: &IndexedDeclaration) -> Option<UnseenUser> {
    if let Some(effect) = initializer_effect(sources, target) {
        return Some(UnseenUser::Effect(effect));
    }
    let (_, row) = target.row().filter(|(_, row)| !row.is_local())?;
    if numbers_others(sources, target) {
        return Some(UnseenUser::Position);
    }
    let language = LanguageProfile::of(&target.file)?;
    let current = target.unchanged_text(sources)?;
    let head = current.text.as_str().get(row.start as usize..row.name_start as usize)?;
    let annotations = match language.annotations.form {
        AnnotationForm::None => return None,
        AnnotationForm::Hash => {
            if row.kind() == SymbolKind::EnumMember
                && rust_attributes(&current.text, row).any(|one| one == "default")
            {
                return Some(UnseenUser::Default);
            }
            let mut attributes = rust_attributes(&current.text, row);
            let registers = |one: &&str| !is_harmless(one) || one.rsplit("::").next() == Some("test");
            let found = attributes.find(registers)?;
            return Some(UnseenUser::Annotation(format!("#[{}]", first_path(found))));
        }
        AnnotationForm::At => at_annotations(head, language.family.profile().spelling.line_comment),
        AnnotationForm::Brackets => bracketed(head),
    };
    // pytest passes a fixture by its name, except for one that every test uses.
    if head.contains("autouse") && language.annotations.harmless.contains(&"fixture") {
        return Some(UnseenUser::Reader("pytest"));
    }
    let is_known = |path: &&str| {
        let last = path.rsplit(['.', ':']).next().unwrap_or(path);
        language.annotations.harmless.contains(&last)
    };
    let found = annotations.into_iter().find(|path| !is_known(path))?;
    Some(UnseenUser::Annotation(match language.annotations.form {
        AnnotationForm::Brackets => format!("[{found}]"),
        _ => format!("@{found}"),
    }))
}

/// Reports whether constants after the target have no values of their own, but count on from it: in enumerations of C, C++,
/// C# and TypeScript, where Python writes `auto()`, and in a group of Go's constants with `iota`.
fn numbers_others(sources: &dyn Sources, target: &IndexedDeclaration) -> bool {
    let Some((outline, row)) = target.row() else { return false };
    let current = target.unchanged_text(sources);
    let (Some(current), Some(family)) = (current, Family::of(&target.file)) else { return false };
    let text = current.text.as_str();
    let written = |row: &Row| text.get(row.start as usize..row.end as usize).unwrap_or("");
    let next = outline.rows[target.row + 1..].iter().find(|other| other.parent == row.parent);
    let Some(next) = next.filter(|next| next.kind() == row.kind()) else { return false };
    match family {
        Family::C | Family::CSharp | Family::Ecma => {
            row.kind() == SymbolKind::EnumMember && !written(next).contains('=')
        }
        Family::Python => written(row).contains("auto()") && written(next).contains("auto()"),
        Family::Go => {
            // A constant without a value repeats the expression above.
            let is_between =
                text.get(row.end as usize..next.start as usize).is_some_and(|it| !it.contains(')'));
            row.kind() == SymbolKind::Constant && is_between && !written(next).contains('=')
        }
        _ => false,
    }
}

/// Returns the annotations of a declaration's head, without `@` and arguments: `@app.route("/")`, `@get:Json`.
fn at_annotations<'t>(head: &'t str, line_comment: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut rest = head;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            _ if rest.starts_with(line_comment) => length = rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => length = quoted_length(rest, c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '@' if depth == 0 => {
                let path = first_path(&rest[length..]);
                length += path.len();
                // `@interface` declares an annotation.
                if !path.is_empty() && path != "interface" {
                    found.push(path);
                }
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    found
}

/// Returns the attributes in brackets of a declaration's head, without arguments: `[Fact, Trait("a")]`.
fn bracketed(head: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut is_next) = (0_u32, false);
    let mut last = ' ';
    let mut rest = head;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            _ if rest.starts_with("//") => length = rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => length = quoted_length(rest, c),
            // `int[]` and `a[0]` are no attributes.
            '[' if depth == 0 && !(last.is_alphanumeric() || matches!(last, '_' | ']' | '>' | '?')) => {
                (depth, is_next) = (1, true);
            }
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => is_next = true,
            _ if is_next && !c.is_whitespace() => {
                let path = first_path(rest);
                length = path.len().max(length);
                found.extend(Some(path).filter(|path| !path.is_empty()));
                is_next = false;
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
        rest = &rest[length..];
    }
    found
}

/// Returns the path of names that `text` begins with.
fn first_path(text: &str) -> &str {
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(text.len());
    text[..end].trim_end_matches([':', '.'])
}

/// Returns the length of the string that `text` begins with, quotes included.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let mut inside = text.char_indices().skip(1);
    let end = inside.find(|&(_, c)| {
        let is_end = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, c)| at + c.len_utf8())
}
