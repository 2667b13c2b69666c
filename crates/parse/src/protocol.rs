//! The protocol of a worker's pipe: frames of a length (u32) and that many bytes, with little-endian numbers.
//! Each request has one answer. Before the answer to the first request for a grammar the worker reports that
//! the grammar is loaded, so that the loading time is not charged to a text.
//!
//! ```text
//! request: task u8 | its range u32, u32, if it has one | length of the grammar's name u8 | its name | processor seconds u32 | memory bytes u64
//!          | nanoseconds of processor time to stop after u64, 0 for none | text
//! message: tag u8 | processor nanoseconds of the process so far u64 | payload
//! ```

use std::time::Duration;

use super::limits::Allowance;
use symd_base::TextRange;

/// Length of a frame's length field, in bytes.
pub(super) const LENGTH: usize = 4;
/// Length of a message before its payload, in bytes.
pub(super) const HEAD: usize = 9;

/// Bytes that any answer may have.
const ANSWER_BASE: usize = 1 << 20;
/// Additional bytes for each byte of text: a row takes 44 bytes, and the shortest declaration a few.
const ANSWER_PER_BYTE: usize = 64;

/// A worker's task for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Build its outline.
    Outline,
    /// Inspect it for an edit, and classify the lines of this range.
    Inspect(TextRange),
    /// Find what a text binds as locals.
    LocalBindings,
    /// Return its tree.
    Tree,
    /// Build its outline with the types that an outline hides.
    HiddenTypes,
    /// Build its outline with the types and functions that an outline hides.
    HiddenFunctions,
}

impl Task {
    pub(super) fn number(self) -> u8 {
        match self {
            Task::Outline => 0,
            Task::Inspect(_) => 1,
            Task::LocalBindings => 2,
            Task::Tree => 3,
            Task::HiddenTypes => 4,
            Task::HiddenFunctions => 5,
        }
    }

    fn put(self, head: &mut Vec<u8>) {
        head.push(self.number());
        if let Task::Inspect(range) = self {
            head.extend(range.start.to_le_bytes());
            head.extend(range.end.to_le_bytes());
        }
    }

    /// Reads the task at the beginning of a frame, and returns it with the rest of the frame.
    fn read(frame: &[u8]) -> Option<(Task, &[u8])> {
        let (number, rest) = frame.split_first()?;
        match number {
            0 => Some((Task::Outline, rest)),
            1 => {
                let (start, rest) = rest.split_first_chunk()?;
                let (end, rest) = rest.split_first_chunk()?;
                let (start, end) = (u32::from_le_bytes(*start), u32::from_le_bytes(*end));
                (start <= end).then(|| (Task::Inspect(TextRange::new(start, end)), rest))
            }
            2 => Some((Task::LocalBindings, rest)),
            3 => Some((Task::Tree, rest)),
            4 => Some((Task::HiddenTypes, rest)),
            5 => Some((Task::HiddenFunctions, rest)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) task: Task,
    pub(super) grammar: &'a str,
    pub(super) allowance: Allowance,
    /// Processor time after which the worker stops if it can, to be available for other texts; it then
    /// answers [`Tag::Stopped`].
    pub(super) stop_after: Option<Duration>,
    pub(super) text: &'a str,
}

/// The kind of a worker's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Tag {
    /// The worker is confined, and waits for requests.
    Ready = 1,
    /// The worker has loaded the request's grammar, and begins to parse.
    GrammarLoaded = 2,
    Done = 3,
    /// The request failed; the payload is the reason.
    Failed = 4,
    /// The request exceeded its time to stop; the worker waits for the next one.
    Stopped = 5,
}

impl Tag {
    pub(super) fn of(number: u8) -> Option<Tag> {
        [Tag::Ready, Tag::GrammarLoaded, Tag::Done, Tag::Failed, Tag::Stopped]
            .into_iter()
            .find(|tag| *tag as u8 == number)
    }
}

/// A received message.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) tag: Tag,
    /// Processor time of the worker since its start.
    pub(super) processor: Duration,
    pub(super) payload: Vec<u8>,
}

impl Message {
    /// Returns `None` for an invalid frame.
    pub(super) fn read(frame: &[u8]) -> Option<Message> {
        let (tag, rest) = frame.split_first()?;
        let (nanoseconds, payload) = rest.split_first_chunk()?;
        let processor = Duration::from_nanos(u64::from_le_bytes(*nanoseconds));
        Some(Message { tag: Tag::of(*tag)?, processor, payload: payload.to_vec() })
    }

    /// Returns the frame of a message without its payload, which must follow.
    pub(super) fn head(tag: Tag, processor: Duration, payload: &[u8]) -> [u8; LENGTH + HEAD] {
        let length = u32::try_from(HEAD + payload.len()).unwrap_or(u32::MAX);
        let nanoseconds = u64::try_from(processor.as_nanos()).unwrap_or(u64::MAX);
        let mut head = [0; LENGTH + HEAD];
        head[..LENGTH].copy_from_slice(&length.to_le_bytes());
        head[LENGTH] = tag as u8;
        head[LENGTH + 1..].copy_from_slice(&nanoseconds.to_le_bytes());
        head
    }
}

/// Returns the maximum length in bytes of a message about a text of `bytes` bytes.
pub(super) fn longest_message(bytes: usize) -> usize {
    ANSWER_BASE.saturating_add(bytes.saturating_mul(ANSWER_PER_BYTE))
}

impl<'a> Request<'a> {
    /// Returns the frame of the request without its text, which must follow.
    pub(super) fn head(&self) -> Vec<u8> {
        let name = self.grammar.as_bytes();
        let seconds = u32::try_from(self.allowance.processor.as_secs()).unwrap_or(u32::MAX);
        let mut head = vec![0; LENGTH];
        self.task.put(&mut head);
        head.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        head.extend(name);
        head.extend(seconds.to_le_bytes());
        head.extend(self.allowance.memory.to_le_bytes());
        let nanoseconds =
            self.stop_after.map_or(0, |after| u64::try_from(after.as_nanos()).unwrap_or(u64::MAX));
        head.extend(nanoseconds.to_le_bytes());
        let length = head.len() - LENGTH + self.text.len();
        head[..LENGTH].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        head
    }

    /// Returns `None` for an invalid frame.
    pub(super) fn read(frame: &'a [u8]) -> Option<Request<'a>> {
        let (task, rest) = Task::read(frame)?;
        let (length, rest) = rest.split_first()?;
        let (grammar, rest) = rest.split_at_checked(usize::from(*length))?;
        let (seconds, rest) = rest.split_first_chunk()?;
        let (memory, rest) = rest.split_first_chunk()?;
        let (nanoseconds, text) = rest.split_first_chunk()?;
        let nanoseconds = u64::from_le_bytes(*nanoseconds);
        let processor = Duration::from_secs(u64::from(u32::from_le_bytes(*seconds)));
        let memory = u64::from_le_bytes(*memory);
        Some(Request {
            task,
            grammar: std::str::from_utf8(grammar).ok()?,
            allowance: Allowance { processor, wall: Duration::MAX, memory },
            stop_after: (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds)),
            text: std::str::from_utf8(text).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_as_it_was_written_and_nothing_else_is_one() {
        let allowance = Allowance::of(7);
        let stop_after = Some(Duration::from_micros(12_345));
        let request =
            Request { task: Task::Outline, grammar: "python", allowance, stop_after, text: "a = 'é'" };
        let frame = [request.head(), request.text.into()].concat();
        let (length, body) = frame.split_first_chunk::<LENGTH>().expect("long enough");
        assert_eq!(u32::from_le_bytes(*length) as usize, body.len());
        let read = Request::read(body).expect("a request");
        assert_eq!((read.task, read.grammar, read.text), (Task::Outline, "python", "a = 'é'"));
        assert_eq!(
            (read.allowance, read.stop_after),
            (Allowance { wall: Duration::MAX, ..allowance }, stop_after)
        );
        for cut in 0..body.len() - request.text.len() {
            assert!(Request::read(&body[..cut]).is_none(), "{cut}");
        }
        assert!(Request::read(&[&[9], &body[1..]].concat()).is_none(), "no such task");
        let inspections = [TextRange::new(0, 0), TextRange::new(1, u32::MAX)].map(Task::Inspect);
        for task in inspections.into_iter().chain([
            Task::LocalBindings,
            Task::Tree,
            Task::HiddenTypes,
            Task::HiddenFunctions,
        ]) {
            let asked = Request { task, stop_after: None, ..request };
            let frame = [asked.head(), request.text.into()].concat();
            let read = Request::read(&frame[LENGTH..]).expect("a request");
            assert_eq!((read.task, read.stop_after), (asked.task, None));
        }
        let reversed = [&[1, 2, 0, 0, 0, 1, 0, 0, 0], &body[1..]].concat();
        assert!(Request::read(&reversed).is_none(), "no range");
        assert!(Request::read(&[body, &[0xFF]].concat()).is_none(), "no text");
    }

    #[test]
    fn a_message_is_read_as_it_was_written_and_nothing_else_is_one() {
        let head = Message::head(Tag::Done, Duration::from_nanos(7), b"payload");
        let frame = [&head[LENGTH..], b"payload"].concat();
        let message = Message::read(&frame).expect("a message");
        assert_eq!((message.tag, message.processor.as_nanos()), (Tag::Done, 7));
        assert_eq!(message.payload, b"payload");
        for cut in 0..HEAD {
            assert!(Message::read(&frame[..cut]).is_none(), "{cut}");
        }
        assert!(Message::read(&[&[0], &frame[1..]].concat()).is_none(), "no such tag");
    }
}
