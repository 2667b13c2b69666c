//! A declaration that an insertion adds to a scope which already has one of its name and kind: it would not compile, or take the
//! other's place. Told from the outline of the proposed text, in languages whose rules say that a scope has only one.

use super::fault::{EditFault, line_at};
use symd_base::TextRange;
use symd_syntax::{Grammar, Outline, RedeclarationRules, Row, SymbolKind};

/// Returns a fault for the first of the rows `new`, outermost declarations of an inserted text, that its scope declares already.
pub(super) fn declared_again(
    grammar: Grammar,
    present: &str,
    (text, outline): (&str, &Outline),
    new: &[usize],
    inserted: TextRange,
) -> Option<EditFault> {
    let declarations = Declarations { text, outline, rules: grammar.rules().redeclaration };
    let is_indented = grammar.rules().has_indented_blocks;
    let is_known = |row: &Row| !inserted.contains(row.range());
    for row in new.iter().filter_map(|&number| outline.rows.get(number)) {
        let before = outline.rows.iter().filter(|other| is_known(other));
        let mut same = before.filter(|other| {
            declarations.are_one(row, other)
                && (!is_indented || declarations.is_plain(row) && declarations.is_plain(other))
        });
        if let Some(other) = same.next() {
            let added =
                if other.name_start < inserted.start { 0 } else { text.len().saturating_sub(present.len()) };
            let at = (other.name_start as usize).saturating_sub(added);
            let (line, _) = line_at(present, u32::try_from(at).unwrap_or(u32::MAX));
            return Some(EditFault::DeclaredAgain { name: outline.name(row).to_owned(), line });
        }
    }
    None
}

/// The declarations of a text, by its language's rules.
struct Declarations<'a> {
    text: &'a str,
    outline: &'a Outline,
    rules: &'static RedeclarationRules,
}

impl<'a> Declarations<'a> {
    /// Whether two rows of one scope cannot both be declared.
    fn are_one(&self, one: &Row, other: &Row) -> bool {
        let name = self.outline.name(one);
        let all = [one, other];
        let is_free = |row: &Row| {
            let head = self.head(row);
            self.rules.free_words.iter().any(|word| head.contains(word))
        };
        let tells = |row: &Row, word: &str| self.head(row).split_whitespace().any(|one| one == word);
        self.outline.name(other) == name
            && one.parent == other.parent
            && all.iter().all(|row| !row.is_local() && self.rules.kinds.contains(&row.kind()))
            && !self.rules.free_names.contains(&name)
            && !all.iter().any(|row| is_free(row) || self.rules.has_signatures && !self.has_body(row))
            && self.rules.telling_words.iter().all(|word| tells(one, word) == tells(other, word))
            && (!self.rules.has_receivers || self.receiver(one) == self.receiver(other))
    }

    /// Returns what stands before a row's name.
    fn head(&self, row: &Row) -> &'a str {
        self.text.get(row.start as usize..row.name_start as usize).unwrap_or("")
    }

    /// Whether a row has a body: its head ends before it does. A type can end with a brace, too.
    fn has_body(&self, row: &Row) -> bool {
        if !matches!(row.head, 0 | u16::MAX) {
            return row.name_start.saturating_add(u32::from(row.head)) < row.end;
        }
        self.text.get(row.range().as_range()).is_some_and(|text| text.trim_end().ends_with('}'))
    }

    /// Returns the name of a method's type, as its receiver names it: `T` of `func (t *T[K]) name()`. `None` for others.
    fn receiver(&self, row: &Row) -> Option<&'a str> {
        if row.kind() != SymbolKind::Method {
            return None;
        }
        let written = self.head(row).trim_end().strip_suffix(')')?;
        let written = written.split('[').next()?.trim_end();
        written.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()
    }

    /// Whether a row stands directly in its scope, and not in a branch: at the least column of the scope's rows.
    fn is_plain(&self, row: &Row) -> bool {
        let column = |row: &Row| {
            let line = self.text[..row.start as usize].rfind('\n').map_or(0, |end| end + 1);
            row.start as usize - line
        };
        let least = match row.parent() {
            None => 0,
            Some(_) => {
                let beside =
                    self.outline.rows.iter().filter(|other| other.parent == row.parent && !other.is_local());
                beside.map(column).min().unwrap_or(0)
            }
        };
        column(row) == least
    }
}
