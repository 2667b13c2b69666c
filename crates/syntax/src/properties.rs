//! Properties of arbitrary name paths and outlines. See `symd::properties`.

use super::{Imports, Matching, NamePattern, Occurrences, Outline, Row};

/// Asserts that any pattern is parsed or rejected, and that a symbol's own path is a pattern that matches it.
pub fn name_path(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let outline = chain(&text);
    for matching in [Matching::Exact, Matching::Substring] {
        if let Ok(pattern) = NamePattern::parse(&text, matching) {
            assert!(!pattern.last_name().is_empty() && text.contains(pattern.whole()));
            for at in 0..=outline.rows.len() {
                pattern.matches(&outline, at);
            }
        }
        for at in 0..outline.rows.len() {
            let path = outline.name_path(at);
            let pattern = NamePattern::parse(&path, matching).unwrap();
            assert!(pattern.matches(&outline, at), "{path:?} is row {at}");
            let anchored = NamePattern::parse(&format!("/{path}"), matching).unwrap();
            assert!(anchored.matches(&outline, at), "/{path:?} is row {at}");
        }
    }
}

/// Returns an outline of nested symbols, named by the parts of `text` between slashes and brackets.
fn chain(text: &str) -> Outline {
    let names: Vec<&str> = text.split(['/', '[', ']']).filter(|name| !name.is_empty()).take(20).collect();
    let number = |number: usize| u32::try_from(number).unwrap();
    let mut all = String::new();
    let mut rows = Vec::new();
    for (at, name) in names.iter().enumerate() {
        rows.push(Row {
            start: 0,
            end: 1,
            name_start: 0,
            name_at: number(all.len()),
            parent: number(at),
            start_line: 0,
            end_line: 0,
            name_line: 0,
            name_len: u16::try_from(name.len()).unwrap(),
            // As if some shared their name with siblings.
            index: u16::try_from(name.len() % 3).unwrap(),
            kind: 12,
            flags: 0,
            head: 0,
            descendants: number(names.len() - at - 1),
        });
        all.push_str(name);
    }
    let (occurrences, imports) = (Occurrences::default(), Imports::default());
    Outline {
        rows: rows.into(),
        names: all.into(),
        occurrences,
        imports,
        has_errors: false,
        hides_types: false,
    }
}

/// Reads the whole of `outline` as queries do, and asserts that every offset lies in `text`.
pub fn assert_lies_in(outline: &Outline, text: &str) {
    for (at, row) in outline.rows.iter().enumerate() {
        outline.name_path(at);
        assert!(text.get(row.range().as_range()).is_some(), "row {at} of {text:?}");
        assert!(text.is_char_boundary(row.name_start as usize), "the name of row {at} of {text:?}");
    }
    for statement in outline.imports.statements() {
        assert!(text.get(statement.as_range()).is_some(), "an import at {statement:?} of {text:?}");
    }
    let imports = outline.imports.unpack();
    assert!(imports.iter().count() <= text.len());
    for hash in &outline.occurrences.hashes {
        let mut last = None;
        for offset in outline.occurrences.offsets_of_hash(*hash) {
            assert!(text.is_char_boundary(offset as usize) && last < Some(offset), "{offset} of {text:?}");
            last = Some(offset);
        }
    }
}

/// Initial patterns for the fuzzer.
pub fn seeds() -> Vec<Vec<u8>> {
    ["/A/b[0]", "Shop/open/", "a/b", "c[65536]", "größe", "impl A for B<'a>/f"].map(|it| it.into()).into()
}

/// Parts from which the fuzzer composes patterns.
pub const WORDS: &[&str] = &[
    "/", "//", "[", "]", "[0]", "[1]", "[65535]", "[65536]", "[-1]", "a", "Ab", "é", "😀", ".", "`", " ",
    "\n",
];
