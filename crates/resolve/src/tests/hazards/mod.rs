//! Effects of renames that no use of the name shows, by language.

mod ecma;
mod go;
mod java;
mod kotlin;
mod python;
mod rust;

use super::everywhere;
use super::{declared, rename_hazards};
use crate::HazardCertainty;
use symd_base::Cancel;

/// Returns one line per hazard of renaming the symbol at `$0`: `breaks` or `doubt`, then the places as `path:line`.
fn hazards(new_name: &str, fixture: &str) -> Vec<String> {
    let (memory, target) = declared(fixture);
    let targets = [target];
    everywhere(&memory, |memory| {
        let found = rename_hazards(memory, &targets, new_name, &Cancel::new()).expect("not cancelled");
        let told = found.iter().map(|one| {
            let mut line = match one.certainty {
                HazardCertainty::Breaks => "breaks".to_owned(),
                HazardCertainty::MayBreak => "doubt".to_owned(),
            };
            for (path, range) in &one.places {
                let text = &memory.texts.iter().find(|(one, _)| one == path).expect("is there").1;
                let number = text[..range.start as usize].matches('\n').count() + 1;
                line.push_str(&format!(" {path}:{number}"));
            }
            line
        });
        told.collect()
    })
}

#[track_caller]
fn check(new_name: &str, fixture: &str, expected: &[&str]) {
    assert_eq!(hazards(new_name, fixture), expected, "{fixture}");
}
