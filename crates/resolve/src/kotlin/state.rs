//! What one question found out about all Kotlin files of a project, for the next question on the same files.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::family::{Family, has_types, is_jvm};
use crate::jvm::names::file_class_name;
use crate::kotlin::project::profile;
use crate::sources::Sources;
use symd_base::RelPath;
use symd_index::FileEntry;
use symd_types::kotlin::{FileKey, KotlinFindings};

/// What was found out. It belongs to one snapshot of all files, and to one reading of the build files; the default knows nothing.
#[derive(Debug, Default)]
pub struct KotlinState {
    pub(crate) files: Option<Arc<KotlinFiles>>,
    pub(crate) findings: KotlinFindings,
}

impl KotlinState {
    /// Returns about how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let paths = self.files.as_ref().map_or(0, |files| files.paths.len() * BYTES_OF_PATH);
        self.findings.memory() + paths
    }
}

/// About what a path takes in its list and its map; its text is the index's.
const BYTES_OF_PATH: usize = 64;

/// The Kotlin files of a snapshot, each with a key.
#[derive(Debug)]
pub(crate) struct KotlinFiles {
    /// The files that are Kotlin by their paths; one that was not parsed has no entry.
    pub(crate) paths: Vec<RelPath>,
    keys: HashMap<RelPath, FileKey>,
    /// Whether there are Java files, whose declarations `types` does not know.
    pub(crate) has_java: bool,
    /// Those of them that are known.
    java: OnceLock<Vec<Arc<FileEntry>>>,
    /// The packages that files of Kotlin and Java declare, of those that are known.
    packages: OnceLock<HashSet<String>>,
    /// The names of the functions of known Kotlin files that hold [`CONTRACT_WORD`].
    contracted: OnceLock<HashSet<String>>,
    /// The keys of the files, by the name that the class of a file's functions has unless an annotation gives another.
    by_class: OnceLock<HashMap<String, Vec<FileKey>>>,
}

impl KotlinFiles {
    pub(crate) fn new(sources: &dyn Sources) -> KotlinFiles {
        let (mut paths, mut has_java) = (Vec::new(), false);
        for path in sources.snapshot().files.paths_within(&RelPath::root()) {
            match profile(sources, path).filter(|language| language.family == Family::Jvm) {
                Some(language) if language.has_types => paths.push(path.clone()),
                Some(_) => has_java = true,
                None => {}
            }
        }
        KotlinFiles {
            keys: paths.iter().cloned().zip(0..).collect(),
            paths,
            has_java,
            java: OnceLock::new(),
            packages: OnceLock::new(),
            contracted: OnceLock::new(),
            by_class: OnceLock::new(),
        }
    }

    /// Returns the key of a Kotlin file of the snapshot.
    pub(crate) fn key(&self, path: &RelPath) -> Option<FileKey> {
        self.keys.get(path).copied()
    }

    /// Iterates over the files whose functions Java finds in a class of this name, unless an annotation gives another.
    pub(crate) fn with_class_named(&self, class: &str) -> impl Iterator<Item = &RelPath> {
        let by_class = self.by_class.get_or_init(|| {
            let mut by_class: HashMap<String, Vec<FileKey>> = HashMap::new();
            for (path, key) in self.paths.iter().zip(0..) {
                by_class.entry(file_class_name(path)).or_default().push(key);
            }
            by_class
        });
        let keys = by_class.get(class).into_iter().flatten();
        keys.filter_map(|&key| self.paths.get(key as usize))
    }

    /// Returns the Java files that are known.
    pub(crate) fn java(&self, sources: &dyn Sources) -> &[Arc<FileEntry>] {
        self.java.get_or_init(|| {
            let known = sources.snapshot().files.known_within(&RelPath::root());
            known.filter(|file| is_java(file)).cloned().collect()
        })
    }

    /// Returns the packages that known files of Kotlin and Java declare.
    pub(crate) fn packages(&self, sources: &dyn Sources) -> &HashSet<String> {
        self.packages.get_or_init(|| {
            let known = sources.snapshot().files.known_within(&RelPath::root());
            known.filter(|file| is_jvm(file)).filter_map(|file| file.imports()?.package()).collect()
        })
    }

    /// Returns the names of the functions of known Kotlin files that hold [`CONTRACT_WORD`].
    pub(crate) fn contracted(&self, sources: &dyn Sources) -> &HashSet<String> {
        self.contracted.get_or_init(|| {
            let known = sources.snapshot().files.known_within(&RelPath::root());
            let holding = known.filter(|file| has_types(file) && file.holds(CONTRACT_WORD));
            let outlines = holding.filter_map(|file| file.outline());
            let functions = outlines.flat_map(|outline| {
                let callable = outline.rows.iter().filter(|row| row.kind().is_callable());
                callable.map(|row| outline.name(row).to_owned())
            });
            functions.collect()
        })
    }
}

/// A word that a contract holds which shows the type of a value.
pub(crate) const CONTRACT_WORD: &str = "implies";

pub(crate) fn is_java(file: &FileEntry) -> bool {
    is_jvm(file) && !has_types(file)
}
