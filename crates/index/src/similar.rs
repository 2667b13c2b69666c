//! Names similar to one that was not found. Ranked: equal except for case, one letter away, containing it,
//! two letters away; within a rank, names that occur in more files come first.

use std::collections::BTreeMap;

use super::file::FileEntry;
use super::live_segment::LiveSegment;
use super::snapshot::Snapshot;
use symd_base::RelPath;
use symd_syntax::{Outline, name_hash};

/// Maximum number of letters by which a similar name may differ.
const MAX_DISTANCE: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    SameButCase,
    /// One letter away.
    OneOff,
    Contains,
    TwoOff,
}

impl Snapshot {
    /// Returns up to `limit` names of symbols that resemble `name`, the most similar first: of files that are
    /// read, since a hint is worth no waiting.
    pub fn similar_names(&self, name: &str, limit: usize) -> Vec<String> {
        if name.is_empty() {
            return Vec::new();
        }
        let mut alike: BTreeMap<&str, Likeness> = BTreeMap::new();
        let tables = self.segments.iter().flat_map(|live| live.segment.names());
        let loose = self.loose.iter().filter_map(|file| file.outline());
        let loose = loose.flat_map(|outline| outline.rows.iter().map(|row| outline.name(row)));
        // The name is known not to exist: where a table contains it, it is from a file that has changed.
        for candidate in tables.chain(loose).filter(|&candidate| candidate != name) {
            if let Some(likeness) = likeness(name, candidate) {
                alike.insert(candidate, likeness);
            }
        }
        let mut ranked: Vec<(Likeness, &str)> =
            alike.into_iter().map(|(name, likeness)| (likeness, name)).collect();
        ranked.sort_by_key(|&(likeness, name)| (likeness, name.len(), name));
        // Counting occurrences examines every file, so only candidates that can still be returned are
        // counted.
        ranked.truncate(limit * 2);
        let files = self.files_with(ranked.iter().map(|(_, name)| name_hash(name.as_bytes())).collect());
        let mut ranked: Vec<_> = ranked.into_iter().zip(files).collect();
        ranked.sort_by_key(|&((likeness, name), files)| (likeness, std::cmp::Reverse(files), name));
        // Tables keep the names of removed files until they are rebuilt.
        let declared = ranked.into_iter().map(|((_, name), _)| name).filter(|name| self.declares(name));
        declared.take(limit).map(str::to_owned).collect()
    }

    /// Returns how many files may hold each word. Looks at each file once: what a question has looked at of one is close at hand.
    fn files_with(&self, hashes: Vec<u32>) -> Vec<usize> {
        let mut counts = vec![0; hashes.len()];
        for file in self.files.known_within(&RelPath::root()) {
            for (count, hash) in counts.iter_mut().zip(&hashes) {
                *count += usize::from(file.may_hold_hash(*hash));
            }
        }
        counts
    }

    /// Whether any file has, as it is now, a symbol with this name.
    fn declares(&self, name: &str) -> bool {
        let is_known = |file: &FileEntry| !self.files.is_unread(&file.path);
        let is_in = |file: &FileEntry| {
            let has = |outline: &Outline| outline.rows.iter().any(|row| outline.name(row) == name);
            is_known(file) && file.outline().is_some_and(|outline| has(outline))
        };
        let is_in_table = |live: &LiveSegment| {
            live.segment.exact(name).map(|postings| live.living(postings).any(|(file, _)| is_known(file)))
        };
        // Where rows are lost, the files are looked at.
        let in_tables = self.segments.iter().try_fold(false, |found, live| Some(found || is_in_table(live)?));
        in_tables.map_or_else(
            || self.declares_in_files(name),
            |found| found || self.loose.iter().any(|file| is_in(file)),
        )
    }

    fn declares_in_files(&self, name: &str) -> bool {
        let hash = name_hash(name.as_bytes());
        // Composed names (`impl Display for Size`) are not identifiers, so they have no occurrences.
        let is_composed = !name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let mut likely =
            self.files.known_within(&RelPath::root()).filter(|file| is_composed || file.holds_hash(hash));
        likely.any(|file| {
            let outline = file.outline_once();
            outline.is_some_and(|outline| outline.rows.iter().any(|row| outline.name(row) == name))
        })
    }
}

/// Ranks a candidate. Every name of the project passes through here, so checks that need not compare letters
/// come first.
fn likeness(wanted: &str, candidate: &str) -> Option<Likeness> {
    if candidate.eq_ignore_ascii_case(wanted) {
        return Some(Likeness::SameButCase);
    }
    let distance = small_distance(wanted, candidate);
    if distance == Some(1) {
        return Some(Likeness::OneOff);
    }
    if contains_ignoring_case(candidate, wanted) {
        return Some(Likeness::Contains);
    }
    distance.map(|_| Likeness::TwoOff)
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let Some((first, rest)) = part.split_first() else { return true };
    // Most names are shorter than a long one that was not found.
    if text.len() < part.len() {
        return false;
    }
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(lower, upper, text)
        .any(|at| text.get(at + 1..at + part.len()).is_some_and(|found| found.eq_ignore_ascii_case(rest)))
}

/// Returns the edit distance of names that start with the same letter and have nearly the same length, if it
/// is small.
fn small_distance(wanted: &str, candidate: &str) -> Option<usize> {
    let allowed = MAX_DISTANCE.min(wanted.len() / 3);
    let same_start =
        || wanted.bytes().zip(candidate.bytes()).next().is_some_and(|(a, b)| a.eq_ignore_ascii_case(&b));
    if allowed == 0 || wanted.len().abs_diff(candidate.len()) > allowed || !same_start() {
        return None;
    }
    distance(wanted.as_bytes(), candidate.as_bytes(), allowed)
}

/// Returns the edit distance in bytes, ignoring case, if it is at most `allowed`.
fn distance(a: &[u8], b: &[u8], allowed: usize) -> Option<usize> {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(!from.eq_ignore_ascii_case(to));
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
        if row.iter().all(|&cost| cost > allowed) {
            return None;
        }
    }
    row.last().copied().filter(|&cost| cost <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_goes_from_case_to_letters() {
        assert!(likeness("queryset", "QuerySet") == Some(Likeness::SameButCase));
        assert!(likeness("queryset", "QuerySetMixin") == Some(Likeness::Contains));
        assert!(likeness("querset", "queryset") == Some(Likeness::OneOff));
        assert!(likeness("ab", "ac").is_none(), "two letters are too few to guess from");
        assert!(likeness("queryset", "model").is_none());
    }
}
