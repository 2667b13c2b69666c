//! The words of a name stand in the text that declares it: otherwise an unread file could be left out.

use crate::NeededWords;
use symd_base::{Cancel, Text};
use symd_syntax::{Grammar, Matching, NamePattern, outline};

#[test]
#[allow(clippy::disallowed_methods, reason = "it reads the repository's fixtures")]
fn the_words_of_every_declared_name_stand_in_its_text() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/outline");
    let mut names = 0;
    for language in std::fs::read_dir(fixtures).expect("there").flatten() {
        let Some(grammar) = language.file_name().to_str().and_then(Grammar::named) else { continue };
        for file in std::fs::read_dir(language.path()).expect("there").flatten() {
            let bytes = std::fs::read(file.path()).expect("read");
            let Ok(text) = Text::decode(bytes.clone()) else { continue };
            let Ok(outline) = outline(grammar, text.as_str(), &Cancel::new()) else { continue };
            for row in 0..outline.rows.len() {
                let path = outline.name_path(row);
                for (path, matching) in [(format!("/{path}"), Matching::Exact), (path, Matching::Substring)] {
                    let Ok(pattern) = NamePattern::parse(&path, matching) else { continue };
                    assert!(pattern.matches(&outline, row), "{path}");
                    let words = NeededWords::of_pattern(&pattern);
                    assert!(words.match_bytes(&bytes), "{}: {path}: {words:?}", file.path().display());
                    names += 1;
                }
            }
        }
    }
    assert!(names > 500, "{names}");
}
