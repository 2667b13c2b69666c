//! Puts a body at a symbol: as it is, or moved as a block to the symbol's column. Pure: faults of the result
//! are returned, nothing is written. Invariant: of the candidate indentations, in order, the first one that
//! passes the guard is used; if none does, the fault of the first is returned.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::blank_lines::BlankLines;
use super::block::{BlockLine, TextBlock};
use super::endings::line_feeds;
use super::fault::EditFault;
use super::guard::{self, Guard, Outcome};
use super::indent_level::IndentLevel;
use super::intended_column::{Placement, SymbolColumn, intended_column};
use super::reindent::{Indentation, indent_of, outermost_column};
use super::symbol::{EditTarget, SymbolEditError};
use super::symbol_body::{BodyPosition, PositionedEdit};
use symd_base::text::line_starts;
use symd_base::{Cancel, TextEdits, TextRange};
use symd_syntax::{Inspected, LineKind, Outline, line_kinds};

/// An edit of a symbol, and the outline of the proposed text, if it was parsed.
#[derive(Debug)]
pub struct PlacedBody {
    pub edits: TextEdits,
    /// The outline of the proposed text.
    pub outline: Option<Outline>,
}

/// How to put a body at a symbol.
#[derive(Clone, Copy, Debug)]
pub struct PlacementOptions {
    pub placing: Placement,
    pub indentation: Indentation,
    pub guard: Guard,
}

/// Computes the edit that puts `body` at the symbol.
pub fn place_body(
    target: EditTarget<'_>,
    body: &str,
    manner: PlacementOptions,
    cancel: &Cancel,
) -> Result<PlacedBody, SymbolEditError> {
    let spacing = match manner.indentation {
        Indentation::ByContract => BlankLines::One,
        _ => BlankLines::AsAround,
    };
    let seat = BodyPosition::of(target, (manner.placing, spacing), body, cancel)?;
    let present_kinds = OnceCell::new();
    let mut placer = Placer { target, seat: &seat, manner, cancel, seen: None, present_kinds };
    let ways = placer.candidates()?;
    let mut first_fault = None;
    for way in &ways {
        let looked = placer.try_candidate(way)?;
        match placer.fault(&looked)? {
            None => return Ok(looked.placed()),
            Some(fault) => drop(first_fault.get_or_insert(fault)),
        }
    }
    match first_fault {
        Some(fault) => Err(SymbolEditError::Rejected { path: target.path.clone(), fault: Box::new(fault) }),
        None => Err(SymbolEditError::EmptyBody),
    }
}

struct Placer<'a> {
    target: EditTarget<'a>,
    seat: &'a BodyPosition<'a>,
    manner: PlacementOptions,
    cancel: &'a Cancel,
    /// The result for the text as given, if it was parsed to find the kinds of its lines.
    seen: Option<Candidate>,
    /// The kinds of the lines that are replaced, computed on first use.
    present_kinds: OnceCell<Vec<LineKind>>,
}

/// A candidate indentation of the text, and the result of using it.
struct Candidate {
    lines: String,
    seated: PositionedEdit,
    after: String,
    inspected: Option<Inspected>,
}

impl Candidate {
    fn placed(self) -> PlacedBody {
        PlacedBody { edits: self.seated.edits, outline: self.inspected.map(|inspected| inspected.outline) }
    }
}

impl Placer<'_> {
    /// Returns the candidate indentations of the text, the best first.
    fn candidates(&mut self) -> Result<Vec<String>, SymbolEditError> {
        let (written, seat) = (&self.seat.written, self.seat);
        let given = written.clone();
        let is_told = seat.placing != Placement::Replace || written.contains('\n');
        let indentation = self.manner.indentation;
        if indentation == Indentation::Verbatim || !is_told {
            return Ok(vec![given]);
        }
        let kinds = self.kinds()?;
        let mut block = TextBlock::new(self.target.grammar, written, &kinds);
        if indentation == Indentation::SymbolColumn {
            let column = outermost_column(&block, &seat.indent, seat.placing);
            return Ok(vec![column.map_or(given, |column| block.reindented(column, &seat.indent))]);
        }
        let level = self.level();
        if let Some(own) = block.foreign_level(level)
            && !self.is_mixed()?
        {
            block.translate(own, level);
        }
        let block = &block;
        let moved = |column: usize| block.reindented(column, &seat.indent);
        let told = self.column(block, level)?;
        // A text that is moved although it is at its column is only converted to other indentation, or its
        // first line is aligned with the others.
        let best = told.map(moved);
        let own = block.lines.first().map_or(0, BlockLine::width);
        let is_first_line_bare = seat.placing == Placement::Replace && own == 0;
        let is_kept = indentation == Indentation::ByContract
            && is_first_line_bare
            && told.is_some_and(|column| column > seat.indent.len());
        let mut ways = vec![given];
        match best {
            Some(best) if is_kept => ways.push(best),
            Some(best) => ways.insert(0, best),
            None => {}
        }
        ways.extend([0, own].map(moved));
        let mut unique: Vec<String> = Vec::new();
        for way in ways {
            if !unique.iter().any(|known| seat.is_same(known, &way)) {
                unique.push(way);
            }
        }
        Ok(unique)
    }

    /// Returns the indentation level used around the symbol.
    fn level(&self) -> IndentLevel {
        let EditTarget { text, outline, row, .. } = self.target;
        let symbol = outline.rows.get(row).and_then(|row| text.get(row.range().as_range()));
        IndentLevel::of(text, &self.seat.indent, symbol.unwrap_or_default())
    }

    /// Returns the column that the lines of `block` were written for.
    fn column(&self, block: &TextBlock<'_>, level: IndentLevel) -> Result<Option<usize>, SymbolEditError> {
        let at = self.seat.indent.len();
        let text = self.present();
        let present = TextBlock::new(self.target.grammar, &text, &[]);
        let column = |level, present| SymbolColumn {
            column: at,
            level,
            placing: self.seat.placing,
            replaced_text: present,
        };
        let told = intended_column(block, column(level.width(), Some(&present)));
        if told.is_none_or(|told| told == at) || self.seat.placing != Placement::Replace {
            return Ok(told);
        }
        // Check before anything is moved: the same rule must find the right column for the present text,
        // whose column is known.
        let present = TextBlock::new(self.target.grammar, &text, self.present_kinds()?);
        let is_read = |width| intended_column(&present, column(width, None)).is_none_or(|told| told == at);
        if is_read(level.width()) {
            return Ok(told);
        }
        let further = present.lines.iter().skip(1).filter(|line| line.is_code(self.target.grammar));
        let step = further.map(BlockLine::width).min().and_then(|least| least.checked_sub(at));
        match step.filter(|&step| step > 0 && is_read(step)) {
            Some(step) => Ok(intended_column(block, column(step, Some(&present)))),
            None => Ok(None),
        }
    }

    /// Whether the symbol itself is indented partly with tabs and partly with spaces.
    fn is_mixed(&self) -> Result<bool, SymbolEditError> {
        let text = self.present();
        let present = TextBlock::new(self.target.grammar, &text, self.present_kinds()?);
        let (has_tabs, has_spaces) = present.tabs_and_spaces();
        Ok(has_tabs && has_spaces)
    }

    /// Returns the kinds of the given lines. Python's statements are recognised best in the text by itself,
    /// because their columns are wrong in the file; in languages with braces a member may not parse outside
    /// its class.
    fn kinds(&mut self) -> Result<Vec<LineKind>, SymbolEditError> {
        let written = &self.seat.written;
        if self.target.grammar.rules().has_indented_blocks {
            return self.kinds_alone(written);
        }
        let looked = self.try_candidate(written)?;
        let kinds = looked.inspected.as_ref().map(|inspected| inspected.lines.clone());
        self.seen = Some(looked);
        Ok(kinds.unwrap_or_default())
    }

    fn kinds_alone(&self, text: &str) -> Result<Vec<LineKind>, SymbolEditError> {
        let indent = indent_of(text);
        let unindented = |line: &'_ str| line.strip_prefix(indent).unwrap_or(line).to_owned();
        let moved: Vec<String> = text.split('\n').map(unindented).collect();
        let text = moved.join("\n");
        let whole = TextRange::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        Ok(self.target.inspect(&text, whole, self.cancel)?.lines)
    }

    /// Returns the text that is replaced; empty for an insertion.
    fn present(&self) -> Cow<'_, str> {
        line_feeds(&self.target.text[self.seat.range.as_range()])
    }

    fn present_kinds(&self) -> Result<&[LineKind], SymbolEditError> {
        if let Some(known) = self.present_kinds.get() {
            return Ok(known);
        }
        let EditTarget { grammar, text, .. } = self.target;
        let kinds = if grammar.rules().has_indented_blocks {
            self.kinds_alone(&self.present())?
        } else {
            let before = line_starts(&text[..self.seat.range.start as usize]).len() - 1;
            line_kinds(grammar, text, self.cancel)?.split_off(before)
        };
        Ok(self.present_kinds.get_or_init(|| kinds))
    }

    /// Returns the result of inserting `lines`.
    fn try_candidate(&mut self, lines: &str) -> Result<Candidate, SymbolEditError> {
        if let Some(seen) = self.seen.take_if(|seen| self.seat.is_same(&seen.lines, lines)) {
            return Ok(seen);
        }
        let seated = self.seat.edit_with(lines);
        let after = seated.edits.apply(self.target.text).map_err(|_| self.stale())?;
        // A text that is neither guarded nor moved needs no parse.
        let is_asked = self.manner.guard != Guard::Off || self.manner.indentation != Indentation::Verbatim;
        let inspected =
            if is_asked { Some(self.target.inspect(&after, seated.new, self.cancel)?) } else { None };
        Ok(Candidate { lines: lines.to_owned(), seated, after, inspected })
    }

    fn fault(&self, looked: &Candidate) -> Result<Option<EditFault>, SymbolEditError> {
        let Some(inspected) = &looked.inspected else { return Ok(None) };
        let outcome = Outcome {
            target: self.target,
            edits: &looked.seated.edits,
            new: looked.seated.new,
            after: &looked.after,
            inspected,
        };
        let replaces = self.seat.placing == Placement::Replace;
        guard::fault(self.manner.guard, &outcome, replaces, self.cancel)
    }

    fn stale(&self) -> SymbolEditError {
        SymbolEditError::Stale { path: self.target.path.clone() }
    }
}

/// Checks an edit of a symbol that adds no text, such as a deletion.
pub fn check_edits(
    target: EditTarget<'_>,
    edits: TextEdits,
    guard: Guard,
    cancel: &Cancel,
) -> Result<PlacedBody, SymbolEditError> {
    let Some(replaced) = edits.iter().next().map(|edit| edit.range).filter(|_| guard != Guard::Off) else {
        return Ok(PlacedBody { edits, outline: None });
    };
    let stale = |_| SymbolEditError::Stale { path: target.path.clone() };
    let after = edits.apply(target.text).map_err(stale)?;
    let new = TextRange::new(replaced.start, replaced.start);
    let inspected = target.inspect(&after, new, cancel)?;
    let outcome = Outcome { target, edits: &edits, new, after: &after, inspected: &inspected };
    match guard::fault(guard, &outcome, false, cancel)? {
        Some(fault) => Err(SymbolEditError::Rejected { path: target.path.clone(), fault: Box::new(fault) }),
        None => Ok(PlacedBody { edits, outline: Some(inspected.outline) }),
    }
}
