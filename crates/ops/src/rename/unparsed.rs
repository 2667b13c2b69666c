//! Files of the symbol's language that symd does not parse: too large, not text, unreadable. Their bytes are
//! searched for the name, so that a rename that omits them is not called complete. Invariant: a file that may
//! hold the name is listed, or named as one that could not be read.

use memchr::memmem;

use super::answer::Listed;
use crate::spot::Source;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextRange};
use symd_config::LanguageId;
use symd_engine::View;
use symd_index::{Content, NeededWords};
use symd_resolve::{self as resolve, AccessorPlace};
use symd_vfs::MAX_FILE_BYTES;

/// Maximum number of characters kept of a line.
const LINE_CHARS: usize = 160;

/// Maximum number of places kept of one file: naming the file is enough.
const MAX_OF_FILE: usize = 20;

/// The findings in these files.
#[derive(Clone, Debug, Default)]
pub(super) struct UnparsedMentions {
    /// Places of the name as a word, in path order.
    pub(super) places: Vec<Listed>,
    /// Files that could not be searched, and directories that could not be listed, each with the reason.
    pub(super) unread: Vec<(RelPath, String)>,
    /// Calls in Java of a Kotlin property's accessors, each with its line.
    pub(super) accessors: Vec<(AccessorPlace, Listed)>,
}

impl UnparsedMentions {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.unread.is_empty()
    }

    /// Returns the findings with calls of accessors among the places.
    pub(super) fn with_accessors(mut self) -> UnparsedMentions {
        let accessors = std::mem::take(&mut self.accessors);
        self.places.extend(accessors.into_iter().map(|(_, line)| line));
        self
    }

    /// Returns a clause with the files that could not be read; empty if all could.
    pub(super) fn unread_text(&self) -> String {
        let files: Vec<String> = self.unread.iter().map(|(path, why)| format!("{path} ({why})")).collect();
        if files.is_empty() { String::new() } else { format!("; could not be read: {}", files.join(", ")) }
    }
}

/// Searches the files that may hold the target's name and are not parsed.
pub(super) fn unseen(
    view: &View,
    target: &Target,
    members: &[Target],
    cancel: &Cancel,
) -> Result<UnparsedMentions, Cancelled> {
    let mut found = UnparsedMentions::default();
    let is_local = |row: &symd_syntax::Row| row.is_local();
    let rows = target.file.outline().and_then(|outline| outline.rows.get(target.row));
    if rows.is_some_and(is_local) {
        return Ok(found);
    }
    for file in view.snapshot.skipped_with(&[NeededWords::of_name(&target.name)], &RelPath::root()) {
        if !matches!(file.content, Content::Skipped { .. })
            || !is_kin(view, target, view.languages.language_of(&file.path))
        {
            continue;
        }
        cancel.check()?;
        match view.files.read_no_follow(&file.path, MAX_FILE_BYTES) {
            Ok(read) => places(&file.path, read.bytes, &target.name, &mut found.places),
            Err(error) => found.unread.push((file.path.clone(), error.to_string())),
        }
    }
    let mut accessors: Vec<AccessorPlace> = Vec::new();
    for member in members {
        accessors.extend(resolve::accessor_places(view, &member.resolved(), cancel)?);
    }
    // What is certain for one member is so for all.
    accessors.sort_by(|a, b| {
        (&a.path, a.range.start, !a.is_certain).cmp(&(&b.path, b.range.start, !b.is_certain))
    });
    accessors.dedup_by(|a, b| a.path == b.path && a.range == b.range);
    for one in accessors {
        let Some(line) = place_in(view, &one.path, one.range) else { continue };
        match one.is_certain {
            true => found.accessors.push((one, line)),
            false => found.places.push(line),
        }
    }
    let unlisted = view.snapshot.unlisted.iter();
    found.unread.extend(unlisted.map(|(directory, why)| (directory.clone(), why.clone())));
    Ok(found)
}

/// Returns a place in a parsed file where the symbol has another name: Kotlin's `solo` is Java's `getSolo()`.
fn place_in(view: &View, path: &RelPath, range: TextRange) -> Option<Listed> {
    let source = Source::read(view, path)?;
    let line = source.text.line_column(range.start).line;
    let text = source.text.as_str().lines().nth(line as usize).unwrap_or("").trim();
    let text = text.chars().filter(|c| !c.is_control()).take(LINE_CHARS).collect();
    Some(Listed { path: path.clone(), line, text })
}

/// Whether files of the language can name the target.
fn is_kin(view: &View, target: &Target, language: Option<LanguageId>) -> bool {
    let grammar = language.and_then(|language| view.languages.get(language).grammar.clone());
    match (grammar, target.file.grammar()) {
        (Some(grammar), Some(own)) => resolve::grammars_share_names(&grammar, own.name()),
        _ => language.is_some() && language == target.language,
    }
}

fn places(path: &RelPath, bytes: Vec<u8>, name: &str, found: &mut Vec<Listed>) {
    // A file that is not text because of its NUL bytes is searched all the same.
    let text = match Text::decode(bytes.clone()) {
        Ok(text) => text.as_str().to_owned(),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut lines = LineCount::default();
    let hits = memmem::find_iter(text.as_bytes(), name.as_bytes()).filter(|&at| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + name.len()..].chars().next().is_some_and(is_word)
    });
    for at in hits.take(MAX_OF_FILE) {
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
        let line = text[start..].lines().next().unwrap_or("").trim();
        let line = line.chars().filter(|c| !c.is_control()).take(LINE_CHARS).collect();
        found.push(Listed { path: path.clone(), line: lines.of(text.as_bytes(), at), text: line });
    }
}

/// Line numbers of ascending offsets; each byte is read once.
#[derive(Default)]
struct LineCount {
    at: usize,
    line: u32,
}

impl LineCount {
    fn of(&mut self, bytes: &[u8], at: usize) -> u32 {
        let more = memchr::memchr_iter(b'\n', &bytes[self.at..at]).count();
        self.line = self.line.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        self.at = at;
        self.line
    }
}
