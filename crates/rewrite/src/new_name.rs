//! Validates the new name of a symbol by the rules of its language. Whether the name is already in use is
//! checked by `resolve`.

use unicode_ident::{is_xid_continue, is_xid_start};

use symd_syntax::{Grammar, NameQuoting, NameRules};

/// The maximum length of a name in bytes: the index stores lengths in 16 bits, and no real name is longer.
const MAX_BYTES: usize = 1024;

/// Why a name is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewNameError {
    /// The name is empty.
    #[error("The new name is empty; give an identifier")]
    Empty,
    /// The name is the current one.
    #[error("'{0}' is already its name; give another")]
    Same(String),
    /// The name is a path, or qualified.
    #[error("'{0}' is a path; give the last component alone. To move a symbol, use another tool")]
    Path(String),
    /// The name contains white space.
    #[error("'{0}' contains white space; give one word, such as '{1}'")]
    Space(String, String),
    /// The language reserves the name.
    #[error("'{name}' is a keyword of {language}; {hint}")]
    Keyword {
        /// The name as given.
        name: String,
        /// The name of the grammar.
        language: &'static str,
        /// What to use instead.
        hint: String,
    },
    /// The name begins with a character that is not allowed there.
    #[error("'{name}' cannot begin with '{character}' in {language}; begin with a letter or '_'")]
    Start {
        /// The name as given.
        name: String,
        /// Its first character.
        character: char,
        /// The name of the grammar.
        language: &'static str,
    },
    /// The name contains a character that is not allowed.
    #[error(
        "'{name}' contains '{character}', which {language} does not allow in a name; use letters, digits and '_'"
    )]
    Character {
        /// The name as given.
        name: String,
        /// The first such character.
        character: char,
        /// The name of the grammar.
        language: &'static str,
    },
    /// The old name is not an identifier in the source: `impl Display for Size`, `operator+`, `constructor`.
    #[error("'{0}' is not a name that can be changed by itself; rename the type it belongs to instead")]
    NotRenamable(String),
    /// One of the names is private by its `#`, and the other is not.
    #[error("'{old}' and '{new}' differ in the leading '#', which changes its visibility; keep it")]
    Privacy {
        /// The old name.
        old: String,
        /// The new name as given.
        new: String,
    },
    /// The name is too long.
    #[error("The new name has {0} bytes; the longest allowed has {MAX_BYTES}")]
    TooLong(usize),
}

/// Checks whether a symbol called `old` can be called `new` in `grammar`'s language. `new` is spelled as in
/// the source: with backticks (Kotlin), `r#` (Rust) or `@` (C#) where it needs them.
pub fn check_new_name(grammar: Grammar, old: &str, new: &str) -> Result<(), NewNameError> {
    let (language, names) = (grammar.name(), &grammar.rules().names);
    if new.is_empty() {
        return Err(NewNameError::Empty);
    }
    if new == old {
        return Err(NewNameError::Same(new.to_owned()));
    }
    if new.len() > MAX_BYTES {
        return Err(NewNameError::TooLong(new.len()));
    }
    if !is_renamable(names, old) {
        return Err(NewNameError::NotRenamable(old.to_owned()));
    }
    if let Some(quoted) = new.strip_prefix('`').filter(|_| names.quoting == NameQuoting::Backticks) {
        return check_backticks(grammar, new, quoted);
    }
    if new.contains(['/', '\\', '.', ':']) {
        return Err(NewNameError::Path(new.to_owned()));
    }
    if new.contains(char::is_whitespace) {
        let joined: Vec<&str> = new.split_whitespace().collect();
        return Err(NewNameError::Space(new.to_owned(), joined.join("_")));
    }
    let bare = match names.quoting {
        _ if names.has_private_mark => check_privacy(old, new)?,
        NameQuoting::Raw if new.starts_with("r#") => return check_raw(grammar, new),
        NameQuoting::At => match new.strip_prefix('@') {
            Some(verbatim) => return check_characters(grammar, new, verbatim),
            None => new,
        },
        _ => new,
    };
    check_characters(grammar, new, bare)?;
    if names.is_keyword(bare) {
        let hint = match names.quoting {
            NameQuoting::Backticks => format!("write it in backticks, `{new}`, or give another"),
            NameQuoting::Raw if can_be_raw(new) => format!("write r#{new}, or give another"),
            NameQuoting::At => format!("write @{new}, or give another"),
            NameQuoting::None | NameQuoting::Raw => format!("give another, such as '{new}_'"),
        };
        return Err(NewNameError::Keyword { name: new.to_owned(), language, hint });
    }
    Ok(())
}

/// Whether `old` can be renamed by itself: composed names, operators and constructors cannot.
fn is_renamable(names: &NameRules, old: &str) -> bool {
    let is_word = |c: char| is_xid_continue(c) || matches!(c, '$' | '#' | '_' | '@' | '`');
    let may_hold_anything = names.quoting == NameQuoting::Backticks;
    names.constructor != Some(old) && !old.is_empty() && (may_hold_anything || old.chars().all(is_word))
}

/// Checks that both or neither of the names are private by JavaScript's `#`; returns the new name without it.
fn check_privacy<'a>(old: &str, new: &'a str) -> Result<&'a str, NewNameError> {
    let bare = new.strip_prefix('#');
    if bare.is_some() != old.starts_with('#') {
        return Err(NewNameError::Privacy { old: old.to_owned(), new: new.to_owned() });
    }
    Ok(bare.unwrap_or(new))
}

/// Checks the text between Kotlin's backticks, which may be anything that the JVM does not forbid.
fn check_backticks(grammar: Grammar, new: &str, quoted: &str) -> Result<(), NewNameError> {
    let language = grammar.name();
    let bad = |character| NewNameError::Character { name: new.to_owned(), character, language };
    let Some(inner) = quoted.strip_suffix('`') else { return Err(bad('`')) };
    if inner.trim().is_empty() {
        return Err(NewNameError::Empty);
    }
    let forbidden = ['`', '\n', '\r', '.', ';', ':', '/', '\\', '[', ']', '<', '>'];
    inner.chars().find(|c| forbidden.contains(c)).map_or(Ok(()), |character| Err(bad(character)))
}

fn check_raw(grammar: Grammar, new: &str) -> Result<(), NewNameError> {
    let bare = new.trim_start_matches("r#");
    check_characters(grammar, new, bare)?;
    if can_be_raw(bare) {
        return Ok(());
    }
    let hint = "it cannot be a raw identifier either; give another".to_owned();
    Err(NewNameError::Keyword { name: new.to_owned(), language: grammar.name(), hint })
}

/// Whether `word` can be a raw identifier, which Rust's path keywords cannot.
fn can_be_raw(word: &str) -> bool {
    !matches!(word, "self" | "Self" | "super" | "crate" | "_")
}

/// Checks that `bare`, the name without its marks, is spelled as an identifier. Letters and digits are
/// Unicode's XID.
fn check_characters(grammar: Grammar, new: &str, bare: &str) -> Result<(), NewNameError> {
    let language = grammar.name();
    let is_dollar = |c: char| c == '$' && grammar.rules().names.has_dollar;
    let mut characters = bare.chars();
    let Some(first) = characters.next() else { return Err(NewNameError::Empty) };
    let name = || new.to_owned();
    if !(is_xid_start(first) || first == '_' || is_dollar(first)) {
        return Err(if is_xid_continue(first) || first == '-' {
            NewNameError::Start { name: name(), character: first, language }
        } else {
            NewNameError::Character { name: name(), character: first, language }
        });
    }
    match characters.find(|&c| !(is_xid_continue(c) || is_dollar(c))) {
        None => Ok(()),
        Some(character) => Err(NewNameError::Character { name: name(), character, language }),
    }
}

#[cfg(test)]
#[path = "new_name_tests.rs"]
mod tests;
