//! Checks what a symbol's edit must preserve: the declarations around the symbol, Python's blocks, a text
//! that parses; and that a replacement declares one symbol of the same kind. Invariant: nothing is written
//! here, and nothing is executed.

use std::collections::{HashMap, HashSet};

use super::breaks_syntax::BrokenAt;
use super::co_declared::co_declared_rows;
use super::declared_again::declared_again;
use super::fault::{DeclarationChange, EditFault, line_at};
use super::symbol::{EditTarget, SymbolEditError};
use symd_base::text::line_starts;
use symd_base::{Cancel, TextEdits, TextRange};
use symd_syntax::{
    Grammar, Inspected, InterchangeableKinds, Outline, Row, SymbolKind, first_block_violation,
};

/// The checks that an edit must pass before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// No checks, at the client's request.
    Off,
    /// All declarations around the symbol keep name, place and text, and the new text is a block of
    /// statements there (serena's ruling).
    SurroundingDeclarations,
    /// The text still parses, no declaration around the symbol is lost, renamed or moved into another
    /// container, Python's blocks are valid, and a symbol is replaced by one of its kind. If the text did not
    /// parse before the edit, only the declarations are checked.
    Full,
}

/// The result of an edit.
pub(super) struct Outcome<'a> {
    pub(super) target: EditTarget<'a>,
    /// The edits of the present text: one edit, or a deletion of several places.
    pub(super) edits: &'a TextEdits,
    /// The range of the proposed text that is new.
    pub(super) new: TextRange,
    pub(super) after: &'a str,
    pub(super) inspected: &'a Inspected,
}

/// Returns the first fault of `outcome`; `replaces` is whether the edit replaces the symbol.
pub(super) fn fault(
    guard: Guard,
    outcome: &Outcome<'_>,
    replaces: bool,
    cancel: &Cancel,
) -> Result<Option<EditFault>, SymbolEditError> {
    let EditTarget { grammar, text, outline, .. } = outcome.target;
    if guard == Guard::Off {
        return Ok(None);
    }
    let is_whole = !outline.has_errors;
    if guard == Guard::Full
        && is_whole
        && let Some(error) = &outcome.inspected.error
    {
        return Ok(Some(EditFault::Broken(BrokenAt::new(outcome.after, error))));
    }
    if is_whole
        && let Some(found) = outcome.inspected.misplaced
        && first_block_violation(grammar, text, cancel)?.is_none()
    {
        return Ok(Some(EditFault::block(outcome.after, found)));
    }
    if replaces && let Some(lost) = outcome.lost_with_symbol() {
        return Ok(Some(lost));
    }
    if let Some(lost) = outcome.lost(guard) {
        return Ok(Some(lost));
    }
    Ok(match replaces {
        _ if guard != Guard::Full || !is_whole => None,
        true => outcome.other_declaration(),
        false => {
            let after = &outcome.inspected.outline;
            let new = outermost(after, outcome.new, false);
            declared_again(grammar, text, (outcome.after, after), &new, outcome.new)
        }
    })
}

impl Outcome<'_> {
    /// Returns a fault for the first declaration around the symbol that would change.
    fn lost(&self, guard: Guard) -> Option<EditFault> {
        let (before, after) = (self.target.outline, &self.inspected.outline);
        let mut at_name: HashMap<u32, Vec<usize>> = HashMap::new();
        for (number, row) in after.rows.iter().enumerate() {
            at_name.entry(row.name_start).or_default().push(number);
        }
        let names: HashSet<String> = (0..after.rows.len()).map(|row| plain_path(after, row)).collect();
        let around = self.around();
        for (number, row) in before.rows.iter().enumerate() {
            if self.is_replaced(row) {
                continue;
            }
            let name = plain_path(before, number);
            let place = self.moved(row.name_start);
            let there = at_name.get(&place).map_or(&[][..], Vec::as_slice);
            let same = there.iter().find(|&&other| plain_path(after, other) == name);
            let fate = match same {
                Some(&other) if guard == Guard::SurroundingDeclarations => {
                    let other = &after.rows[other];
                    let keeps_end = around.contains(&number) || other.end == self.moved_end(row.end);
                    if other.start == self.moved(row.start) && keeps_end {
                        continue;
                    }
                    DeclarationChange::Changed
                }
                Some(_) => continue,
                // The first of several assignments defines the symbol's row: it may now be another one.
                None if is_bound(row.kind()) && names.contains(&name) => continue,
                None => there.first().map_or(DeclarationChange::Gone, |&other| {
                    DeclarationChange::Renamed(after.name_path(other))
                }),
            };
            let (line, _) = line_at(self.target.text, row.name_start);
            return Some(EditFault::Lost { name: before.name_path(number), line, fate });
        }
        None
    }

    /// Returns a fault if the proposed text has fewer declarations of a name that the symbol's statement also
    /// declares.
    fn lost_with_symbol(&self) -> Option<EditFault> {
        let (before, after) = (self.target.outline, &self.inspected.outline);
        let joint = co_declared_rows(self.target, self.replaced());
        let mut replaced = joint.into_iter().filter(|&row| self.is_replaced(&before.rows[row])).peekable();
        replaced.peek()?;
        let (known, left) = (declared_names(before), declared_names(after));
        let is_lost = |row: &usize| {
            let name = plain_path(before, *row);
            left.get(&name) < known.get(&name)
        };
        let lost: Vec<String> = replaced.filter(is_lost).map(|row| before.name_path(row)).collect();
        if lost.is_empty() {
            return None;
        }
        let (line, _) = line_at(self.target.text, self.replaced().start);
        Some(EditFault::CoDeclared { name: self.target.name(), line, lost })
    }

    /// Returns the range of the present text that is replaced; empty for an insertion.
    fn replaced(&self) -> TextRange {
        let ranges = || self.edits.iter().map(|edit| edit.range);
        let start = ranges().map(|range| range.start).min().unwrap_or(0);
        TextRange::new(start, ranges().map(|range| range.end).max().unwrap_or(start))
    }

    /// Whether the row lies in the replaced range.
    fn is_replaced(&self, row: &Row) -> bool {
        let mut ranges = self.edits.iter().map(|edit| edit.range);
        ranges.any(|range| range.start < range.end && range.contains(row.range()))
    }

    /// Returns the rows that grow or shrink with the edit: those that contain its place, and the containers
    /// of the symbol.
    fn around(&self) -> HashSet<usize> {
        let rows = &self.target.outline.rows;
        let holds = |row: &Row| self.edits.iter().any(|edit| row.range().contains(edit.range));
        let holding = rows.iter().enumerate().filter(|(_, row)| holds(row)).map(|(number, _)| number);
        let mut around: HashSet<usize> = holding.filter(|&number| number != self.target.row).collect();
        let mut above = rows[self.target.row].parent();
        while let Some(number) = above {
            around.insert(number);
            above = rows[number].parent();
        }
        around
    }

    /// Returns the new offset of something that begins at `at`.
    fn moved(&self, at: u32) -> u32 {
        self.shifted(at, |range| range.end <= at)
    }

    /// Returns the new offset of something that ends at `at`.
    fn moved_end(&self, at: u32) -> u32 {
        self.shifted(at, |range| range.start < at)
    }

    /// Returns `at`, shifted by the edits whose ranges are before it.
    fn shifted(&self, at: u32, is_before: impl Fn(TextRange) -> bool) -> u32 {
        let before = self.edits.iter().filter(|edit| is_before(edit.range));
        let (gone, come) = before.fold((0, 0), |(gone, come), edit| {
            (gone + (edit.range.end - edit.range.start) as usize, come + edit.new_text.len())
        });
        u32::try_from((at as usize + come).saturating_sub(gone)).unwrap_or(u32::MAX)
    }

    /// Returns a fault if the replacement of the symbol is not one declaration of the same kind.
    fn other_declaration(&self) -> Option<EditFault> {
        let EditTarget { grammar, text, outline, row, .. } = self.target;
        let symbol = outline.rows.get(row)?;
        let after = &self.inspected.outline;
        let held = outermost(after, self.new, symbol.is_local());
        let joint = co_declared_rows(self.target, self.replaced());
        let before = |row| TextedRow { row, text };
        let is_like = |&number: &usize| {
            let new = TextedRow { row: &after.rows[number], text: self.after };
            let is_again = |&row: &usize| {
                plain_path(outline, row) == plain_path(after, number)
                    && is_compatible(grammar, before(&outline.rows[row]), new)
            };
            is_compatible(grammar, before(symbol), new) || joint.iter().any(is_again)
        };
        // One statement can declare several symbols, `a, b = 1, 2`, and each may become a statement of its
        // own.
        let present = count_distinct_ranges(outline, &outermost(outline, self.replaced(), symbol.is_local()));
        let counts = [1, present, 1 + joint.len()];
        if counts.contains(&count_distinct_ranges(after, &held)) && held.iter().all(is_like) {
            return None;
        }
        let (line, signature) = signature(text, symbol);
        let shown = |&number: &usize| {
            let row = &after.rows[number];
            format!("{} '{}'", row.kind().word(), after.name(row))
        };
        Some(EditFault::Declarations { signature, line, held: held.iter().map(shown).collect() })
    }
}

/// Returns a row's name path without indices, which change with what precedes it.
fn plain_path(outline: &Outline, row: usize) -> String {
    let mut names = Vec::new();
    let mut next = Some(row);
    while let Some(row) = next.and_then(|number| outline.rows.get(number)) {
        names.push(outline.name(row));
        next = row.parent();
    }
    names.reverse();
    names.join("/")
}

/// Returns how often each name path is declared.
fn declared_names(outline: &Outline) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for row in 0..outline.rows.len() {
        *names.entry(plain_path(outline, row)).or_default() += 1;
    }
    names
}

fn is_bound(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Variable | Constant | Property | Field)
}

/// Returns the rows in `range` that are not inside another row in it.
fn outermost(outline: &Outline, range: TextRange, locals: bool) -> Vec<usize> {
    let is_meant = |row: &Row| range.contains(row.range()) && (locals || !row.is_local());
    let mut inside: Vec<usize> =
        (0..outline.rows.len()).filter(|&number| is_meant(&outline.rows[number])).collect();
    inside.sort_by_key(|&number| (outline.rows[number].start, std::cmp::Reverse(outline.rows[number].end)));
    let mut found: Vec<usize> = Vec::new();
    for number in inside {
        let row = &outline.rows[number];
        let last = found.last().map(|&last| outline.rows[last].range());
        if last.is_none_or(|last| row.start >= last.end || row.range() == last) {
            found.push(number);
        }
    }
    found
}

/// Returns the number of distinct ranges of `rows`.
fn count_distinct_ranges(outline: &Outline, rows: &[usize]) -> usize {
    rows.iter().map(|&number| outline.rows[number].range()).collect::<HashSet<_>>().len()
}

/// Whether `new` can take the place of `old` without breaking its uses.
fn is_compatible(grammar: Grammar, old: TextedRow<'_>, new: TextedRow<'_>) -> bool {
    use DeclarationCategory::{Callable, Type, Value};
    let kinds = grammar.rules().interchangeable_kinds;
    match (DeclarationCategory::of(old.row.kind()), DeclarationCategory::of(new.row.kind())) {
        (Callable, Callable) | (Type, Type) | (Value, Value) => true,
        // A variable may hold a function; an accessor is not called.
        (Callable, Value) | (Value, Callable) => {
            kinds == InterchangeableKinds::Values && !old.is_accessor() && !new.is_accessor()
        }
        (Value, Type) | (Type, Value) => kinds == InterchangeableKinds::Values,
        (Type, Callable) | (Callable, Type) => kinds == InterchangeableKinds::FunctionTypes,
    }
}

/// A declaration with the text that contains it.
#[derive(Clone, Copy)]
struct TextedRow<'a> {
    row: &'a Row,
    text: &'a str,
}

impl TextedRow<'_> {
    /// Whether the declaration is `get p()` or `set p(v)`.
    fn is_accessor(&self) -> bool {
        let before = self.text.get(self.row.start as usize..self.row.name_start as usize);
        matches!(before.and_then(|before| before.split_whitespace().last()), Some("get" | "set"))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationCategory {
    Callable,
    Type,
    Value,
}

impl DeclarationCategory {
    fn of(kind: SymbolKind) -> DeclarationCategory {
        use SymbolKind::{
            Class, Constructor, Enum, Function, Interface, Method, Module, Namespace, Object, Operator,
            Package, Struct, TypeParameter,
        };
        match kind {
            Function | Method | Constructor | Operator => DeclarationCategory::Callable,
            Class | Interface | Enum | Struct | Object | Module | Namespace | Package | TypeParameter => {
                DeclarationCategory::Type
            }
            _ => DeclarationCategory::Value,
        }
    }
}

/// Returns the 1-based line of the symbol's name, and its declaration from there up to its block, joined to
/// one line.
fn signature(text: &str, symbol: &Row) -> (usize, String) {
    const CHARS: usize = 120;
    let starts = line_starts(text);
    let line = starts.partition_point(|&start| start <= symbol.name_start).max(1);
    let from = starts[line - 1].max(symbol.start) as usize;
    let mut depth = 0_usize;
    let mut signature = String::new();
    for line in text[from..symbol.end as usize].lines() {
        let line = line.trim();
        let gap = if signature.is_empty() || signature.ends_with(['(', '[']) { "" } else { " " };
        signature.push_str(gap);
        signature.push_str(line);
        for c in line.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 || signature.len() > CHARS {
            break;
        }
    }
    let signature = signature.trim_end_matches(['{', ' ']);
    (line, signature.chars().take(CHARS).collect())
}
