//! What is configured for one project: its languages, all layers merged, and whether it is trusted. Reads the user's
//! file through `base::state` and the project's beneath its root, each once: what is trusted is what is used.

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

/// The project's own languages.toml; the user's has the same shape.
const PROJECT_FILE: &str = COMMAND_FILES[0];

/// Bytes of a project's file of configuration: the built-in one has 50,000. A longer one is not used.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What is configured for one project.
#[derive(Clone, Debug)]
pub struct Setup {
    /// All layers of languages.toml merged.
    pub languages: Arc<Languages>,
    /// Whether the project's own code may run.
    pub trust: Trust,
    /// What of the project's files is not in effect, and why.
    pub notes: Vec<Note>,
    /// What the files that trust is bound to hold.
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
    /// What would be in effect if the project were trusted with its files as they were read.
    pub fn if_trusted(&self) -> Result<Loaded, LanguagesError> {
        self.texts.load(&Trust::Trusted)
    }

    /// The project's languages.toml, if it has one that can be read.
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
    /// The user's file is wrong.
    #[error("{0}; correct it, or remove the file to use the built-in languages")]
    Languages(#[from] LanguagesError),
    /// The project's root cannot be opened.
    #[error("cannot open the project root {}: {source}", path.display())]
    Root {
        /// Which root.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The user's languages.toml in the configuration directory `config`.
pub fn user_file(config: &Path) -> PathBuf {
    config.join("languages.toml")
}

/// Reads what is configured for the project of `place`; `config` is the user's configuration directory.
pub fn load(config: &Path, place: &DaemonPaths) -> Result<Setup, SetupError> {
    let path = user_file(config);
    let user = state::read_file(&path)?;
    // A byte that is not UTF-8 becomes one that TOML refuses, with its line.
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

/// The bytes of a file of the project; `None` when there is none. A link is not followed: it could be pointed
/// elsewhere after a look at it.
fn read(root: &Root, file: &str) -> Result<Option<Vec<u8>>, VfsError> {
    let Ok(path) = RelPath::new(file) else { return Ok(None) };
    match root.read_unlinked(&path, MAX_FILE_BYTES) {
        Ok(file) => Ok(Some(file.bytes)),
        Err(VfsError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A grammar that this binary has not got is no error: another version may have it.
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
