//! Quarantine: texts that are no longer parsed, because a worker failed on them twice. Stored in symd's
//! state, so that no later start tries them again. A text is identified by its content and its grammar's
//! fingerprint, so a changed file or a changed grammar is tried again. Invariant: entries that cannot be read
//! are dropped, never trusted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use symd_base::state;
use symd_base::{ContentHash, RelPath};
use symd_index::cache::Key;
use symd_syntax::Grammar;

/// Maximum number of texts. When it is reached the oldest is dropped, and tried again when it is next found.
const KEPT: usize = 4096;
/// Maximum number of bytes that are read from the file.
const LONGEST: u64 = 4 << 20;
/// The first line of the file; a file with another first line is ignored.
const HEADER: &str = "symd quarantine 1";

/// A text that is no longer parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub key: Key,
    /// The grammar for which the text is quarantined.
    pub grammar: String,
    /// The failure that it caused.
    pub why: String,
}

/// The quarantined texts.
#[derive(Debug)]
pub struct Quarantine {
    file: Option<PathBuf>,
    texts: Mutex<Texts>,
}

#[derive(Debug, Default)]
struct Texts {
    /// In the order in which they were added.
    kept: Vec<Quarantined>,
    /// Texts on which a worker failed once.
    suspected: BTreeMap<Key, String>,
    /// Paths in this project of quarantined files, with their failures.
    places: BTreeMap<RelPath, String>,
}

impl Quarantine {
    /// Reads the entries that an earlier daemon stored in `file`; with `None` the quarantine is not stored.
    pub fn open(file: Option<PathBuf>) -> Quarantine {
        let bytes = file.as_deref().and_then(|file| match state::read_private(file, LONGEST) {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::warn!(%error, "cannot read the quarantine; its files are tried again");
                None
            }
        });
        let kept = bytes.map(|bytes| read(&String::from_utf8_lossy(&bytes))).unwrap_or_default();
        Quarantine { file, texts: Mutex::new(Texts { kept, ..Texts::default() }) }
    }

    /// Returns why a text is quarantined, or `None` if it is not.
    pub fn why(&self, key: Key) -> Option<String> {
        let texts = self.lock();
        texts.kept.iter().find(|one| one.key == key).map(|one| one.why.clone())
    }

    /// Returns all entries, in the order in which they were added.
    pub fn list(&self) -> Vec<Quarantined> {
        self.lock().kept.clone()
    }

    /// Records that the file at `path` is quarantined.
    pub(super) fn record_path(&self, path: &RelPath, why: String) {
        let mut texts = self.lock();
        if texts.places.len() >= KEPT && !texts.places.contains_key(path) {
            texts.places.pop_first();
        }
        texts.places.insert(path.clone(), why);
    }

    /// Returns the most recent failure of the file at `path`.
    pub(super) fn why_of(&self, path: &RelPath) -> Option<String> {
        self.lock().places.get(path).cloned()
    }

    /// Clears the quarantine, so that all texts are tried again.
    pub fn clear(&self) {
        let mut texts = self.lock();
        texts.kept.clear();
        texts.suspected.clear();
        texts.places.clear();
        self.write(&texts);
    }

    /// Records that a worker failed on this text, and quarantines it the second time. Returns whether it is
    /// now quarantined.
    pub(super) fn blame(&self, key: Key, grammar: Grammar, why: &str) -> bool {
        let mut texts = self.lock();
        if texts.suspected.remove(&key).is_none() {
            if texts.suspected.len() >= KEPT {
                texts.suspected.pop_first();
            }
            texts.suspected.insert(key, why.to_owned());
            return false;
        }
        if texts.kept.len() >= KEPT {
            texts.kept.remove(0);
        }
        let (grammar, why) = (grammar.name().to_owned(), why.replace(char::is_control, " "));
        tracing::warn!(%grammar, %why, "a text is quarantined; `symd status` names the file");
        texts.kept.push(Quarantined { key, grammar, why });
        self.write(&texts);
        true
    }

    /// Records that the text was parsed successfully.
    pub(super) fn clear_suspicion(&self, key: Key) {
        self.lock().suspected.remove(&key);
    }

    fn lock(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, texts: &Texts) {
        let Some(file) = &self.file else { return };
        let line = |one: &Quarantined| {
            format!("{} {:016x} {} {}\n", one.key.content, one.key.fingerprint, one.grammar, one.why)
        };
        let text: String = [format!("{HEADER}\n")].into_iter().chain(texts.kept.iter().map(line)).collect();
        if let Err(error) = state::replace_file(file, &[text.as_bytes()]) {
            tracing::warn!(%error, "cannot save the quarantine; the next start tries its files again");
        }
    }
}

fn read(text: &str) -> Vec<Quarantined> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Vec::new();
    }
    let mut kept: Vec<Quarantined> = lines.filter_map(one).collect();
    // Another version of the grammar may succeed.
    kept.retain(|one| Grammar::named(&one.grammar).is_some_and(|g| g.fingerprint() == one.key.fingerprint));
    kept.truncate(KEPT);
    kept
}

fn one(line: &str) -> Option<Quarantined> {
    let mut parts = line.splitn(4, ' ');
    let content = ContentHash::parse(parts.next()?)?;
    let fingerprint = u64::from_str_radix(parts.next()?, 16).ok()?;
    let (grammar, why) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    Some(Quarantined { key: Key { content, fingerprint }, grammar, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(grammar: Grammar, text: &str) -> Key {
        Key { content: ContentHash::of(text.as_bytes()), fingerprint: grammar.fingerprint() }
    }

    #[test]
    fn the_second_blame_counts_and_survives_a_restart_until_it_is_lifted() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = scratch.path().join("quarantine");
        let kotlin = Grammar::named("kotlin").expect("known");
        let (bad, good) = (key(kotlin, "bad"), key(kotlin, "good"));
        let quarantine = Quarantine::open(Some(file.clone()));
        assert!(!quarantine.blame(bad, kotlin, "first"));
        assert!(!quarantine.blame(good, kotlin, "first"));
        quarantine.clear_suspicion(good);
        assert!(!quarantine.blame(good, kotlin, "first again"), "it was parsed in between");
        assert_eq!(quarantine.why(bad), None);
        assert!(quarantine.blame(bad, kotlin, "second,\nwith a line break"));
        let again = Quarantine::open(Some(file.clone()));
        assert_eq!(again.why(bad).as_deref(), Some("second, with a line break"));
        assert_eq!((again.why(good), again.list().len()), (None, 1));
        again.clear();
        assert_eq!(again.why(bad), None);
        assert_eq!(Quarantine::open(Some(file)).list(), []);
    }

    #[test]
    fn what_another_grammar_did_or_nobody_wrote_is_forgotten() {
        let python = Grammar::named("python").expect("known");
        let line =
            |fingerprint: u64| format!("{HEADER}\n{} {fingerprint:016x} python why\n", ContentHash::of(b"x"));
        assert_eq!(read(&line(python.fingerprint())).len(), 1);
        assert_eq!(read(&line(python.fingerprint() ^ 1)), []);
        assert_eq!(read(&line(python.fingerprint()).replace("quarantine 1", "quarantine 2")), []);
        for junk in ["", "\n", HEADER, &format!("{HEADER}\nx y z\n"), &format!("{HEADER}\né é é é\n")] {
            assert_eq!(read(junk), []);
        }
    }
}
