//! Texts that are parsed no more, because twice a worker ended over them. Kept in symd's state, so that no later start
//! tries again; a text is known by its content and by what would parse it, so that a changed file, and a symd with another
//! grammar, begin anew. Invariant: what cannot be read back is forgotten, never believed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use symd_base::state;
use symd_base::{ContentHash, RelPath};
use symd_index::cache::Key;
use symd_syntax::Grammar;

/// Texts kept. When it is full the one that came first goes: it is tried again when it is met.
const KEPT: usize = 4096;
/// Bytes of the file that are read back.
const LONGEST: u64 = 4 << 20;
/// The first line of the file; another one makes it another's.
const HEADER: &str = "symd quarantine 1";

/// A text that is parsed no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Which text.
    pub key: Key,
    /// The grammar that it would be parsed with.
    pub grammar: String,
    /// What it did.
    pub why: String,
}

/// All of them.
#[derive(Debug)]
pub struct Quarantine {
    file: Option<PathBuf>,
    texts: Mutex<Texts>,
}

#[derive(Debug, Default)]
struct Texts {
    /// In the order in which they came.
    kept: Vec<Quarantined>,
    /// Those over which a worker ended once.
    suspected: BTreeMap<Key, String>,
    /// Where they were met in this project, and what they did.
    places: BTreeMap<RelPath, String>,
}

impl Quarantine {
    /// Reads what an earlier daemon kept in `file`; `None` keeps nothing beyond this one.
    pub fn open(file: Option<PathBuf>) -> Quarantine {
        let bytes = file.as_deref().and_then(|file| match state::read_private(file, LONGEST) {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::warn!(%error, "what is quarantined is not known; such files are tried again");
                None
            }
        });
        let kept = bytes.map(|bytes| read(&String::from_utf8_lossy(&bytes))).unwrap_or_default();
        Quarantine { file, texts: Mutex::new(Texts { kept, ..Texts::default() }) }
    }

    /// Why a text is parsed no more; `None` where it is parsed.
    pub fn why(&self, key: Key) -> Option<String> {
        let texts = self.lock();
        texts.kept.iter().find(|one| one.key == key).map(|one| one.why.clone())
    }

    /// All of them, in the order in which they came.
    pub fn list(&self) -> Vec<Quarantined> {
        self.lock().kept.clone()
    }

    /// The file at `path` is one of them.
    pub(super) fn met(&self, path: &RelPath, why: String) {
        let mut texts = self.lock();
        if texts.places.len() >= KEPT && !texts.places.contains_key(path) {
            texts.places.pop_first();
        }
        texts.places.insert(path.clone(), why);
    }

    /// What the file at `path` did, when it was met last.
    pub(super) fn why_of(&self, path: &RelPath) -> Option<String> {
        self.lock().places.get(path).cloned()
    }

    /// Lets all be tried again.
    pub fn lift(&self) {
        let mut texts = self.lock();
        texts.kept.clear();
        texts.suspected.clear();
        texts.places.clear();
        self.write(&texts);
    }

    /// A worker ended over this text: the second time it is kept. Whether it is.
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
        tracing::warn!(%grammar, %why, "a text is parsed no more; `symd status` names the file");
        texts.kept.push(Quarantined { key, grammar, why });
        self.write(&texts);
        true
    }

    /// It was parsed after all.
    pub(super) fn acquit(&self, key: Key) {
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
            tracing::warn!(%error, "what is quarantined is not kept; the next start tries it again");
        }
    }
}

fn read(text: &str) -> Vec<Quarantined> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Vec::new();
    }
    let mut kept: Vec<Quarantined> = lines.filter_map(one).collect();
    // Another grammar may get through.
    kept.retain(|one| Grammar::named(&one.grammar).is_some_and(|g| g.fingerprint() == one.key.fingerprint));
    kept.truncate(KEPT);
    kept
}

fn one(line: &str) -> Option<Quarantined> {
    let mut parts = line.splitn(4, ' ');
    let content = ContentHash::read(parts.next()?)?;
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
        quarantine.acquit(good);
        assert!(!quarantine.blame(good, kotlin, "first again"), "it was parsed in between");
        assert_eq!(quarantine.why(bad), None);
        assert!(quarantine.blame(bad, kotlin, "second,\nwith a line break"));
        let again = Quarantine::open(Some(file.clone()));
        assert_eq!(again.why(bad).as_deref(), Some("second, with a line break"));
        assert_eq!((again.why(good), again.list().len()), (None, 1));
        again.lift();
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
