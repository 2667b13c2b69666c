//! Converts drafts of symbols, in the order of their positions, into rows: omits dead drafts, and moves
//! symbols that are assigned elsewhere (`self.x`, `global x`) below their owner. Invariant: the rows are in
//! pre-order, siblings by position.

use super::items::Item;
use super::kind::SymbolKind;
use super::outline::Row;
use symd_base::text::line_starts;

/// Symbols nested deeper than this are omitted. Such depth occurs only in generated code, where every name
/// path would be as long as the file, and an answer quadratic in that.
const MAX_DEPTH: usize = 200;

/// A row that may still be discarded.
pub(super) struct Draft<'a> {
    pub(super) item: Item,
    pub(super) name: &'a str,
    pub(super) kind: SymbolKind,
    pub(super) flags: u8,
    pub(super) index: u16,
    pub(super) parent: Option<usize>,
    pub(super) dead: bool,
}

/// Returns the live drafts as rows in pre-order, and the string of their names.
pub(super) fn rows_of(drafts: &[Draft], text: &str) -> (Box<[Row]>, Box<str>) {
    let order = Order::new(drafts);
    let lines = line_starts(text);
    let line_of = |at: u32| offset(lines.partition_point(|&start| start <= at).saturating_sub(1));
    let mut rows: Vec<Row> = Vec::with_capacity(drafts.len());
    let mut names = String::with_capacity(drafts.iter().map(|draft| draft.name.len()).sum());
    let mut row_of = vec![0_u32; drafts.len()];
    let mut depth_of = vec![0_usize; drafts.len()];
    let mut next = order.first;
    while let Some(at) = next {
        let draft = &drafts[at];
        let item = &draft.item;
        row_of[at] = offset(rows.len()) + 1;
        depth_of[at] = draft.parent.map_or(0, |parent| depth_of[parent]) + 1;
        let end = end_of(item, text);
        rows.push(Row {
            start: item.start,
            end,
            name_start: item.name_start,
            name_at: offset(names.len()),
            parent: draft.parent.map_or(0, |parent| row_of[parent]),
            start_line: line_of(item.start),
            end_line: line_of(end.saturating_sub(1).max(item.start)),
            name_line: line_of(item.name_start),
            name_len: u16::try_from(draft.name.len()).unwrap_or(0),
            index: draft.index,
            kind: draft.kind.number(),
            flags: draft.flags,
            head: head_of(item),
            descendants: 0,
        });
        names.push_str(draft.name);
        next = if depth_of[at] < MAX_DEPTH { order.after(at, drafts) } else { order.past(at, drafts) };
    }
    // Children come after their parents, so in reverse order every row is complete when it is added to its
    // parent.
    for at in (0..rows.len()).rev() {
        if let Some(parent) = rows[at].parent() {
            rows[parent].descendants += rows[at].descendants + 1;
        }
    }
    (rows.into(), names.into())
}

/// Returns the number of bytes from the name to the end of the head.
fn head_of(item: &Item) -> u16 {
    let length = item.head_end.saturating_sub(item.name_start);
    u16::try_from(length).unwrap_or(u16::MAX)
}

/// Returns the end without the trailing white space that some grammars include.
fn end_of(item: &Item, text: &str) -> u32 {
    let range = item.start as usize..item.end as usize;
    let trimmed = text.as_bytes().get(range).map_or(0, |bytes| bytes.trim_ascii_end().len());
    item.start + offset(trimmed)
}

/// The drafts as a tree that is walked without recursion.
struct Order {
    first: Option<usize>,
    /// For each draft, its first child and its next sibling.
    links: Vec<(Option<usize>, Option<usize>)>,
}

impl Order {
    fn new(drafts: &[Draft]) -> Order {
        let mut links = vec![(None, None); drafts.len()];
        let mut first = None;
        // In reverse, so that prepending keeps siblings in order.
        for (at, draft) in drafts.iter().enumerate().rev().filter(|(_, draft)| !draft.dead) {
            let head = match draft.parent {
                Some(parent) => &mut links[parent].0,
                None => &mut first,
            };
            let next = head.replace(at);
            links[at].1 = next;
        }
        Order { first, links }
    }

    /// Returns the draft after `at` in pre-order.
    fn after(&self, at: usize, drafts: &[Draft]) -> Option<usize> {
        self.links[at].0.or_else(|| self.past(at, drafts))
    }

    /// Returns the draft after `at` and all its descendants.
    fn past(&self, at: usize, drafts: &[Draft]) -> Option<usize> {
        let mut from = Some(at);
        while let Some(at) = from {
            if let (_, Some(sibling)) = self.links[at] {
                return Some(sibling);
            }
            from = drafts[at].parent;
        }
        None
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
