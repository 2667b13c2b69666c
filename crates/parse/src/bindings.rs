//! The encoding of a worker's answer to [`Task::LocalBindings`](super::protocol::Task::LocalBindings).
//! Invariant: decoded ranges lie in the text of the request, on character boundaries.
//!
//! ```text
//! number of field names u32 | offset u32 *
//! number of type names u32 | offset u32 *
//! number of combined parts u32 | (start u32, end u32) *
//! number of unparsed parts u32 | (start u32, end u32) *
//! number of sources u32 | (name u32 | kind u8 | start u32, end u32 | result u32) *
//! (name u32, u32 | sure 1 + type 2 u8 | number of scopes u32 | (start u32, end u32) *) *
//! ```
//! Numbers are little endian.

use symd_base::TextRange;
use symd_syntax::{BoundLocal, LocalBindings, LocalSource, LocalSourceKind};

pub(super) fn encode(bindings: &LocalBindings) -> Vec<u8> {
    let mut bytes = Vec::new();
    for offsets in [&bindings.field_names, &bindings.type_names] {
        put_number(&mut bytes, offsets.len());
        bytes.extend(offsets.iter().flat_map(|at| at.to_le_bytes()));
    }
    put_ranges(&mut bytes, &bindings.combined);
    put_ranges(&mut bytes, &bindings.unparsed);
    put_number(&mut bytes, bindings.sources.len());
    for source in &bindings.sources {
        bytes.extend(source.name_start.to_le_bytes());
        bytes.push(source.kind as u8);
        put_range(&mut bytes, source.range);
        bytes.extend(source.result.to_le_bytes());
    }
    for local in &bindings.locals {
        put_range(&mut bytes, local.name);
        bytes.push(u8::from(local.is_sure) + 2 * u8::from(local.is_type));
        put_ranges(&mut bytes, &local.scopes);
    }
    bytes
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_range(bytes: &mut Vec<u8>, range: TextRange) {
    bytes.extend(range.start.to_le_bytes());
    bytes.extend(range.end.to_le_bytes());
}

fn put_ranges(bytes: &mut Vec<u8>, ranges: &[TextRange]) {
    put_number(bytes, ranges.len());
    ranges.iter().for_each(|range| put_range(bytes, *range));
}

/// Returns `None` for invalid bytes, or for an answer that does not fit `text`.
pub(super) fn decode(bytes: &[u8], text: &str) -> Option<LocalBindings> {
    let mut rest = Rest { bytes, text };
    let (field_names, type_names) = (rest.offsets()?, rest.offsets()?);
    let (combined, unparsed) = (rest.ranges()?, rest.ranges()?);
    let sources = (0..rest.count(17)?).map(|_| rest.source()).collect::<Option<_>>()?;
    let mut locals = Vec::new();
    while !rest.bytes.is_empty() {
        let name = rest.range()?;
        let flags = rest.byte().filter(|flags| *flags < 4)?;
        let (is_sure, is_type) = (flags & 1 == 1, flags & 2 == 2);
        locals.push(BoundLocal { name, scopes: rest.ranges()?, is_sure, is_type });
    }
    Some(LocalBindings { locals, field_names, type_names, combined, unparsed, sources })
}

/// What is left to decode.
struct Rest<'a> {
    bytes: &'a [u8],
    text: &'a str,
}

impl Rest<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*byte)
    }

    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*number))
    }

    /// Reads a number of entries of at least `size` bytes each.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.bytes.len() / size).then_some(count)
    }

    /// Reads offsets of the text, ascending.
    fn offsets(&mut self) -> Option<Vec<u32>> {
        let mut offsets = Vec::new();
        for _ in 0..self.count(4)? {
            let at = self.number()?;
            let is_ascending = offsets.last().is_none_or(|last| *last < at);
            offsets.push((is_ascending && self.text.is_char_boundary(at as usize)).then_some(at)?);
        }
        Some(offsets)
    }

    fn range(&mut self) -> Option<TextRange> {
        let (start, end) = (self.number()?, self.number()?);
        let is_part = start <= end && self.text.get(start as usize..end as usize).is_some();
        is_part.then(|| TextRange::new(start, end))
    }

    fn source(&mut self) -> Option<LocalSource> {
        let name_start = self.number().filter(|at| self.text.is_char_boundary(*at as usize))?;
        let kind = *LocalSourceKind::ALL.get(usize::from(self.byte()?))?;
        Some(LocalSource { name_start, kind, range: self.range()?, result: self.number()? })
    }

    fn ranges(&mut self) -> Option<Vec<TextRange>> {
        (0..self.count(8)?).map(|_| self.range()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::{Grammar, local_bindings};

    fn rust_bindings(text: &str) -> LocalBindings {
        local_bindings(Grammar::named("rust").expect("known"), text, &Cancel::new()).expect("parsed")
    }

    const TEXT: &str = "fn f(a: A) { let é = S { b, c: d }; fn g() {} x!(a => b); m!(|e| e) }";

    #[test]
    fn bindings_are_read_as_they_were_written() {
        for text in ["", TEXT] {
            let bindings = rust_bindings(text);
            let bytes = encode(&bindings);
            assert_eq!(decode(&bytes, text), Some(bindings));
        }
        let bindings = rust_bindings(TEXT);
        let bytes = encode(&bindings);
        // A cut between two locals leaves fewer of them.
        let whole = (0..bytes.len()).filter(|&cut| decode(&bytes[..cut], TEXT).is_some());
        assert_eq!(whole.count(), bindings.locals.len());
    }

    #[test]
    fn bindings_of_typescript_are_read_as_they_were_written() {
        let (text, grammar) =
            ("function f<T>(é: T) { let a: é }", Grammar::named("typescript").expect("known"));
        let bindings = local_bindings(grammar, text, &Cancel::new()).expect("parsed");
        assert_eq!((bindings.locals.len(), bindings.type_names.len()), (3, 3));
        assert_eq!(decode(&encode(&bindings), text), Some(bindings));
    }

    #[test]
    fn sources_of_gos_locals_are_read_as_they_were_written() {
        let text = "package p\nfunc f(é, a *T, b ...T) { for k := range a { x, y := k.f() } }";
        let grammar = Grammar::named("go").expect("known");
        let bindings = local_bindings(grammar, text, &Cancel::new()).expect("parsed");
        assert_eq!(bindings.sources.len(), 6);
        let mut bytes = encode(&bindings);
        assert_eq!(decode(&bytes, text), Some(bindings));
        // An unknown kind.
        bytes[4 * 5 + 4] = 9;
        assert_eq!(decode(&bytes, text), None);
    }

    #[test]
    fn ranges_outside_the_text_are_no_answer() {
        let bytes = encode(&rust_bindings(TEXT));
        assert_eq!(decode(&bytes, &TEXT[..20]), None);
        assert_eq!(decode(&bytes, &TEXT.replace('é', "e")), None);
        assert_eq!(decode(&[0xFF; 12], TEXT), None);
    }
}
