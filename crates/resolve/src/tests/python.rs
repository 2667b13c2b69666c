//! Python: imports, re-exports, scopes, receivers, keyword arguments.

use super::judged;

#[test]
fn line_ends_comments_and_astral_characters_move_nothing() {
    let fixture = "//- a.py\ns = '\u{1F600}'; T = 1\r\ndef $0mark(): pass\r\n\
        def f():\r\n    # A sentence ends.\r\n    mark()\r\n    x = '\u{1F600}'; mark\r\n";
    assert_eq!(judged(fixture), ["a.py:2: likely declaration", "a.py:5: likely call", "a.py:6: likely use"]);
}
