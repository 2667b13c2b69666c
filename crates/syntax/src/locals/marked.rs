//! Tests of scopes by texts with marks.

use super::local_bindings;
use crate::Grammar;
use symd_base::Cancel;

/// Checks that the name at `$0` is bound exactly between `‹` and `›`; without these marks, that it is no local.
#[track_caller]
pub(super) fn check(language: &str, marked: &str) {
    let without_marks = |text: &str| -> String {
        text.replace("$0", "").chars().filter(|c| !"‹›".contains(*c)).collect()
    };
    let offset_of = |mark: &str| {
        let before = &marked[..marked.find(mark)?];
        u32::try_from(without_marks(before).len()).ok()
    };
    let at = offset_of("$0").expect("marked");
    let grammar = Grammar::named(language).expect("known");
    let found = local_bindings(grammar, &without_marks(marked), &Cancel::new()).expect("it parses");
    let scopes = found.locals.iter().find(|local| local.name.start == at).map(|local| &local.scopes);
    let expected = offset_of("‹").zip(offset_of("›"));
    assert_eq!(scopes.map(|scopes| (scopes[0].start, scopes[0].end)), expected, "{marked}");
}
