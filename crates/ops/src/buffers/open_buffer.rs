//! One document that one editor has open: its text, and whether it differs from what was saved. Invariant: a
//! text that is only spelled differently from its file (line ends that the editor hides) is not dirty.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use symd_base::text::Encoding;
use symd_base::{ContentHash, RelPath, Text};
use symd_vfs::{FileBytes, Stat, TextOrigin};

/// A change of a buffer: the bytes `start..end` of its text, replaced by a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferChange {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// A document of an editor.
#[derive(Debug)]
pub(super) struct OpenBuffer {
    /// The file, links resolved.
    pub(super) file: RelPath,
    /// The text as the editor counts it.
    text: String,
    /// The editor's version of that text.
    pub(super) version: i64,
    /// The number of the change that made this text, among all changes of all editors.
    pub(super) change: u64,
    /// The text that was saved last, or that the file had when it was opened; `None` without a file.
    saved: Option<TextMark>,
    /// Whether there was a file of a known encoding when the document was opened or saved. Of another one nothing tells
    /// whether its text was saved.
    origin: TextOrigin,
    /// Whether there was a file when the document was opened.
    had_file: bool,
    /// What the editor's text may not show of its file.
    spelling: FileSpelling,
    /// Whether the file had an encoding that symd does not know when the document was opened.
    pub(super) is_lossy: bool,
    /// The state of such a file when it was read last: a save leaves another one.
    lossy_stat: Option<Stat>,
    /// Whether the text is unknown, because the editor's changes did not fit.
    pub(super) is_lost: bool,
    /// The text that an edit waits for, until it was seen.
    planned: PlannedText,
    /// The file when it was compared with the text last.
    looked_at: Option<LookedAt>,
    /// Whether an answer has named the buffer as one whose editor has not read its changed file again.
    pub(super) is_named_behind: bool,
}

/// How a file spells a text, as far as an editor may count it otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FileSpelling {
    /// Its lines end in CR LF, which the editor may hide.
    has_crlf: bool,
    /// It is empty, which an editor may show as one line.
    is_empty: bool,
}

impl FileSpelling {
    fn of(file: &str) -> FileSpelling {
        FileSpelling { has_crlf: all_lines_end_in_crlf(file), is_empty: file.is_empty() }
    }
}

/// A file that was compared with a buffer's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LookedAt {
    stat: Stat,
    /// Whether it was UTF-16, of which the size tells nothing.
    is_wide: bool,
}

/// What tells whether a file is to be compared with a buffer's text.
#[derive(Clone, Debug)]
pub(super) struct NextLook {
    last: Option<LookedAt>,
    /// The least and the most bytes of a file in UTF-8 that has the text: with or without CR and a byte-order mark.
    sizes: RangeInclusive<u64>,
}

impl NextLook {
    /// Whether a file in this state may have the text, as far as can be told without reading it.
    pub(super) fn is_due(&self, stat: &Stat) -> bool {
        // The size of a file in UTF-8 tells most texts apart.
        self.sizes.contains(&stat.size) || self.last.is_none_or(|last| last.stat != *stat || last.is_wide)
    }
}

/// How far an edit is that the editor was asked to make in this buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PlannedText {
    NotAsked,
    Awaited(String),
    /// The buffer had it; its user may have typed on.
    Seen,
}

/// What identifies a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextMark {
    length: usize,
    hash: ContentHash,
}

impl TextMark {
    fn of(text: &str) -> TextMark {
        TextMark { length: text.len(), hash: ContentHash::of(text.as_bytes()) }
    }

    fn is_of(&self, text: &str) -> bool {
        self.length == text.len() && self.hash == ContentHash::of(text.as_bytes())
    }
}

impl OpenBuffer {
    /// Returns a buffer that an editor opened; `on_disk` is its file's content, if there is a file.
    pub(super) fn new(
        file: RelPath,
        (version, text): (i64, String),
        on_disk: Option<FileBytes>,
    ) -> OpenBuffer {
        let had_file = on_disk.is_some();
        let stat = on_disk.as_ref().map(|read| read.stat);
        let decoded = on_disk.map(|read| Text::decode(read.bytes));
        let known = decoded.as_ref().and_then(|disk| disk.as_ref().ok()).filter(|disk| is_exact(disk));
        let origin = if known.is_some() { TextOrigin::OfFile } else { TextOrigin::New };
        let spelling = known.map(|disk| FileSpelling::of(disk.as_str())).unwrap_or_default();
        let is_lossy = had_file && known.is_none();
        let mut buffer = OpenBuffer {
            file,
            text,
            version,
            change: 0,
            saved: None,
            origin,
            had_file,
            spelling,
            is_lossy,
            lossy_stat: stat.filter(|_| is_lossy),
            is_lost: false,
            planned: PlannedText::NotAsked,
            looked_at: None,
            is_named_behind: false,
        };
        buffer.saved = decoded.map(|disk| match disk {
            Ok(disk) if is_exact(&disk) => TextMark::of(disk.as_str()),
            // The editor knows the encoding, symd does not: nothing can be compared.
            _ => TextMark::of(&buffer.seen()),
        });
        buffer
    }

    /// Returns the text as its file would have it, if it were saved now.
    pub(super) fn seen(&self) -> Cow<'_, str> {
        if self.spelling.is_empty && matches!(self.text.as_str(), "\n" | "\r\n") {
            return Cow::Borrowed("");
        }
        if self.hides_cr() {
            return Cow::Owned(self.text.replace('\n', "\r\n"));
        }
        Cow::Borrowed(&self.text)
    }

    /// Whether the text differs from what was saved.
    pub(super) fn is_dirty(&self) -> bool {
        !self.saved.is_some_and(|saved| saved.is_of(&self.seen()))
    }

    /// Replaces parts of the text, one after the other. Fails, and has then lost the text, if a change does not
    /// fit or the result does not have `length` bytes.
    pub(super) fn change(&mut self, changes: &[BufferChange], length: usize) -> Result<(), LostBuffer> {
        for change in changes {
            if self.text.get(change.start..change.end).is_none() {
                self.is_lost = true;
                return Err(LostBuffer);
            }
            self.text.replace_range(change.start..change.end, &change.text);
        }
        self.is_lost = self.text.len() != length;
        if matches!(&self.planned, PlannedText::Awaited(text) if *text == self.text) {
            self.planned = PlannedText::Seen;
        }
        if self.is_lost { Err(LostBuffer) } else { Ok(()) }
    }

    /// Records that the editor is asked to make this text.
    pub(super) fn await_planned(&mut self, text: &str) {
        self.planned = PlannedText::Awaited(text.to_owned());
    }

    /// Records that nothing is asked of the editor any longer.
    pub(super) fn end_planned(&mut self) {
        self.planned = PlannedText::NotAsked;
    }

    /// Whether the buffer has had the text that its editor was asked for, since it was asked.
    pub(super) fn has_seen_planned(&self) -> bool {
        self.planned == PlannedText::Seen
    }

    /// Whether the file's lines end in CR LF and the text does not show that.
    pub(super) fn hides_cr(&self) -> bool {
        self.spelling.has_crlf && !has_cr(&self.text)
    }

    /// Whether an editor that makes this buffer's text `after`, as its file would have it, certainly keeps the line ends:
    /// all are of the kind that the buffer has.
    pub(super) fn keeps_line_ends_of(&self, after: &str) -> bool {
        let is_uniform = |text: &str| !has_cr(text) || all_lines_end_in_crlf(text);
        let has_breaks = |text: &str| memchr::memchr(b'\n', text.as_bytes()).is_some();
        let shows_cr = has_cr(&self.text) || self.hides_cr();
        is_uniform(&self.text) && is_uniform(after) && (!has_breaks(after) || has_cr(after) == shows_cr)
    }

    /// Returns the text as the editor counts it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Records that the editor saved the document; `on_disk` is what its file has now, which need not be this
    /// text: its user may have typed on, or have written the text to another file.
    pub(super) fn record_save(&mut self, on_disk: Option<FileBytes>) {
        let Some(FileBytes { bytes, stat }) = on_disk else {
            self.saved = None;
            return;
        };
        match Text::decode(bytes).ok().filter(is_exact) {
            Some(disk) => {
                self.origin = TextOrigin::OfFile;
                self.spelling = FileSpelling::of(disk.as_str());
                self.record_file(disk.as_str());
            }
            // The text was written to another file: a save leaves this one in another state, if only with another time.
            None if self.lossy_stat == Some(stat) && self.is_dirty() => {}
            // The editor knows the encoding, symd does not: its word is all there is.
            None => {
                self.lossy_stat = Some(stat);
                self.origin = TextOrigin::New;
                self.saved = Some(TextMark::of(&self.seen()));
            }
        }
    }

    /// Records the text as saved if its file, read after the text had come, has it: the editor read the file
    /// again, without a word of that.
    pub(super) fn record_if_equal(&mut self, FileBytes { bytes, stat }: FileBytes) {
        let decoded = Text::decode(bytes).ok();
        let wide = |disk: &Text| matches!(disk.encoding(), Encoding::Utf16Le | Encoding::Utf16Be);
        self.looked_at = Some(LookedAt { stat, is_wide: decoded.as_ref().is_some_and(wide) });
        let Some(disk) = decoded.filter(is_exact) else {
            // The text may be that of the file.
            self.origin = TextOrigin::New;
            return;
        };
        self.origin = TextOrigin::OfFile;
        let known = std::mem::replace(&mut self.spelling, FileSpelling::of(disk.as_str()));
        if self.seen() == disk.as_str() {
            self.record_file(disk.as_str());
        } else {
            self.spelling = known;
        }
    }

    /// Takes over from the buffer that this one replaces what the file does not tell now: all of a file that is gone,
    /// and what was saved in one whose encoding does not let it be compared.
    pub(super) fn inherit(&mut self, replaced: &OpenBuffer) {
        if replaced.file != self.file {
            return;
        }
        if !self.had_file {
            (self.origin, self.spelling) = (replaced.origin, replaced.spelling);
            self.is_lossy = replaced.is_lossy;
        }
        if !self.had_file || self.is_lossy {
            // With the state of the file then: the editor may have saved since, and tell it later.
            (self.saved, self.lossy_stat) = (replaced.saved, replaced.lossy_stat);
        }
        // An editor that tells its text whole has read nothing by that.
        self.is_named_behind = replaced.is_named_behind && self.is_dirty();
    }

    /// Returns whether there was a file of a known encoding when the document was opened or saved.
    pub(super) fn origin(&self) -> TextOrigin {
        self.origin
    }

    /// Returns what tells whether the file is to be compared with this text.
    pub(super) fn next_look(&self) -> NextLook {
        let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes()).count();
        let sizes = self.text.len() as u64..=(self.text.len() + breaks + 3) as u64;
        NextLook { last: self.looked_at, sizes }
    }

    /// Records the text that the file has now.
    pub(super) fn record_file(&mut self, text: &str) {
        self.saved = Some(TextMark::of(text));
        self.is_named_behind = false;
    }
}

/// Error of a change that does not fit the text that it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change does not fit the text that symd has of this buffer")]
pub struct LostBuffer;

/// Whether symd knows the encoding, so that the text is that of the file.
fn is_exact(text: &Text) -> bool {
    text.encoding() != Encoding::Lossy
}

fn has_cr(text: &str) -> bool {
    memchr::memchr(b'\r', text.as_bytes()).is_some()
}

fn all_lines_end_in_crlf(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut breaks = memchr::memchr_iter(b'\n', bytes).peekable();
    breaks.peek().is_some() && breaks.all(|at| at > 0 && bytes[at - 1] == b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(text: &str, on_disk: &[u8]) -> OpenBuffer {
        OpenBuffer::new(RelPath::new("a.py").unwrap(), (1, text.to_owned()), Some(read(on_disk)))
    }

    fn read(bytes: &[u8]) -> FileBytes {
        let stat = Stat { size: bytes.len() as u64, ..Stat::default() };
        FileBytes { bytes: bytes.to_vec(), stat }
    }

    fn change(start: usize, end: usize, text: &str) -> BufferChange {
        BufferChange { start, end, text: text.to_owned() }
    }

    #[test]
    fn a_buffer_is_dirty_while_its_text_differs_from_the_saved_one() {
        let mut buffer = opened("a = 1\n", b"a = 1\n");
        assert!(!buffer.is_dirty());
        buffer.change(&[change(4, 5, "22"), change(0, 1, "b")], 7).unwrap();
        assert_eq!((buffer.seen().as_ref(), buffer.is_dirty()), ("b = 22\n", true));
        buffer.change(&[change(4, 6, "1"), change(0, 1, "a")], 6).unwrap();
        assert!(!buffer.is_dirty(), "undone");
        buffer.change(&[change(0, 0, "\n")], 7).unwrap();
        buffer.record_save(Some(read(b"\na = 1\n")));
        assert!(!buffer.is_dirty());
        buffer.change(&[change(0, 1, "")], 6).unwrap();
        buffer.record_save(Some(read(b"\na = 1\n")));
        assert!(buffer.is_dirty(), "typed while the editor saved");
        buffer.record_if_equal(read(b"a = 2\n"));
        assert!(buffer.is_dirty());
        buffer.record_if_equal(read(b"a = 1\r\n"));
        assert!(!buffer.is_dirty(), "read again by the editor, from a file whose line ends changed");
        buffer.record_save(None);
        assert!(buffer.is_dirty(), "saved elsewhere");
        assert!(opened("b\n", b"a\n").is_dirty(), "opened with changes");
    }

    #[test]
    fn a_planned_text_counts_though_it_is_typed_in_at_once() {
        let mut buffer = opened("a\n", b"a\n");
        buffer.await_planned("b\n");
        buffer.change(&[change(0, 1, "c")], 2).unwrap();
        assert!(!buffer.has_seen_planned());
        buffer.change(&[change(0, 1, "b")], 2).unwrap();
        buffer.change(&[change(2, 2, "x")], 3).unwrap();
        assert!(buffer.has_seen_planned());
        buffer.end_planned();
        assert!(!buffer.has_seen_planned());
    }

    #[test]
    fn line_ends_that_an_editor_hides_are_no_change() {
        let mut buffer = opened("a\nb\n", b"a\r\nb\r\n");
        assert!(!buffer.is_dirty());
        buffer.change(&[change(1, 1, "x")], 5).unwrap();
        assert_eq!((buffer.seen().as_ref(), buffer.is_dirty()), ("ax\r\nb\r\n", true));
        assert!(!opened("a\r\nb\r\n", b"a\r\nb\r\n").is_dirty());
        assert!(opened("a\nb\n", b"a\r\nb\n").is_dirty(), "mixed line ends cannot be hidden");
        assert!(!opened("é\n", b"\xef\xbb\xbf\xc3\xa9\n").is_dirty(), "a byte-order mark is hidden");
        assert!(!opened("é\n", b"\xe9\n").is_dirty(), "an encoding that only the editor knows");
        assert!(!opened("a\0\n", b"a\0\n").is_dirty(), "what symd takes for no text");
        let mut empty = opened("\n", b"");
        assert_eq!((empty.seen().as_ref(), empty.is_dirty()), ("", false), "an empty file shown as one line");
        empty.change(&[change(0, 0, "a")], 2).unwrap();
        assert_eq!((empty.seen().as_ref(), empty.is_dirty()), ("a\n", true));
        empty.change(&[change(0, 1, "")], 1).unwrap();
        empty.record_save(Some(read(b"\n")));
        assert_eq!((empty.seen().as_ref(), empty.is_dirty()), ("\n", false), "saved as one empty line");
    }

    #[test]
    fn an_editor_keeps_line_ends_of_its_buffers_kind() {
        let keeps = |text: &str, on_disk: &[u8], after: &str| opened(text, on_disk).keeps_line_ends_of(after);
        assert!(keeps("a\nb\n", b"a\nb\n", "c\n") && keeps("a\n", b"a\n", "") && keeps("\n", b"", "a\n"));
        assert!(keeps("a\r\nb\r\n", b"a\r\nb\r\n", "c\r\n") && keeps("a\nb\n", b"a\r\nb\r\n", "c\r\n"));
        assert!(!keeps("a\r\nb\n", b"a\r\nb\n", "c\r\nb\n"), "mixed");
        assert!(
            !keeps("a\nb\n", b"a\nb\n", "a\r\nb\r\n") && !keeps("a\nb\n", b"a\r\nb\r\n", "a\nb\n"),
            "of another kind"
        );
        assert!(!keeps("a\nb\n", b"a\r\nb\r\n", "a\r\nb\n") && !keeps("\n", b"", "a\r\n"));
    }

    #[test]
    fn a_text_sent_again_is_no_save_of_a_file_whose_encoding_is_unknown() {
        let mut first = opened("é\n", b"\xe9\n");
        first.change(&[change(0, 0, "x")], 4).unwrap();
        let mut again = opened("xé\n", b"\xe9\n");
        again.inherit(&first);
        assert!(again.is_dirty());
        again.record_save(Some(read(b"\xe9\n")));
        assert!(again.is_dirty(), "written to another file");
        again.record_save(Some(read(b"x\xe9\n")));
        assert!(!again.is_dirty());
        again.change(&[change(0, 0, "y")], 5).unwrap();
        again.record_save(Some(read(b"x\xe9\n")));
        assert!(again.is_dirty());
    }

    #[test]
    fn a_text_sent_again_between_the_write_and_the_word_of_it_is_saved_though_its_encoding_is_unknown() {
        let mut first = opened("é\n", b"\xe9\n");
        first.change(&[change(0, 0, "x")], 4).unwrap();
        let mut again = opened("xé\n", b"x\xe9\n");
        again.inherit(&first);
        assert!(again.is_dirty(), "not told yet");
        again.record_save(Some(read(b"x\xe9\n")));
        assert!(!again.is_dirty());
    }

    #[test]
    fn a_file_of_unknown_encoding_that_is_back_as_it_was_is_not_saved() {
        let mut first = opened("é\n", b"\xe9\n");
        first.change(&[change(0, 0, "x")], 4).unwrap();
        let path = RelPath::new("a.py").unwrap();
        let mut again = OpenBuffer::new(path, (2, "xé\n".to_owned()), None);
        again.inherit(&first);
        again.record_save(Some(read(b"\xe9\n")));
        assert!(again.is_dirty(), "written to another file");
        again.record_save(Some(read(b"x\xe9\n")));
        assert!(!again.is_dirty());
    }

    #[test]
    fn saving_again_tells_that_a_text_in_an_unknown_encoding_is_saved() {
        // The daemon handles the opening after the editor has changed and saved the file.
        let mut buffer = opened("é\n", b"x\xe9\n");
        buffer.change(&[change(0, 0, "x")], 4).unwrap();
        buffer.record_save(Some(read(b"x\xe9\n")));
        assert!(buffer.is_dirty(), "as if written to another file");
        let mut again = read(b"x\xe9\n");
        again.stat.mtime += 1;
        buffer.record_save(Some(again));
        assert!(!buffer.is_dirty());
    }

    #[test]
    fn a_change_that_does_not_fit_loses_the_text() {
        for (bad, length) in [(change(0, 9, ""), 0), (change(1, 2, ""), 3), (change(0, 0, "x"), 9)] {
            let mut buffer = opened("é\n", "é\n".as_bytes());
            assert_eq!(buffer.change(&[bad], length), Err(LostBuffer));
            assert!(buffer.is_lost);
        }
    }
}
