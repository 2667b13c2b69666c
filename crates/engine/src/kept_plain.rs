//! What is known of plain files, whose content the index does not have: which of them are in a language, and which words they lack.
//! Invariant: that a file lacks words is used only until a change of it is told, which is before the next question's barrier arrives.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::RelPath;
use symd_config::{LanguageId, Languages};
use symd_index::NeededWords;

/// Maximum number of questions for whose words it is kept which files lack them.
const MAX_WORDS: usize = 16;
/// Maximum number of files that are kept for the same words.
const MAX_FILES: usize = 4_096;

/// A listed file of a language without a grammar, and that language.
pub type PlainFile = (RelPath, LanguageId);

/// What is kept for the next questions. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptPlain(Arc<Mutex<PlainFacts>>);

#[derive(Debug, Default)]
struct PlainFacts {
    /// The files, with the number of changes of their set and the languages by which they were listed.
    files: Option<(u64, Arc<Languages>, Arc<[PlainFile]>)>,
    /// Number of changes of contents that were told.
    changes: u64,
    /// Files that lack some words. The oldest first.
    lacking: VecDeque<(NeededWords, HashSet<RelPath>)>,
}

impl KeptPlain {
    /// Returns the plain files as of so many changes of their set, from `list` if they are not kept.
    pub(super) fn files(
        &self,
        set_changes: u64,
        languages: &Arc<Languages>,
        list: impl FnOnce() -> Vec<PlainFile>,
    ) -> Arc<[PlainFile]> {
        if let Some((of, by, files)) = &self.locked().files
            && *of == set_changes
            && Arc::ptr_eq(by, languages)
        {
            return files.clone();
        }
        let files: Arc<[PlainFile]> = list().into();
        self.locked().files = Some((set_changes, languages.clone(), files.clone()));
        files
    }

    /// Notes that a file was changed.
    pub(super) fn changed(&self, path: &RelPath) {
        let mut kept = self.locked();
        kept.changes += 1;
        for (_, files) in &mut kept.lacking {
            files.remove(path);
        }
    }

    /// Notes that files at or beneath a path may have been changed.
    pub(super) fn changed_within(&self, path: &RelPath) {
        let mut kept = self.locked();
        kept.changes += 1;
        kept.lacking.iter_mut().for_each(|(_, files)| files.retain(|file| !file.is_within(path)));
    }

    /// Returns the number of changes that were noted.
    pub(super) fn changes(&self) -> u64 {
        self.locked().changes
    }

    /// Removes the files that are known to lack the words.
    pub(super) fn remove_lacking(&self, words: &NeededWords, files: &mut Vec<PlainFile>) {
        let kept = self.locked();
        if let Some((_, lacking)) = kept.lacking.iter().find(|(of, _)| of == words) {
            files.retain(|(path, _)| !lacking.contains(path));
        }
    }

    /// Keeps that files lack the words, which were read after so many changes; keeps nothing if more were noted meanwhile.
    pub(super) fn keep_lacking(&self, words: &NeededWords, changes: u64, files: Vec<RelPath>) {
        let mut kept = self.locked();
        if kept.changes != changes || files.is_empty() {
            return;
        }
        let known = kept.lacking.iter().position(|(of, _)| of == words);
        let mut lacking =
            known.and_then(|at| kept.lacking.remove(at)).unwrap_or((words.clone(), HashSet::new()));
        if lacking.1.len() + files.len() <= MAX_FILES {
            lacking.1.extend(files);
        }
        kept.lacking.push_back(lacking);
        if kept.lacking.len() > MAX_WORDS {
            kept.lacking.pop_front();
        }
    }

    /// Lets go of what files lack.
    pub(super) fn clear(&self) {
        self.locked().lacking.clear();
    }

    fn locked(&self) -> MutexGuard<'_, PlainFacts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect("a path")
    }

    /// Returns which of the files are not known to lack the words.
    fn left(kept: &KeptPlain, words: &NeededWords, files: &[&str]) -> Vec<String> {
        let language = Languages::builtin().all().next().expect("a language").0;
        let mut files: Vec<PlainFile> = files.iter().map(|file| (path(file), language)).collect();
        kept.remove_lacking(words, &mut files);
        files.iter().map(|(path, _)| path.as_str().to_owned()).collect()
    }

    #[test]
    fn a_file_lacks_words_until_it_changes() {
        let kept = KeptPlain::default();
        let (run, stop) = (NeededWords::of_name("run"), NeededWords::of_name("stop"));
        let all = ["a.html", "b.html", "in/c.css"];
        kept.keep_lacking(&run, kept.changes(), all.map(path).to_vec());
        assert_eq!(left(&kept, &run, &all), Vec::<String>::new());
        assert_eq!(left(&kept, &stop, &all), all, "other words");
        kept.changed(&path("a.html"));
        assert_eq!(left(&kept, &run, &all), ["a.html"]);
        kept.changed_within(&path("in"));
        assert_eq!(left(&kept, &run, &all), ["a.html", "in/c.css"]);
        kept.clear();
        assert_eq!(left(&kept, &run, &all), all);
    }

    #[test]
    fn what_was_read_before_a_change_was_told_is_not_kept() {
        let kept = KeptPlain::default();
        let run = NeededWords::of_name("run");
        let before = kept.changes();
        kept.changed(&path("other.html"));
        kept.keep_lacking(&run, before, vec![path("a.html")]);
        assert_eq!(left(&kept, &run, &["a.html"]), ["a.html"]);
    }

    #[test]
    fn as_many_words_and_files_are_kept_as_there_is_room_for() {
        let kept = KeptPlain::default();
        let words = |number: usize| NeededWords::of_name(&format!("name{number}"));
        (0..=MAX_WORDS).for_each(|number| kept.keep_lacking(&words(number), 0, vec![path("a.css")]));
        assert_eq!(left(&kept, &words(0), &["a.css"]), ["a.css"]);
        assert!(left(&kept, &words(1), &["a.css"]).is_empty());
        let many = (0..MAX_FILES).map(|number| path(&format!("{number}.css"))).collect();
        kept.keep_lacking(&words(1), 0, many);
        assert_eq!(left(&kept, &words(1), &["a.css", "0.css"]), ["0.css"]);
    }

    #[test]
    fn the_list_is_made_again_when_the_set_or_the_languages_change() {
        let kept = KeptPlain::default();
        let languages = Languages::builtin().clone();
        let id = languages.all().next().expect("a language").0;
        let files =
            |changes, name: &str| kept.files(changes, &languages, || vec![(path(name), id)])[0].0.clone();
        assert_eq!(files(1, "a.html"), path("a.html"));
        assert_eq!(files(1, "b.html"), path("a.html"));
        assert_eq!(files(2, "b.html"), path("b.html"));
    }
}
