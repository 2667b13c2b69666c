//! Finds the tags whose sources fit a trace that those on the disk do not fit.

use std::collections::{BTreeMap, BTreeSet};

use super::named_text::NamedText;
use super::parse::ParsedFrame;
use super::place_in_file::fits;
use symd_base::RelPath;
use symd_engine::View;
use symd_git::{GitError, Repository};

/// How many of the newest tags are tried.
const MAX_TAGS: usize = 50;

/// Maximum number of texts that are read, and the largest one in bytes.
const MAX_TEXTS: usize = 150;
const MAX_TEXT: u64 = 2 << 20;

/// Tags whose sources fit the frames best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittingTags {
    /// The newest first.
    pub tags: Vec<String>,
    /// How many of the frames that differ fit each of them.
    pub fits: usize,
    /// How many frames differ.
    pub of: usize,
}

/// What trying the tags gave.
#[derive(Debug, Default)]
pub(super) struct TriedTags {
    /// `None` if no tag fits.
    pub(super) fitting: Option<FittingTags>,
    /// The last tag that was tried, if none fits all frames and older ones were not tried: their texts are too many.
    pub(super) oldest_tried: Option<String>,
}

/// Finds the tags that most of the frames fit, each given with the file that it is in.
pub(super) fn fitting_tags(
    view: &View,
    repository: &Repository<'_>,
    frames: &[(RelPath, ParsedFrame)],
) -> Result<TriedTags, GitError> {
    let mut tags = repository.tags(MAX_TAGS)?;
    if tags.is_empty() {
        return Ok(TriedTags::default());
    }
    let paths: Vec<&RelPath> =
        frames.iter().map(|(path, _)| path).collect::<BTreeSet<_>>().into_iter().collect();
    let mut blobs: BTreeMap<&RelPath, Vec<Option<String>>> = BTreeMap::new();
    for (path, of_tags) in paths.iter().copied().zip(repository.blobs_at(&tags, &paths)?) {
        let small = of_tags.into_iter().map(|blob| blob.filter(|(_, size)| *size <= MAX_TEXT));
        blobs.insert(path, small.map(|blob| blob.map(|(hash, _)| hash)).collect());
    }
    let (wanted, tried) = texts_of_newest(&blobs, tags.len());
    let last_tried = (tried < tags.len()).then(|| tags[..tried].last().cloned()).flatten();
    tags.truncate(tried);
    let contents = repository.contents(&wanted.keys().map(String::as_str).collect::<Vec<_>>())?;
    let outlined = |(hash, bytes): (String, Vec<u8>)| {
        let current = view.outlined(wanted.get(&hash)?, bytes).ok()?;
        Some((hash, NamedText::of(current)))
    };
    let texts: BTreeMap<String, NamedText> = contents.into_iter().filter_map(outlined).collect();
    let count = |tag: usize| {
        let fitting = frames.iter().filter(|(path, frame)| {
            let blob = blobs.get(path).and_then(|blobs| blobs.get(tag)?.as_ref());
            blob.and_then(|blob| texts.get(blob)).is_some_and(|text| fits(path, text, frame))
        });
        fitting.count()
    };
    let counts: Vec<usize> = (0..tags.len()).map(count).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let best = tags.into_iter().zip(counts).filter(|(_, count)| *count == most).map(|(tag, _)| tag);
    let fitting = (most > 0).then(|| FittingTags { tags: best.collect(), fits: most, of: frames.len() });
    let oldest_tried = last_tried.filter(|_| most < frames.len());
    Ok(TriedTags { fitting, oldest_tried })
}

/// Returns the texts to read, each with the file that it is of, and of how many tags, the newest first, these are all texts.
fn texts_of_newest<'p>(
    blobs: &BTreeMap<&'p RelPath, Vec<Option<String>>>,
    tags: usize,
) -> (BTreeMap<String, &'p RelPath>, usize) {
    let mut wanted: BTreeMap<String, &RelPath> = BTreeMap::new();
    for tag in 0..tags {
        let of_tag = blobs.iter().filter_map(|(path, of_tags)| Some((of_tags.get(tag)?.clone()?, *path)));
        let new: BTreeMap<String, &RelPath> = of_tag.filter(|(hash, _)| !wanted.contains_key(hash)).collect();
        if wanted.len() + new.len() > MAX_TEXTS {
            return (wanted, tag);
        }
        wanted.extend(new);
    }
    (wanted, tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_tag_all_texts_are_read_or_it_is_not_tried() {
        let paths: Vec<RelPath> = (0..4).map(|file| RelPath::new(&format!("{file}.kt")).unwrap()).collect();
        let blobs = |differs: fn(usize) -> bool| {
            let of_path = |(file, path)| {
                let blob = |tag: usize| Some(format!("{file} {}", if differs(tag) { tag } else { 0 }));
                (path, (0..MAX_TAGS).map(blob).collect())
            };
            paths.iter().enumerate().map(of_path).collect::<BTreeMap<&RelPath, Vec<Option<String>>>>()
        };
        // Four texts of each of 50 tags are too many, and of a tag that is tried none is missing.
        let all = blobs(|_| true);
        let (wanted, tried) = texts_of_newest(&all, MAX_TAGS);
        assert_eq!((wanted.len(), tried), (148, 37));
        let is_read = |tag: usize| {
            all.values().all(|blobs| blobs[tag].as_ref().is_some_and(|blob| wanted.contains_key(blob)))
        };
        assert!((0..tried).all(is_read) && !is_read(tried));
        // Most releases leave most files alone.
        assert_eq!(texts_of_newest(&blobs(|tag| tag % 4 == 0), MAX_TAGS).1, MAX_TAGS);
    }
}
