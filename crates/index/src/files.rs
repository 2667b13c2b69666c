//! The files of the project in path order, as a persistent map: a clone shares all pages, a change copies one
//! of them. Invariant: pages are never empty and know their first path; paths ascend within a page and from page to page.

use std::cmp::Ordering;
use std::sync::Arc;

use super::file::FileEntry;
use symd_base::RelPath;

/// Entries in a full page. A change copies one page of pointers and the list of pages; at 100,000 files each
/// has a few hundred elements.
const PAGE: usize = 256;

/// Map from path to file. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct FileMap {
    pages: Vec<Page>,
    len: usize,
}

/// Some entries that follow one another.
#[derive(Clone, Debug)]
struct Page {
    /// The path of the first entry: a search among thousands of pages looks at nothing else.
    first: RelPath,
    entries: Arc<Vec<Arc<FileEntry>>>,
}

impl Page {
    fn new(first: RelPath, entries: Vec<Arc<FileEntry>>) -> Page {
        Page { first, entries: Arc::new(entries) }
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.entries.iter()
    }

    /// Returns the place of `path` among the entries, or the one where it would be.
    fn find(&self, path: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path))
    }
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
        page.find(path).ok().map(|at| &page.entries[at])
    }

    /// Inserts a file, and returns the entry that it replaces.
    pub fn insert(&mut self, entry: Arc<FileEntry>) -> Option<Arc<FileEntry>> {
        let place = self.place_of(&entry, None);
        match place {
            Ok((page, at)) => {
                let page = Arc::make_mut(&mut self.pages[page].entries);
                Some(std::mem::replace(&mut page[at], entry))
            }
            Err(place) => {
                self.insert_at(place, entry);
                None
            }
        }
    }

    /// Inserts the files whose paths are not in the map. Removes those whose paths are from `files`, and returns them: the map keeps its own.
    /// Looks for each path near the one before, so files in path order are inserted faster than by [`FileMap::insert`].
    pub fn insert_new<T>(&mut self, files: &mut Vec<T>, entry: impl Fn(&T) -> &Arc<FileEntry>) -> Vec<T> {
        let mut last = None;
        let is_known = |file: &mut T| {
            let entry = entry(file);
            let place = self.place_of(entry, last);
            last = Some(place.unwrap_or_else(|place| place).0);
            place.map_err(|place| self.insert_at(place, entry.clone())).is_ok()
        };
        files.extract_if(.., is_known).collect()
    }

    /// Returns the page of an entry's path and the place in it, or those where it would be. The page is looked for at `near` first.
    fn place_of(&self, entry: &FileEntry, near: Option<usize>) -> Result<(usize, usize), (usize, usize)> {
        let path = entry.path.as_str();
        let is_within = |&page: &usize| {
            self.pages.get(page).is_some_and(|page| page.first.as_str() <= path)
                && self.pages.get(page + 1).is_none_or(|next| path < next.first.as_str())
        };
        let page = near.filter(is_within).or_else(|| self.page_of(path)).unwrap_or(0);
        let place = self.pages.get(page).map_or(Err(0), |page| page.find(path));
        place.map(|at| (page, at)).map_err(|at| (page, at))
    }

    fn insert_at(&mut self, (number, at): (usize, usize), entry: Arc<FileEntry>) {
        self.len += 1;
        if self.pages.is_empty() {
            self.pages.push(Page::new(entry.path.clone(), vec![entry]));
            return;
        }
        let Page { first, entries: page } = &mut self.pages[number];
        let page = Arc::make_mut(page);
        if at == 0 {
            *first = entry.path.clone();
        }
        page.insert(at, entry);
        if page.len() > PAGE {
            // Appending in path order, as a crawl does, fills pages; anything else halves them.
            let cut = if at + 1 == page.len() { PAGE } else { PAGE / 2 };
            let rest = page.split_off(cut);
            self.pages.insert(number + 1, Page::new(rest[0].path.clone(), rest));
        }
    }

    /// Removes the file at `path`, and returns it.
    pub fn remove(&mut self, path: &str) -> Option<Arc<FileEntry>> {
        let number = self.page_of(path)?;
        let at = self.pages[number].find(path).ok()?;
        let Page { first, entries: page } = &mut self.pages[number];
        let page = Arc::make_mut(page);
        let removed = page.remove(at);
        match page.first() {
            Some(now) => *first = now.path.clone(),
            None => drop(self.pages.remove(number)),
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
        let skipped =
            pages.first().map_or(0, |page| page.entries.partition_point(|entry| entry.path < *path));
        pages.iter().flat_map(|page| page.iter()).skip(skipped)
    }

    /// Iterates over the files that differ from those of an earlier map, in path order. Pages that both share are not looked into, so
    /// that it takes as long as the changes are many.
    pub fn changes_since<'a>(&'a self, before: &'a FileMap) -> impl Iterator<Item = EntryChange<'a>> {
        let (mut old, mut new) = (Cursor::at_start_of(before), Cursor::at_start_of(self));
        std::iter::from_fn(move || {
            loop {
                while old.skip_shared_page(&mut new) {}
                let (was, is) = match (old.entry(), new.entry()) {
                    (None, None) => return None,
                    (Some(was), Some(is)) => match was.path.cmp(&is.path) {
                        Ordering::Less => (Some(was), None),
                        Ordering::Greater => (None, Some(is)),
                        Ordering::Equal => (Some(was), Some(is)),
                    },
                    one => one,
                };
                was.is_some().then(|| old.advance());
                is.is_some().then(|| new.advance());
                if was.map(Arc::as_ptr) != is.map(Arc::as_ptr) {
                    return Some(EntryChange { before: was, after: is });
                }
            }
        })
    }

    fn starting_with(&self, prefix: String) -> impl Iterator<Item = &Arc<FileEntry>> {
        let first = self.page_of(&prefix).unwrap_or(0);
        let pages = &self.pages[first.min(self.pages.len())..];
        let before =
            |page: &Page| page.entries.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let skipped = pages.first().map_or(0, before);
        let entries = pages.iter().flat_map(|page| page.iter()).skip(skipped);
        entries.take_while(move |entry| prefix.is_empty() || entry.path.as_str().starts_with(&prefix))
    }

    /// Returns the index of the page that contains or would contain `path`; `None` when there are no pages.
    fn page_of(&self, path: &str) -> Option<usize> {
        let after = self.pages.partition_point(|page| page.first.as_str() <= path);
        if self.pages.is_empty() { None } else { Some(after.saturating_sub(1)) }
    }
}

/// A path at which two maps have different entries; at least one of them has one.
#[derive(Clone, Copy, Debug)]
pub struct EntryChange<'a> {
    pub before: Option<&'a Arc<FileEntry>>,
    pub after: Option<&'a Arc<FileEntry>>,
}

impl EntryChange<'_> {
    /// Whether both are the same bytes, read by the same grammar.
    pub fn is_of_same_text(&self) -> bool {
        self.before.zip(self.after).is_some_and(|(was, is)| {
            was.grammar() == is.grammar() && was.hash().is_some_and(|hash| is.hash() == Some(hash))
        })
    }
}

/// A place between two entries of a map.
struct Cursor<'a> {
    pages: &'a [Page],
    /// The entries of the first page that are behind it.
    passed: usize,
}

impl<'a> Cursor<'a> {
    fn at_start_of(map: &'a FileMap) -> Cursor<'a> {
        Cursor { pages: &map.pages, passed: 0 }
    }

    /// Returns the entry after it.
    fn entry(&self) -> Option<&'a Arc<FileEntry>> {
        self.pages.first()?.entries.get(self.passed)
    }

    fn advance(&mut self) {
        self.passed += 1;
        if self.pages.first().is_some_and(|page| self.passed == page.entries.len()) {
            *self = Cursor { pages: &self.pages[1..], passed: 0 };
        }
    }

    /// Moves both to the next page if they stand before the very same one.
    fn skip_shared_page(&mut self, other: &mut Cursor<'a>) -> bool {
        let is_shared = match (self.pages, other.pages) {
            ([mine, ..], [theirs, ..]) => {
                self.passed == 0 && other.passed == 0 && Arc::ptr_eq(&mine.entries, &theirs.entries)
            }
            _ => false,
        };
        if is_shared {
            self.pages = &self.pages[1..];
            other.pages = &other.pages[1..];
        }
        is_shared
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
            changes in vec((0..4_u8, 0..20_u8, 0..200_u8), 0..6_000)
        ) {
            let (mut map, mut model) = (FileMap::default(), BTreeMap::new());
            let half = changes.len() / 2;
            let mut before = map.clone();
            for (number, (kind, directory, file)) in changes.into_iter().enumerate() {
                if number == half {
                    before = map.clone();
                }
                let path = format!("d{directory}/f{file}");
                if kind == 0 {
                    prop_assert_eq!(map.remove(&path).is_some(), model.remove(&path).is_some());
                } else if kind == 1 {
                    let mut files: Vec<_> = (0..8).map(|more| entry(&format!("{path}{more}"))).collect();
                    let new: Vec<_> =
                        files.iter().filter(|file| map.get(file.path.as_str()).is_none()).cloned().collect();
                    let known = map.insert_new(&mut files, |file| file);
                    prop_assert_eq!(known.len() + files.len(), 8);
                    prop_assert!(files.iter().map(Arc::as_ptr).eq(new.iter().map(Arc::as_ptr)));
                    model.extend(files.iter().map(|file| (file.path.as_str().to_owned(), ())));
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
            prop_assert!(map.pages.iter().all(|page| page.first == page.entries[0].path));
            for from in ["a", "d", "d1/f150x", "d19", "d7/f7", "e"] {
                let found = map.from(&RelPath::new(from).expect("valid")).map(|entry| entry.path.as_str());
                let expected = model.range(from.to_owned()..).map(|(path, ())| path.as_str());
                prop_assert!(found.eq(expected), "from {from:?}");
            }
            let path_of = |change: EntryChange| change.before.or(change.after).map(|entry| entry.path.clone());
            let changed: Vec<RelPath> = map.changes_since(&before).filter_map(path_of).collect();
            let mut all: Vec<RelPath> = map.iter().chain(before.iter()).map(|entry| entry.path.clone()).collect();
            all.sort();
            all.dedup();
            let entry_in = |map: &FileMap, path: &RelPath| map.get(path.as_str()).map(Arc::as_ptr);
            all.retain(|path| entry_in(&map, path) != entry_in(&before, path));
            prop_assert_eq!(changed, all);
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
