//! Files of the symbol's language that symd does not parse: too large, no text, unreadable. The name is looked for in their
//! bytes, so that a rename is not called complete that passed them by. Invariant: a file that may hold the name is listed,
//! or named as one that could not be read.

use memchr::memmem;

use super::answer::Listed;
use crate::spot::Source;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextRange};
use symd_config::LanguageId;
use symd_engine::View;
use symd_index::Content;
use symd_resolve as resolve;
use symd_vfs::MAX_FILE_BYTES;

/// Characters of a line that are kept.
const LINE_CHARS: usize = 160;

/// Places that are kept of one file: it is named, which is enough.
const MAX_OF_FILE: usize = 20;

/// What was found in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Unseen {
    /// Where the name stands as a word, in path order.
    pub(super) places: Vec<Listed>,
    /// Files of which nobody knows, and directories that could not be listed, each with the reason.
    pub(super) unread: Vec<(RelPath, String)>,
}

impl Unseen {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.unread.is_empty()
    }

    /// Which files could not be read, in a sentence's end; empty when all could.
    pub(super) fn unread_text(&self) -> String {
        let files: Vec<String> = self.unread.iter().map(|(path, why)| format!("{path} ({why})")).collect();
        if files.is_empty() { String::new() } else { format!("; could not be read: {}", files.join(", ")) }
    }
}

/// Looks through the files that may hold the target's name and are not parsed.
pub(super) fn unseen(view: &View, target: &Target, cancel: &Cancel) -> Result<Unseen, Cancelled> {
    let mut found = Unseen::default();
    let is_local = |row: &symd_syntax::Row| row.is_local();
    let rows = target.file.outline().and_then(|outline| outline.rows.get(target.row));
    if rows.is_some_and(is_local) {
        return Ok(found);
    }
    let unsure = view.snapshot.unsure.iter();
    for file in unsure.filter_map(|path| view.snapshot.files.get(path.as_str())) {
        if !matches!(file.content, Content::Skipped { .. })
            || !is_kin(view, target, view.languages.language_of(&file.path))
        {
            continue;
        }
        cancel.check()?;
        match view.root.read_unlinked(&file.path, MAX_FILE_BYTES) {
            Ok(read) => places(&file.path, read.bytes, &target.name, &mut found.places),
            Err(error) => found.unread.push((file.path.clone(), error.to_string())),
        }
    }
    for (path, range, _) in resolve::accessor_places(view, &target.resolved(), cancel)? {
        found.places.extend(place_in(view, &path, range));
    }
    let unlisted = view.snapshot.unlisted.iter();
    found.unread.extend(unlisted.map(|(directory, why)| (directory.clone(), why.clone())));
    Ok(found)
}

/// A place in a file that symd has parsed, where what stands for the symbol has another name: Kotlin's `solo` is Java's
/// `getSolo()`.
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
        (Some(grammar), Some(own)) => resolve::can_name(&grammar, own.name()),
        _ => language.is_some() && language == target.language,
    }
}

fn places(path: &RelPath, bytes: Vec<u8>, name: &str, found: &mut Vec<Listed>) {
    // What is no text for its NUL bytes is looked through all the same.
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

/// Line numbers of ascending offsets, each byte looked at once.
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
