//! Test: compares the signatures of every file in fixtures/signature/ with the expected ones next to it.
//! `UPDATE_EXPECT=1` writes the result as the expected signatures; review it before you commit.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use super::signature_in;
use crate::{Grammar, Outline, outline};
use symd_base::Cancel;
use symd_base::text::Text;

/// Characters of a signature in a list.
const LIMIT: usize = 100;

/// Renders one line per symbol: receiver, name path, the form for lists; then the full form on a line of its
/// own if it differs.
fn render(grammar: Grammar, text: &str, outline: &Outline) -> String {
    let mut rendered = String::new();
    let listed = (0..outline.rows.len()).filter(|&row| !outline.rows[row].is_local());
    for row in listed {
        let signature = signature_in(Some(grammar), text, outline, row).unwrap_or_default();
        let (short, full) = (signature.truncated_to(LIMIT), signature.full());
        assert!(short.chars().count() <= LIMIT, "{short}");
        if !signature.receiver.is_empty() {
            let _ = write!(rendered, "({}) ", signature.receiver);
        }
        let _ = writeln!(rendered, "{}{short}", outline.name_path(row));
        if full != short {
            let _ = writeln!(rendered, "    {full}");
        }
        for limit in [0, 1, 7, 20, 40] {
            assert!(signature.truncated_to(limit).chars().count() <= limit.max(1), "{limit} {short}");
        }
    }
    rendered
}

#[test]
#[allow(clippy::disallowed_methods, reason = "fixtures are no project's files")]
fn signatures_are_as_written_beside_the_fixtures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/signature");
    for grammar in Grammar::all() {
        let folder = root.join(grammar.name());
        let list = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<PathBuf> = list.map(|entry| entry.expect("entry").path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension != "signatures"));
        assert!(!files.is_empty(), "no fixture for {}", grammar.name());
        for path in files {
            let text = Text::decode(std::fs::read(&path).expect("readable")).expect("is text");
            let outline = outline(grammar, text.as_str(), &Cancel::new()).expect("not cancelled");
            assert!(!outline.has_errors, "{}: the parser met errors", path.display());
            let found = render(grammar, text.as_str(), &outline);
            expect_file![path.with_extension("signatures")].assert_eq(&found);
        }
    }
}
