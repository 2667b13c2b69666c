//! Types and namespaces of TypeScript that add to what a library declares by the same name: in `declare global { … }`, in
//! `declare module "library" { … }`, and at the top level of a file that is no module. The library's name stays as it is.

use std::ops::Range;

use crate::context::{last_word, text_before};
use crate::family::Family;
use crate::hierarchy::heads::without_comments;
use crate::profiles::LanguageProfile;
use crate::sources::{IndexedDeclaration, Sources};
use symd_syntax::{Outline, Row, SymbolKind};

/// How names of the project's own modules begin: relative paths, and the usual aliases of its root.
const OWN_MODULES: [&str; 3] = [".", "@/", "~/"];

/// Returns what the declaration `target` adds to outside of the project, as an answer says it: "`declare module \"express\"`"; `None`
/// if it adds to nothing that is known. A class adds to nothing.
pub fn augmented_outside(sources: &dyn Sources, target: &IndexedDeclaration) -> Option<String> {
    let (_, row) = target.row()?;
    let language = LanguageProfile::of(&target.file)?;
    if language.global_types.is_empty() || !matches!(row.kind(), SymbolKind::Interface | SymbolKind::Module) {
        return None;
    }
    let current = target.unchanged_text(sources)?;
    let gaps = RowGaps { text: current.text.as_str(), outline: &current.outline, language };
    let is_module = gaps.is_module();
    let mut at = target.row;
    loop {
        let row = gaps.outline.rows.get(at)?;
        let name = gaps.outline.name(row);
        if at != target.row && is_module && row.kind() == SymbolKind::Module && gaps.is_quoted(at) {
            let is_own = OWN_MODULES.iter().any(|start| name.starts_with(start));
            return (!is_own).then(|| format!("declare module \"{name}\""));
        }
        // Of any name: which ones libraries declare is not known, and what is added to one of them is seldom the project's own.
        if gaps.is_in_global(at) {
            return Some("declare global".to_owned());
        }
        match row.parent() {
            Some(parent) => at = parent,
            None => {
                let is_known = language.global_types.contains(&name);
                let is_whole = at == target.row && !is_module && is_known;
                return is_whole.then(|| "a file that is no module".to_owned());
            }
        }
    }
}

/// The text of a file between its rows.
struct RowGaps<'t> {
    text: &'t str,
    outline: &'t Outline,
    language: &'static LanguageProfile,
}

impl RowGaps<'_> {
    /// Whether the file imports or exports.
    fn is_module(&self) -> bool {
        let mut depth = 0_usize;
        let mut tops = self.outline.rows.iter().filter(|row| row.parent().is_none());
        let head = |row: &Row| self.text.get(row.start as usize..row.name_start as usize).unwrap_or("");
        if tops.any(|row| head(row).split_whitespace().any(|word| word == "export")) {
            return true;
        }
        self.gaps(None, self.text.len()).into_iter().any(|gap| {
            let code = self.code(gap);
            code.char_indices().any(|(at, c)| {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && begins_module_statement(&code, at)
            })
        })
    }

    /// Whether the name of a row is in quotes.
    fn is_quoted(&self, row: usize) -> bool {
        let before = self.text.get(..self.outline.rows[row].name_start as usize);
        before.is_some_and(|before| before.ends_with(['"', '\'']))
    }

    /// Whether a row stands directly in `global { … }`, which is no row.
    fn is_in_global(&self, row: usize) -> bool {
        let this = &self.outline.rows[row];
        let mut depth = 0_usize;
        for gap in self.gaps(this.parent(), this.start as usize).into_iter().rev() {
            let start = gap.start;
            for (at, c) in self.code(gap).char_indices().rev() {
                match c {
                    '}' => depth += 1,
                    '{' if depth == 0 => {
                        return last_word(text_before(self.text, start + at, Family::Ecma)) == "global";
                    }
                    '{' => depth -= 1,
                    _ => {}
                }
            }
        }
        false
    }

    /// Returns the ranges between the rows of one parent, as far as byte `end`.
    fn gaps(&self, parent: Option<usize>, end: usize) -> Vec<Range<usize>> {
        let mut start = parent.map_or(0, |at| {
            let row = &self.outline.rows[at];
            row.name_start as usize + usize::from(row.name_len)
        });
        let mut rows: Vec<Range<usize>> = self
            .outline
            .rows
            .iter()
            .filter(|row| row.parent() == parent)
            .map(|row| row.start as usize..row.end as usize)
            .collect();
        rows.sort_by_key(|row| row.start);
        let mut gaps = Vec::new();
        for row in rows.into_iter().take_while(|row| row.start < end) {
            if start < row.start {
                gaps.push(start..row.start);
            }
            start = start.max(row.end);
        }
        if start < end {
            gaps.push(start..end);
        }
        gaps
    }

    /// Returns the code of a range, with blanks for comments and strings.
    fn code(&self, range: Range<usize>) -> String {
        without_comments(self.text.get(range).unwrap_or(""), self.language)
    }
}

/// Whether a statement that makes a file a module begins at a byte of code.
fn begins_module_statement(code: &str, at: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let word = ["import", "export"].iter().find(|word| code[at..].starts_with(**word));
    word.is_some_and(|word| {
        let rest = &code[at + word.len()..];
        // `import("x")` and `import.meta` are values.
        !code[..at].ends_with(is_part)
            && !rest.starts_with(is_part)
            && !rest.trim_start().starts_with(['(', '.'])
    })
}
