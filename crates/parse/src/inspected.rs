//! The encoding of a worker's answer to [`Task::Inspect`](super::protocol::Task::Inspect). Invariant: decoded
//! offsets lie in the text of the request.
//!
//! ```text
//! length of the outline u32 | outline, in the cache's codec
//! error u8 (0 none, 1 skipped, 2 missing) | start u32 | end u32 | length u8 and name of the missing node
//! misplaced u8 (0 none, else 1 + its fault) | at u32
//! kind of a line u8 *
//! ```
//! Numbers are little endian.

use symd_base::TextRange;
use symd_index::cache::codec;
use symd_syntax::{BlockFault, BlockViolation, Grammar, Inspected, LineKind, Outline, SyntaxErrorAt};

/// In the order of their encoded numbers.
const FAULTS: [BlockFault; 3] = [BlockFault::Empty, BlockFault::Column, BlockFault::Shallow];
const KINDS: [LineKind; 5] =
    [LineKind::Blank, LineKind::Code, LineKind::Continued, LineKind::Literal, LineKind::Comment];

pub(super) fn encode(inspected: &Inspected) -> Vec<u8> {
    let outline = codec::encode(&inspected.outline);
    let mut bytes = Vec::with_capacity(outline.len() + inspected.lines.len() + 32);
    bytes.extend(u32::try_from(outline.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(outline);
    let (kind, range, missing) = match &inspected.error {
        None => (0, TextRange::new(0, 0), ""),
        Some(SyntaxErrorAt { range, missing: None }) => (1, *range, ""),
        Some(SyntaxErrorAt { range, missing: Some(missing) }) => (2, *range, *missing),
    };
    bytes.push(kind);
    bytes.extend(range.start.to_le_bytes());
    bytes.extend(range.end.to_le_bytes());
    bytes.push(u8::try_from(missing.len()).unwrap_or(u8::MAX));
    bytes.extend(missing.bytes().take(usize::from(u8::MAX)));
    let fault = inspected.misplaced.map(|misplaced| number(&FAULTS, misplaced.fault).saturating_add(1));
    bytes.push(fault.unwrap_or(0));
    bytes.extend(inspected.misplaced.map_or(0, |misplaced| misplaced.at).to_le_bytes());
    bytes.extend(inspected.lines.iter().map(|kind| number(&KINDS, *kind)));
    bytes
}

fn number<T: Copy + PartialEq>(all: &[T], one: T) -> u8 {
    let at = all.iter().position(|known| *known == one);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

/// Returns `None` for invalid bytes, or for an answer that does not fit `text`.
pub(super) fn decode(bytes: &[u8], grammar: Grammar, text: &str) -> Option<Inspected> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (outline, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let outline = codec::decode(outline).filter(|outline| lies_in(outline, text))?;
    let (kind, rest) = rest.split_first()?;
    let (start, rest) = rest.split_first_chunk()?;
    let (end, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first()?;
    let (missing, rest) = rest.split_at_checked(usize::from(*length))?;
    let (start, end) = (u32::from_le_bytes(*start), u32::from_le_bytes(*end));
    let place = || {
        (start <= end && text.get(start as usize..end as usize).is_some()).then(|| TextRange::new(start, end))
    };
    let error = match kind {
        0 => None,
        1 => Some(SyntaxErrorAt { range: place()?, missing: None }),
        2 => {
            let missing = grammar.node_kind(std::str::from_utf8(missing).ok()?)?;
            Some(SyntaxErrorAt { range: place()?, missing: Some(missing) })
        }
        _ => return None,
    };
    let (fault, rest) = rest.split_first()?;
    let (at, lines) = rest.split_first_chunk()?;
    let at = u32::from_le_bytes(*at);
    let misplaced = match fault.checked_sub(1) {
        None => None,
        Some(fault) => {
            let fault = *FAULTS.get(usize::from(fault))?;
            let lies_in = (at as usize) < text.len() && text.is_char_boundary(at as usize);
            Some(lies_in.then_some(BlockViolation { at, fault })?)
        }
    };
    let kinds = lines.iter().map(|kind| KINDS.get(usize::from(*kind)).copied());
    let lines: Vec<LineKind> = kinds.collect::<Option<_>>()?;
    // Each line but the last has at least one byte.
    (lines.len() <= text.len() + 1).then_some(Inspected { outline, error, misplaced, lines })
}

/// Reports whether all offsets of an outline lie in `text`, on character boundaries. The codec has already
/// validated its structure.
pub(super) fn lies_in(outline: &Outline, text: &str) -> bool {
    let is_part = |range: TextRange| text.get(range.as_range()).is_some();
    let is_place = |offset: u32| text.is_char_boundary(offset as usize);
    let occurrences = &outline.occurrences;
    let are_places = |hash: &u32| {
        let mut offsets = occurrences.offsets_of_hash(*hash);
        let mut last = None;
        offsets.all(|offset| is_place(offset) && last.replace(offset) < Some(offset))
    };
    outline.rows.iter().all(|row| is_part(row.range()) && is_place(row.name_start))
        && outline.imports.statements().all(is_part)
        && occurrences.hashes.iter().all(are_places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::inspect;

    fn inspected(grammar: Grammar, text: &str) -> Inspected {
        let whole = TextRange::new(0, u32::try_from(text.len()).expect("short"));
        inspect(grammar, text, whole, &Cancel::new()).expect("parsed")
    }

    #[test]
    fn what_was_seen_is_read_as_it_was_written() {
        for (grammar, text) in [
            ("python", ""),
            ("python", "def f():\n    \"\"\"a\n    b\"\"\"\n    return (1,\n        2)\n# c\n"),
            ("python", "def f():\n    return )\n"),
            ("python", "class A:\n    def f(self):\n    x = 1\n"),
            ("python", "if x:\n    a\n  b\n"),
            ("java", "class A {\n  int x = 1\n}\n"),
            ("kotlin", "val s = \"\"\"\n  a\n\"\"\"\n"),
        ] {
            let grammar = Grammar::named(grammar).expect("known");
            let seen = inspected(grammar, text);
            let bytes = encode(&seen);
            assert_eq!(decode(&bytes, grammar, text), Some(seen.clone()), "{text}");
            for cut in 0..bytes.len() - seen.lines.len() {
                assert_eq!(decode(&bytes[..cut], grammar, text), None, "{text}: {cut}");
            }
        }
    }

    #[test]
    fn what_does_not_lie_in_the_text_is_no_answer() {
        let python = Grammar::named("python").expect("known");
        for text in ["x = 1\ny = )\n", "if x:\n    a\n  b\n", "class A:\n  def f(self): pass\n"] {
            let bytes = encode(&inspected(python, text));
            assert_eq!(decode(&bytes, python, &text[..3]), None, "{text}");
        }
        let mut bytes = encode(&inspected(python, "x\n"));
        let last = bytes.len() - 1;
        bytes[last] = 9;
        assert_eq!(decode(&bytes, python, "x\n"), None, "no such kind");
    }
}
