//! Test: compares the outline of every file in fixtures/outline/ with the expected outline next to it.
//! `UPDATE_EXPECT=1` writes the extractor's result as the expected outline; review it before you commit.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use super::*;
use symd_base::Cancel;
use symd_base::text::Text;

/// Renders one line per symbol: nesting by indentation, kind, name, lines (1-based, inclusive), and further
/// attributes.
fn render(text: &str, outline: &Outline) -> String {
    let lines = Text::decode(text.as_bytes().to_vec()).expect("is text");
    let mut rendered = String::new();
    for (at, row) in outline.rows.iter().enumerate() {
        let mut depth = 0;
        let mut parent = row.parent();
        while let Some(at) = parent {
            depth += 1;
            parent = outline.rows[at].parent();
        }
        let name = outline.name(row);
        let index = if row.index > 0 { format!("[{}]", row.index - 1) } else { String::new() };
        let _ = write!(
            rendered,
            "{:indent$}{} {name}{index} [{}-{}]",
            "",
            row.kind().word(),
            row.start_line + 1,
            row.end_line + 1,
            indent = depth * 2
        );
        if row.name_line != row.start_line {
            let _ = write!(rendered, " name on {}", row.name_line + 1);
        }
        if row.is_local() {
            rendered.push_str(" local");
        }
        let at_name = row.name_start as usize..row.name_start as usize + name.len();
        if text.get(at_name) != Some(name) {
            let from = lines.line_column(row.name_start);
            let _ = write!(rendered, " composed at {}:{}", from.line + 1, from.column + 1);
        }
        rendered.push('\n');
        check(text, outline, at);
    }
    if outline.has_errors {
        rendered.push_str("(the parser met errors)\n");
    }
    rendered
}

/// Asserts the invariants of a row.
fn check(text: &str, outline: &Outline, at: usize) {
    let row = &outline.rows[at];
    let end = at + 1 + row.descendants as usize;
    let what = format!("row {at}: {} {row:?}", outline.name_path(at));
    assert!(end <= outline.rows.len(), "{what}");
    assert!(outline.rows[at + 1..end].iter().all(|inner| inner.parent().is_some_and(|p| p >= at)), "{what}");
    assert!(outline.rows.get(end).is_none_or(|next| next.parent().is_none_or(|p| p < at)), "{what}");
    assert!(row.start <= row.name_start && row.name_start < row.end, "{what}");
    assert!(text.is_char_boundary(row.start as usize) && text.is_char_boundary(row.end as usize), "{what}");
    assert!(row.start_line <= row.name_line && row.name_line <= row.end_line, "{what}");
    let siblings = outline.rows[at + 1..end].iter().filter(|inner| inner.parent() == Some(at));
    assert!(siblings.map(|child| child.start).is_sorted(), "{what}: children out of order");
}

/// Returns the texts of a grammar in fixtures/outline/.
#[allow(clippy::disallowed_methods, reason = "fixtures are no project's files")]
pub(super) fn outlined_texts(grammar: Grammar) -> Vec<String> {
    let of_grammar = |path: &&PathBuf| {
        path.parent().and_then(Path::file_name).and_then(|language| language.to_str()) == Some(grammar.name())
    };
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).expect("readable");
        Text::decode(bytes).expect("is text").as_str().to_owned()
    };
    fixtures().iter().filter(of_grammar).map(read).collect()
}

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/outline");
    let list = |path: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(path).expect("readable").map(|entry| entry.expect("entry").path()).collect()
    };
    let mut files: Vec<PathBuf> = list(&root).iter().flat_map(|language| list(language)).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "outline"));
    files.sort();
    files
}

#[test]
#[allow(clippy::disallowed_methods, reason = "fixtures are no project's files")]
fn outlines_are_as_written_beside_the_fixtures() {
    for path in fixtures() {
        let folder =
            path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).expect("a folder");
        let grammar = Grammar::named(folder).unwrap_or_else(|| panic!("no grammar {folder}"));
        let bytes = std::fs::read(&path).expect("readable");
        let text = Text::decode(bytes).expect("is text");
        let outline = outline(grammar, text.as_str(), &Cancel::new()).expect("not cancelled");
        let found = render(text.as_str(), &outline);
        let beside = path
            .with_extension(format!("{}.outline", path.extension().and_then(|e| e.to_str()).unwrap_or("")));
        expect_file![beside].assert_eq(&found);
    }
}

#[test]
fn every_grammar_has_a_fixture() {
    let files = fixtures();
    for grammar in Grammar::all() {
        let has = |path: &PathBuf| path.parent().is_some_and(|folder| folder.ends_with(grammar.name()));
        assert!(files.iter().any(has), "no fixture for {}", grammar.name());
    }
}
