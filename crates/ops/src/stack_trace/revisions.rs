//! Finds the tags whose sources fit a trace that those on the disk do not fit.

use std::collections::{BTreeMap, BTreeSet};

use super::named_text::NamedText;
use super::parse::ParsedFrame;
use super::place::fits;
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

/// Returns the tags that most of the frames fit, each given with the file that it is in; `None` if none fits.
pub(super) fn fitting_tags(
    view: &View,
    repository: &Repository<'_>,
    frames: &[(RelPath, ParsedFrame)],
) -> Result<Option<FittingTags>, GitError> {
    let tags = repository.tags(MAX_TAGS)?;
    if tags.is_empty() {
        return Ok(None);
    }
    let paths: Vec<&RelPath> =
        frames.iter().map(|(path, _)| path).collect::<BTreeSet<_>>().into_iter().collect();
    let mut blobs: BTreeMap<&RelPath, Vec<Option<String>>> = BTreeMap::new();
    let mut wanted: BTreeMap<String, &RelPath> = BTreeMap::new();
    for (path, of_tags) in paths.iter().copied().zip(repository.blobs_at(&tags, &paths)?) {
        let small = of_tags.into_iter().map(|blob| blob.filter(|(_, size)| *size <= MAX_TEXT));
        let mut of_tags: Vec<Option<String>> = small.map(|blob| blob.map(|(hash, _)| hash)).collect();
        for blob in &mut of_tags {
            // The texts of the newest tags come first.
            let is_read = |hash: &String| wanted.len() < MAX_TEXTS || wanted.contains_key(hash);
            *blob = blob.take().filter(is_read);
            if let Some(hash) = blob {
                wanted.insert(hash.clone(), path);
            }
        }
        blobs.insert(path, of_tags);
    }
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
    Ok((most > 0).then(|| FittingTags { tags: best.collect(), fits: most, of: frames.len() }))
}
