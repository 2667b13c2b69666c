//! Who changed lines of the project last: commits, by git, and what is not committed yet. Lines are 1-based.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use symd_base::{RelPath, Text, Timestamp};
use symd_engine::View;
use symd_git::{BlamedLine, Commit, GitError, Repository};

/// How long the comparison of a file with its committed text may take.
const COMPARISON: Duration = Duration::from_millis(200);

/// Maximum size in bytes of a file that is compared.
const MAX_COMPARED: u64 = 4 << 20;

/// Lines that were changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentChange {
    /// The lines, ascending.
    pub lines: Vec<usize>,
    /// `None` if the change is not committed.
    pub commit: Option<ChangingCommit>,
}

/// A commit that changed lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangingCommit {
    pub time: Timestamp,
    /// The start of the hash.
    pub hash: String,
    pub author: String,
    /// The first line of the message.
    pub summary: String,
}

/// The changes of some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesOfPlace {
    pub path: RelPath,
    /// The newest first; what is not committed before all.
    pub changes: Vec<RecentChange>,
}

/// Returns who changed lines last: as the files are on the disk, or as `commit` has them. Files that git does not know are
/// left out.
pub fn recent_changes(
    view: &View,
    repository: &Repository<'_>,
    commit: Option<&Commit>,
    places: &[(RelPath, RangeInclusive<usize>)],
) -> Result<Vec<ChangesOfPlace>, GitError> {
    let head = match commit {
        Some(commit) => commit.clone(),
        None => repository.head()?,
    };
    let paths: Vec<&RelPath> = places.iter().map(|(path, _)| path).collect();
    let committed = repository.contents_at(&head, &paths)?;
    let mut all = Vec::new();
    for ((path, lines), committed) in places.iter().zip(committed) {
        let Some(committed) = committed.and_then(|bytes| Text::decode(bytes).ok()) else { continue };
        let lines_of_head = match commit {
            Some(_) => Some(lines.clone().map(|line| (line, Some(line))).collect()),
            None => saved_lines(view, path, &committed, lines.clone()),
        };
        let Some(lines_of_head) = lines_of_head else { continue };
        let changes = changes(repository, &head, path, &lines_of_head)?;
        all.push(ChangesOfPlace { path: path.clone(), changes });
    }
    Ok(all)
}

/// Returns the lines of the file on the disk with those of its committed text, `None` for what is not committed. No answer
/// if the two have nothing in common: then a filter stands between them, or the file was written anew.
fn saved_lines(
    view: &View,
    path: &RelPath,
    committed: &Text,
    lines: RangeInclusive<usize>,
) -> Option<Vec<(usize, Option<usize>)>> {
    let saved = Text::decode(view.files.read_saved(path, MAX_COMPARED).ok()?.bytes).ok()?;
    let (old, new) = (lines_without_ends(committed), lines_without_ends(&saved));
    let until = Some(Instant::now() + COMPARISON);
    let mut of_new: Vec<Option<usize>> = vec![None; new.len()];
    for operation in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, until) {
        if let (DiffTag::Equal, old, new) = operation.as_tag_tuple() {
            new.zip(old).for_each(|(new, old)| of_new[new] = Some(old + 1));
        }
    }
    if of_new.iter().all(Option::is_none) {
        return None;
    }
    Some(lines.filter_map(|line| Some((line, *of_new.get(line.checked_sub(1)?)?))).collect())
}

/// Git may convert the ends of lines.
fn lines_without_ends(text: &Text) -> Vec<&str> {
    text.as_str().split('\n').map(|line| line.trim_end_matches('\r')).collect()
}

fn changes(
    repository: &Repository<'_>,
    commit: &Commit,
    path: &RelPath,
    lines: &[(usize, Option<usize>)],
) -> Result<Vec<RecentChange>, GitError> {
    let committed: Vec<usize> = lines.iter().filter_map(|(_, line)| *line).collect();
    let blamed: BTreeMap<usize, BlamedLine> = match (committed.iter().min(), committed.iter().max()) {
        (Some(&first), Some(&last)) => {
            let blamed = repository.blame(commit, path, (first, last))?;
            blamed.into_iter().map(|line| (line.line, line)).collect()
        }
        _ => BTreeMap::new(),
    };
    let mut by_commit: BTreeMap<Option<ChangingCommit>, Vec<usize>> = BTreeMap::new();
    for (line, committed) in lines {
        let key = match committed {
            None => None,
            Some(committed) => match blamed.get(committed) {
                Some(blamed) => Some(ChangingCommit {
                    time: blamed.time,
                    hash: blamed.commit.clone(),
                    author: blamed.author.clone(),
                    summary: blamed.summary.clone(),
                }),
                None => continue,
            },
        };
        by_commit.entry(key).or_default().push(*line);
    }
    let mut all: Vec<RecentChange> =
        by_commit.into_iter().map(|(commit, lines)| RecentChange { lines, commit }).collect();
    all.sort_by_key(|change| {
        std::cmp::Reverse(
            change.commit.as_ref().map_or(Timestamp::from_seconds(u64::MAX), |commit| commit.time),
        )
    });
    Ok(all)
}
