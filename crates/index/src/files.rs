//! The files of the project in path order, as a persistent map: a clone shares all pages, a change copies one
//! of them. Invariant: pages are never empty; paths ascend within a page and from page to page.

use std::sync::Arc;

use super::file::FileEntry;
use symd_base::RelPath;

/// Entries in a full page. A change copies one page of pointers and the list of pages; at 100,000 files each
/// has a few hundred elements.
const PAGE: usize = 256;

/// Map from path to file. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct FileMap {
    pages: Vec<Arc<Vec<Arc<FileEntry>>>>,
    len: usize,
}

impl FileMap {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the file at `path`.
    pub fn get(&self, path: &str) -> Option<&Arc<FileEntry>> {
        let page = self.pages.get(self.page_of(path)?)?;
        page.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok().map(|at| &page[at])
    }

    /// Inserts a file, and returns the entry that it replaces.
    pub fn insert(&mut self, entry: Arc<FileEntry>) -> Option<Arc<FileEntry>> {
        let Some(number) = self.page_of(entry.path.as_str()) else {
            self.pages.push(Arc::new(vec![entry]));
            self.len = 1;
            return None;
        };
        let page = Arc::make_mut(&mut self.pages[number]);
        match page.binary_search_by(|known| known.path.cmp(&entry.path)) {
            Ok(at) => Some(std::mem::replace(&mut page[at], entry)),
            Err(at) => {
                page.insert(at, entry);
                self.len += 1;
                if page.len() > PAGE {
                    // Appending in path order, as a crawl does, fills pages; anything else halves them.
                    let cut = if at + 1 == page.len() { PAGE } else { PAGE / 2 };
                    let rest = page.split_off(cut);
                    self.pages.insert(number + 1, Arc::new(rest));
                }
                None
            }
        }
    }

    /// Removes the file at `path`, and returns it.
    pub fn remove(&mut self, path: &str) -> Option<Arc<FileEntry>> {
        let number = self.page_of(path)?;
        let page = Arc::make_mut(&mut self.pages[number]);
        let at = page.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        let removed = page.remove(at);
        if page.is_empty() {
            self.pages.remove(number);
        }
        self.len -= 1;
        Some(removed)
    }

    /// Iterates over all files in path order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.pages.iter().flat_map(|page| page.iter())
    }

    /// Iterates over the file at `path` if it is one, else every file beneath the directory `path`, in path
    /// order.
    pub fn within<'a>(&'a self, path: &RelPath) -> impl Iterator<Item = &'a Arc<FileEntry>> + use<'a> {
        let prefix = if path.is_root() { String::new() } else { format!("{}/", path.as_str()) };
        let itself = if path.is_root() { None } else { self.get(path.as_str()) };
        itself.into_iter().chain(self.starting_with(prefix))
    }

    /// Iterates over the files at or after `path`, in path order.
    pub fn from(&self, path: &RelPath) -> impl Iterator<Item = &Arc<FileEntry>> + use<'_> {
        let first = self.page_of(path.as_str()).unwrap_or(0);
        let pages = &self.pages[first.min(self.pages.len())..];
        let skipped = pages.first().map_or(0, |page| page.partition_point(|entry| entry.path < *path));
        pages.iter().flat_map(|page| page.iter()).skip(skipped)
    }

    fn starting_with(&self, prefix: String) -> impl Iterator<Item = &Arc<FileEntry>> {
        let first = self.page_of(&prefix).unwrap_or(0);
        let pages = &self.pages[first.min(self.pages.len())..];
        let before = |page: &Arc<Vec<Arc<FileEntry>>>| {
            page.partition_point(|entry| entry.path.as_str() < prefix.as_str())
        };
        let skipped = pages.first().map_or(0, before);
        let entries = pages.iter().flat_map(|page| page.iter()).skip(skipped);
        entries.take_while(move |entry| prefix.is_empty() || entry.path.as_str().starts_with(&prefix))
    }

    /// Returns the index of the page that contains or would contain `path`; `None` when there are no pages.
    fn page_of(&self, path: &str) -> Option<usize> {
        let after = self.pages.partition_point(|page| page[0].path.as_str() <= path);
        if self.pages.is_empty() { None } else { Some(after.saturating_sub(1)) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::Content;

    fn entry(path: &str) -> Arc<FileEntry> {
        Arc::new(FileEntry { path: RelPath::new(path).expect(path), content: Content::Plain })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 8,
            failure_persistence: None,
            max_shrink_iters: 100_000,
            max_shrink_time: 20_000,
            ..ProptestConfig::default()
        })]

        #[test]
        fn agrees_with_a_sorted_map_through_random_changes(
            changes in vec((0..3_u8, 0..20_u8, 0..200_u8), 0..6_000)
        ) {
            let (mut map, mut model) = (FileMap::default(), BTreeMap::new());
            for (kind, directory, file) in changes {
                let path = format!("d{directory}/f{file}");
                if kind == 0 {
                    prop_assert_eq!(map.remove(&path).is_some(), model.remove(&path).is_some());
                } else {
                    let was_there = model.insert(path.clone(), ()).is_some();
                    prop_assert_eq!(map.insert(entry(&path)).is_some(), was_there);
                }
            }
            prop_assert_eq!(map.len(), model.len());
            prop_assert!(map.iter().map(|e| e.path.as_str()).eq(model.keys().map(String::as_str)));
            let within: Vec<&str> =
                map.within(&RelPath::new("d7").expect("valid")).map(|e| e.path.as_str()).collect();
            let expected: Vec<&str> = model.keys().map(String::as_str).filter(|p| p.starts_with("d7/")).collect();
            prop_assert_eq!(within, expected);
        }
    }

    #[test]
    fn a_clone_does_not_see_later_changes() {
        let mut map = FileMap::default();
        map.insert(entry("a"));
        let before = map.clone();
        map.insert(entry("b"));
        map.remove("a");
        assert!(before.get("a").is_some() && before.get("b").is_none());
        assert_eq!(map.within(&RelPath::new("b").expect("valid")).count(), 1, "a file is within itself");
    }
}
