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

    #[test]
    fn versions_may_leave_numbers_out() {
        let mut one = document("a");
        let parts = Changed::Parts(vec![(0, 0, "x".to_owned())]);
        assert_eq!(one.change(Some(7), vec![change([0, 0, 0, 0], "x")], UTF16), parts);
        assert_eq!((one.text.as_str(), one.version), ("xa", 7));
    }

    /// A text as a list of characters, written without regard to `position`.
    struct Model(Vec<char>);

    impl Model {
        fn text(&self) -> String {
            self.0.iter().collect()
        }

        /// Returns all positions that an editor can name, with their places in the list.
        fn positions(&self, encoding: PositionEncoding) -> Vec<(u32, u32, usize)> {
            let (mut line, mut character) = (0, 0);
            let mut all = Vec::new();
            for (at, &one) in self.0.iter().enumerate() {
                let after_cr = at > 0 && self.0[at - 1] == '\r';
                if !(one == '\n' && after_cr) {
                    all.push((line, character, at));
                }
                let ends = one == '\n' || (one == '\r' && self.0.get(at + 1) != Some(&'\n'));
                let units = match encoding {
                    PositionEncoding::Utf8 => u32::try_from(one.len_utf8()).unwrap(),
                    PositionEncoding::Utf16 => u32::try_from(one.len_utf16()).unwrap(),
                    PositionEncoding::Utf32 => 1,
                };
                (line, character) = if ends { (line + 1, 0) } else { (line, character + units) };
            }
            all.push((line, character, self.0.len()));
            all
        }

        fn last_line(&self) -> u32 {
            self.positions(UTF16).last().unwrap().0
        }
    }

    /// What an editor may send in a round of the model.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum PlayedChange {
        /// Parts, one after the other.
        Parts,
        /// The whole text between parts: what came before it counts for nothing.
        WholeAmongParts,
        /// Parts with a version that the text has or had.
        Stale,
        /// Parts, one of which begins after the text.
        Outside,
    }

    /// `SYMD_EDITOR_ROUNDS` plays more rounds.
    #[test]
    fn random_changes_give_the_text_of_a_model() {
        use PlayedChange::{Outside, Parts, Stale, WholeAmongParts};
        let rounds = std::env::var("SYMD_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let pieces = ["", "a", "é", "𝒳", "\n", "\r\n", "\r", "long enough\nfor two lines"];
        for round in 0..rounds.unwrap_or(2_000) {
            let told = format!("round {round}, seed {seed}");
            let encoding = [PositionEncoding::Utf8, UTF16, PositionEncoding::Utf32][random.usize(..3)];
            let mut model = Model("x = 1\r\né𝒳\n".chars().collect());
            let mut one = document(&model.text());
            let mut daemon = one.text.clone();
            let mut version = 1;
            for _ in 0..random.usize(1..12) {
                let played = match random.u32(..20) {
                    0 => Stale,
                    1 => Outside,
                    2..6 => WholeAmongParts,
                    _ => Parts,
                };
                let was_lost = one.is_lost;
                let before = model.text();
                let mut changes = Vec::new();
                let count = random.usize(1..4);
                let special = random.usize(..count);
                for number in 0..count {
                    let new: String =
                        (0..random.usize(..3)).map(|_| pieces[random.usize(..pieces.len())]).collect();
                    if played == WholeAmongParts && number == special {
                        model.0 = new.chars().collect();
                        changes.push(whole(&new));
                        continue;
                    }
                    if played == Outside && number == special {
                        let line = model.last_line() + random.u32(1..3);
                        changes.push(change([line, 1, line, 1], &new));
                        continue;
                    }
                    let places = model.positions(encoding);
                    let (a, b) = (places[random.usize(..places.len())], places[random.usize(..places.len())]);
                    let (from, to) = if a.2 <= b.2 { (a, b) } else { (b, a) };
                    changes.push(change([from.0, from.1, to.0, to.1], &new));
                    model.0.splice(from.2..to.2, new.chars());
                }
                // Versions may leave numbers out.
                let next =
                    if played == Stale { version - random.i64(0..2) } else { version + random.i64(1..4) };
                let changed = one.change(Some(next), changes, encoding);
                let is_whole = played == WholeAmongParts;
                if played == Stale || played == Outside || was_lost && !is_whole {
                    assert_eq!(changed, Changed::Lost { is_new: !was_lost }, "{told}");
                    assert!(one.is_lost, "{told}");
                    model.0 = before.chars().collect();
                    version = one.version;
                    continue;
                }
                version = next;
                match changed {
                    Changed::Parts(parts) if !is_whole => {
                        for (start, end, text) in parts {
                            daemon.replace_range(start..end, &text);
                        }
                    }
                    Changed::Whole if is_whole => one.text.clone_into(&mut daemon),
                    changed => panic!("{changed:?} for {played:?} in {told}"),
                }
                assert_eq!(one.text, model.text(), "{told}");
                assert_eq!((&daemon, one.version, one.is_lost), (&one.text, version, false), "{told}");
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
