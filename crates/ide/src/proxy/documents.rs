//! The open documents of the editor, with their texts: they outlive every daemon. Invariant: a document whose
//! text may differ from the editor's is lost, and stays so until the editor sends its text whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use url::Url;

use crate::position::{LspRange, PositionEncoding};

/// A document of the editor that lies in a file.
#[derive(Debug)]
pub(super) struct Document {
    /// The file, with the links of its directory resolved.
    pub(super) path: PathBuf,
    /// LSP's identifier of its language.
    pub(super) language: String,
    pub(super) version: i64,
    pub(super) text: String,
    pub(super) is_lost: bool,
}

/// The open documents, by the URI that the editor uses.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) by_uri: BTreeMap<String, Document>,
}

/// `TextDocumentItem`, without what symd does not need.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentItem {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) language_id: String,
    pub(super) version: i64,
    pub(super) text: String,
}

/// `TextDocumentContentChangeEvent`; without a range the text is the whole one.
#[derive(Debug, Deserialize)]
pub(super) struct ContentChange {
    pub(super) range: Option<LspRange>,
    pub(super) text: String,
}

/// What a change did to a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Changed {
    /// The replaced bytes and their new text, one after the other.
    Parts(Vec<(usize, usize, String)>),
    /// The document has a new text, which is to be sent whole.
    Whole,
    /// The document's text is unknown; `true` if it was known before.
    Lost { is_new: bool },
}

impl Documents {
    /// Adds a document; `None` if it lies in no file.
    pub(super) fn open(&mut self, item: DocumentItem) -> Option<&Document> {
        let path = path_of(&item.uri)?;
        let DocumentItem { uri, language_id: language, version, text } = item;
        let document = Document { path, language, version, text, is_lost: false };
        Some(self.by_uri.entry(uri).insert_entry(document).into_mut())
    }

    /// Returns the URIs of all documents of a file: more than one if it is open through links too.
    pub(super) fn uris_of(&self, path: &Path) -> Vec<&str> {
        let of_path = self.by_uri.iter().filter(|(_, document)| document.path == path);
        of_path.map(|(uri, _)| uri.as_str()).collect()
    }

    /// Whether daemons may not use the text: it is unknown, or the file is open with another text too.
    pub(super) fn is_in_doubt(&self, document: &Document) -> bool {
        let differs = |other: &Document| other.is_lost || other.text != document.text;
        document.is_lost || self.by_uri.values().any(|other| other.path == document.path && differs(other))
    }
}

impl Document {
    /// Applies the changes of one `didChange`. A version that is not newer than the known one does not belong
    /// to the known text.
    pub(super) fn change(
        &mut self,
        version: Option<i64>,
        changes: Vec<ContentChange>,
        encoding: PositionEncoding,
    ) -> Changed {
        let version = version.unwrap_or(self.version.saturating_add(1));
        let whole = changes.iter().rposition(|change| change.range.is_none());
        if version <= self.version && whole != Some(0) {
            return self.lose();
        }
        if self.is_lost && whole.is_none() {
            return Changed::Lost { is_new: false };
        }
        self.version = version;
        let mut parts = Vec::new();
        for change in changes.into_iter().skip(whole.unwrap_or(0)) {
            let Some(range) = change.range else {
                self.text = change.text;
                continue;
            };
            let start = encoding.offset(&self.text, range.start);
            let end = encoding.offset(&self.text, range.end);
            let Some((start, end)) = start.zip(end).filter(|(start, end)| start <= end) else {
                return self.lose();
            };
            self.text.replace_range(start..end, &change.text);
            parts.push((start, end, change.text));
        }
        self.is_lost = false;
        if whole.is_some() { Changed::Whole } else { Changed::Parts(parts) }
    }

    /// Whether the text has a carriage return that no line feed follows: LSP ends a line there, and most editors
    /// do not.
    pub(super) fn has_bare_cr(&self) -> bool {
        let bytes = self.text.as_bytes();
        memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
    }

    fn lose(&mut self) -> Changed {
        let is_new = !std::mem::replace(&mut self.is_lost, true);
        Changed::Lost { is_new }
    }

    /// Returns the document's path beneath `root`, as the daemon names it.
    pub(super) fn beneath(&self, root: &Path) -> Option<&str> {
        self.path.strip_prefix(root).ok()?.to_str()
    }
}

/// Returns the file of a URI, with the links of its directory resolved; `None` for every other scheme, other
/// hosts, and paths that are not UTF-8.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let uri = Url::parse(uri).ok().filter(|uri| uri.scheme() == "file")?;
    let path = uri.to_file_path().ok()?;
    let path = with_links_resolved(&path).unwrap_or(path);
    path.to_str().is_some().then_some(path)
}

/// Resolves the links of a path's directory. What does not exist, such as the old name of a renamed directory, is
/// left as it is.
fn with_links_resolved(path: &Path) -> Option<PathBuf> {
    let (parent, name) = (path.parent()?, path.file_name()?);
    let resolved = parent.canonicalize().ok().or_else(|| with_links_resolved(parent));
    Some(resolved?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        let (path, language, text) = ("/p/a.py".into(), "python".to_owned(), text.to_owned());
        Document { path, language, version: 1, text, is_lost: false }
    }

    fn change(range: [u32; 4], text: &str) -> ContentChange {
        let at = |line, character| crate::position::LspPosition { line, character };
        let [a, b, c, d] = range;
        ContentChange { range: Some(LspRange { start: at(a, b), end: at(c, d) }), text: text.to_owned() }
    }

    fn whole(text: &str) -> ContentChange {
        ContentChange { range: None, text: text.to_owned() }
    }

    const UTF16: PositionEncoding = PositionEncoding::Utf16;

    #[test]
    fn changes_build_on_each_other() {
        let mut one = document("𝒳 = 1\r\nb\n");
        let changes = vec![change([0, 0, 0, 2], "yy"), change([0, 5, 1, 0], "2\r\n\r\n")];
        let parts = vec![(0, 4, "yy".to_owned()), (5, 8, "2\r\n\r\n".to_owned())];
        assert_eq!(one.change(Some(2), changes, UTF16), Changed::Parts(parts));
        assert_eq!((one.text.as_str(), one.version), ("yy = 2\r\n\r\nb\n", 2));
        let changes = vec![change([9, 9, 9, 9], "lost"), whole("x\n"), change([0, 1, 0, 1], "y")];
        assert_eq!(one.change(Some(9), changes, UTF16), Changed::Whole);
        assert_eq!(one.text, "xy\n");
    }

    #[test]
    fn what_does_not_fit_loses_the_document_until_its_text_comes_whole() {
        for (version, range) in [(Some(1), [0, 0, 0, 0]), (Some(2), [7, 0, 7, 0]), (Some(2), [1, 0, 0, 0])] {
            let mut one = document("abc\nd\n");
            assert_eq!(one.change(version, vec![change(range, "x")], UTF16), Changed::Lost { is_new: true });
            let next = vec![change([0, 0, 0, 0], "x")];
            assert_eq!(one.change(Some(5), next, UTF16), Changed::Lost { is_new: false });
            assert_eq!(one.change(Some(6), vec![whole("all")], UTF16), Changed::Whole);
            assert_eq!((one.text.as_str(), one.is_lost), ("all", false));
        }
        let mut without_versions = document("a");
        let parts = Changed::Parts(vec![(0, 0, "x".to_owned())]);
        assert_eq!(without_versions.change(None, vec![change([0, 0, 0, 0], "x")], UTF16), parts);
    }

    /// A text as lists of UTF-16 code units, one for each line with its end: written without regard to `position`.
    struct Model(Vec<u16>);

    impl Model {
        /// Returns all positions that an editor can name, with their places in the list.
        fn positions(&self) -> Vec<(u32, u32, usize)> {
            let (mut line, mut character) = (0, 0);
            let mut all = Vec::new();
            for (at, &unit) in self.0.iter().enumerate() {
                let is_second_half = (0xDC00..0xE000).contains(&unit);
                let after_cr = at > 0 && self.0[at - 1] == 13;
                if !(is_second_half || unit == 10 && after_cr) {
                    all.push((line, character, at));
                }
                let ends = unit == 10 || (unit == 13 && self.0.get(at + 1) != Some(&10));
                (line, character) = if ends { (line + 1, 0) } else { (line, character + 1) };
            }
            all.push((line, character, self.0.len()));
            all
        }
    }

    /// `SYMD_EDITOR_ROUNDS` plays more rounds.
    #[test]
    fn random_changes_give_the_text_of_a_model() {
        let rounds = std::env::var("SYMD_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let pieces = ["", "a", "é", "𝒳", "\n", "\r\n", "\r", "long enough\nfor two lines"];
        for round in 0..rounds.unwrap_or(2_000) {
            let mut model = Model("x = 1\r\né𝒳\n".encode_utf16().collect());
            let mut one = document(&String::from_utf16(&model.0).unwrap());
            let mut daemon = one.text.clone();
            for version in 2..random.i64(3..12) {
                let mut changes = Vec::new();
                for _ in 0..random.usize(1..4) {
                    let places = model.positions();
                    let (a, b) = (places[random.usize(..places.len())], places[random.usize(..places.len())]);
                    let (from, to) = if a.2 <= b.2 { (a, b) } else { (b, a) };
                    let new: String =
                        (0..random.usize(..3)).map(|_| pieces[random.usize(..pieces.len())]).collect();
                    changes.push(change([from.0, from.1, to.0, to.1], &new));
                    model.0.splice(from.2..to.2, new.encode_utf16());
                }
                let Changed::Parts(parts) = one.change(Some(version), changes, UTF16) else {
                    panic!("lost in round {round}, seed {seed}");
                };
                for (start, end, text) in parts {
                    daemon.replace_range(start..end, &text);
                }
                assert_eq!(one.text, String::from_utf16(&model.0).unwrap(), "round {round}, seed {seed}");
                assert_eq!(daemon, one.text, "round {round}, seed {seed}");
            }
        }
    }

    #[test]
    fn only_files_of_this_machine_are_documents() {
        for uri in [
            "untitled:Untitled-1",
            "git:/p/a.py",
            "jar:file:///p/a.jar!/A.class",
            "jdt://contents/A.class",
            "vscode-notebook-cell:/p/a.ipynb#1",
            "file://elsewhere/p/a.py",
            "file:///p/%FF.py",
            "no uri",
            "",
        ] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        std::fs::create_dir(at.join("a b")).unwrap();
        std::os::unix::fs::symlink(at.join("a b"), at.join("link")).unwrap();
        let uri = format!("file://{}/link/%C3%A9.py", at.display());
        assert_eq!(path_of(&uri), Some(at.join("a b/é.py")));
    }
}
