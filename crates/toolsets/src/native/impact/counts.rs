//! The counts of an `impact`: symbols by part of the project and by module, mentions by kind of text.

use std::collections::{BTreeMap, BTreeSet};

use symd_ops::code_kind::{CodeKind, module_of};
use symd_ops::impact::Impact;
use symd_ops::relations::TransitiveUser;
use symd_ops::rename::{Medium, Mentioned};

/// All parts, in the order of the answer.
pub(super) const PARTS: [CodeKind; 3] = [CodeKind::Production, CodeKind::Test, CodeKind::Generated];

/// Returns the number of symbols in each part.
pub(super) fn by_part(all: &[&TransitiveUser]) -> [usize; 3] {
    PARTS.map(|part| all.iter().filter(|one| one.part == part).count())
}

/// Returns the number of files.
pub(super) fn files(all: &[&TransitiveUser]) -> usize {
    all.iter().map(|one| one.user.file()).collect::<BTreeSet<_>>().len()
}

/// Returns the modules, each with the number of symbols that are reached directly and indirectly, those with
/// most direct ones first.
pub(super) fn modules(found: &Impact) -> Vec<(String, usize, usize)> {
    let mut modules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for depth in 1..=found.depth {
        for one in found.at(depth) {
            let Some(path) = one.path() else { continue };
            let counts = modules.entry(module_of(path).to_owned()).or_default();
            match depth {
                1 => counts.0 += 1,
                _ => counts.1 += 1,
            }
        }
    }
    let mut all: Vec<_> =
        modules.into_iter().map(|(module, (direct, more))| (module, direct, more)).collect();
    all.sort_by(|a, b| (b.1, b.2, &a.0).cmp(&(a.1, a.2, &b.0)));
    all
}

/// Returns the kinds of text that mention the symbol, each with the number of mentions.
pub(super) fn media(mentioned: &Mentioned) -> Vec<(Medium, usize)> {
    let count = |medium: Medium| mentioned.places.iter().filter(|one| one.medium == medium).count();
    Medium::ALL.into_iter().map(|medium| (medium, count(medium))).filter(|(_, count)| *count > 0).collect()
}
