//! The configuration of one project: its languages, with all layers merged, and its trust. Reads the user's
//! file through `base::state` and the project's files beneath its root, each once, so that the files that
//! were checked for trust are the files that are used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::DaemonPaths;
use symd_base::RelPath;
use symd_base::state::{self, StateError};
use symd_config::layers::printable;
use symd_config::trust::{COMMAND_FILES, CommandFiles};
use symd_config::{Languages, LanguagesError, LayerText, Loaded, Note, Trust};
use symd_syntax::Grammar;
use symd_vfs::{Root, VfsError};

/// The path of the project's languages.toml; the user's has the same format.
const PROJECT_FILE: &str = COMMAND_FILES[0];

/// The largest configuration file of a project, in bytes (the built-in languages.toml has 50,000). A larger
/// one is ignored.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The configuration of one project.
#[derive(Clone, Debug)]
pub struct Setup {
    /// All layers of languages.toml merged.
    pub languages: Arc<Languages>,
    /// Whether the project's own code may run.
    pub trust: Trust,
    /// Parts of the project's files that are not in effect, and why.
    pub notes: Vec<Note>,
    /// The contents of the files that trust is bound to.
    pub files: CommandFiles,
    texts: Texts,
}

/// The files as they were read.
#[derive(Clone, Debug)]
struct Texts {
    user: Option<String>,
    user_path: String,
    project: Option<String>,
}

impl Texts {
    fn load(&self, trust: &Trust) -> Result<Loaded, LanguagesError> {
        let user = self.user.as_deref().map(|text| LayerText { file: &self.user_path, text });
        Languages::load(user, self.project(), trust)
    }

    fn project(&self) -> Option<LayerText<'_>> {
        self.project.as_deref().map(|text| LayerText { file: PROJECT_FILE, text })
    }
}

impl Setup {
    /// Returns the configuration that would be in effect if the project were trusted with its files as they
    /// were read.
    pub fn if_trusted(&self) -> Result<Loaded, LanguagesError> {
        self.texts.load(&Trust::Trusted)
    }

    /// Returns the project's languages.toml, if it exists and can be read.
    pub fn project_file(&self) -> Option<LayerText<'_>> {
        self.texts.project()
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The user's file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] StateError),
    /// The user's file is invalid.
    #[error("{0}; correct it, or remove the file to use the built-in languages")]
    Languages(#[from] LanguagesError),
    /// The project's root cannot be opened.
    #[error("cannot open the project root {}: {source}", path.display())]
    Root {
        /// The root.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}

/// Returns the path of the user's languages.toml in the configuration directory `config`.
pub fn user_file(config: &Path) -> PathBuf {
    config.join("languages.toml")
}

/// Reads the configuration of the project of `place`; `config` is the user's configuration directory.
pub fn load(config: &Path, place: &DaemonPaths) -> Result<Setup, SetupError> {
    let path = user_file(config);
    let user = state::read_file(&path)?;
    // Invalid UTF-8 becomes U+FFFD, which TOML rejects with a line number.
    let user = user.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let root =
        Root::open(&place.root).map_err(|source| SetupError::Root { path: place.root.clone(), source })?;
    let mut notes = Vec::new();
    let mut project = None;
    let files = CommandFiles::read(|file| {
        let read = read(&root, file).inspect_err(|why| {
            notes.push(Note {
                file: file.to_owned(),
                what: "the whole file".to_owned(),
                why: why.to_string(),
            });
        })?;
        if file == PROJECT_FILE {
            project = read.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        }
        Ok::<_, VfsError>(read)
    });
    let trust = Trust::of(&place.state, &place.root, &files);
    let texts = Texts { user, user_path: path.display().to_string(), project };
    let loaded = texts.load(&trust)?;
    notes.extend(loaded.notes);
    notes.extend(without_grammar(&loaded.languages));
    Ok(Setup { languages: loaded.languages, trust, notes, files, texts })
}

/// Returns the bytes of a file of the project; `None` if it is missing. Does not follow a symlink, which
/// could be redirected after it was checked.
fn read(root: &Root, file: &str) -> Result<Option<Vec<u8>>, VfsError> {
    let Ok(path) = RelPath::new(file) else { return Ok(None) };
    match root.read_no_follow(&path, MAX_FILE_BYTES) {
        Ok(file) => Ok(Some(file.bytes)),
        Err(VfsError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns notes about grammars that this binary lacks. That is not an error: another version may have them.
fn without_grammar(languages: &Languages) -> Vec<Note> {
    let unknown = |language: &symd_config::Language| {
        let grammar = language.grammar.as_deref().filter(|grammar| Grammar::named(grammar).is_none())?;
        Some(Note {
            file: "languages.toml".to_owned(),
            what: printable(&format!("{}'s grammar {grammar:?}", language.name)),
            why: "this symd has no grammar of that name".to_owned(),
        })
    };
    languages.all().filter_map(|(_, language)| unknown(language)).collect()
}
