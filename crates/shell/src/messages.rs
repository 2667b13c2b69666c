//! The messages between a warden and the daemon on the socket between them. Daemon to warden: single bytes; a
//! closed socket means [`END`]. Warden to daemon: lines. Invariant: each side can parse what the other
//! writes.

use std::fmt;

use symd_sys::ChildEnd;

/// Daemon to warden: kill everything that the command started.
pub(super) const END: u8 = b'E';
/// Daemon to warden: exit, and leave running processes alone.
pub(super) const LET_GO: u8 = b'L';

/// Whether processes of the command outlive its shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemainingProcesses {
    /// None: the warden exits too.
    None,
    /// Some run in the background, watched by the warden.
    Running,
}

/// A warden's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WardenMessage {
    /// The shell runs; its pid, which is also the id of its process group.
    Started(i32),
    /// The command could not be started; the reason.
    Failed(String),
    /// The shell exited.
    Ended(ChildEnd, RemainingProcesses),
}

impl WardenMessage {
    /// Parses a warden's line without its newline; `None` if it is not a valid message.
    pub(super) fn read(line: &str) -> Option<WardenMessage> {
        let (word, rest) = line.split_once(' ')?;
        if word == "failed" {
            return Some(WardenMessage::Failed(rest.to_owned()));
        }
        if word == "started" {
            return Some(WardenMessage::Started(rest.parse().ok()?));
        }
        let (number, left) = rest.split_once(' ')?;
        let number = number.parse().ok()?;
        let end = match word {
            "code" => ChildEnd::Code(number),
            "signal" => ChildEnd::Signal(number),
            _ => return None,
        };
        let left = match left {
            "nobody" => RemainingProcesses::None,
            "somebody" => RemainingProcesses::Running,
            _ => return None,
        };
        Some(WardenMessage::Ended(end, left))
    }
}

impl fmt::Display for WardenMessage {
    /// Formats the message as a line, without its newline.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WardenMessage::Started(pid) => write!(f, "started {pid}"),
            WardenMessage::Failed(why) => write!(f, "failed {}", why.replace('\n', " ")),
            WardenMessage::Ended(end, left) => {
                let left = match left {
                    RemainingProcesses::None => "nobody",
                    RemainingProcesses::Running => "somebody",
                };
                match end {
                    ChildEnd::Code(code) => write!(f, "code {code} {left}"),
                    ChildEnd::Signal(signal) => write!(f, "signal {signal} {left}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let all = [
            WardenMessage::Started(7),
            WardenMessage::Failed("no such file".to_owned()),
            WardenMessage::Ended(ChildEnd::Code(0), RemainingProcesses::None),
            WardenMessage::Ended(ChildEnd::Signal(9), RemainingProcesses::Running),
        ];
        for told in all {
            assert_eq!(WardenMessage::read(&told.to_string()), Some(told));
        }
        for nonsense in ["", "started", "started x", "code 1", "code 1 many", "left 1 nobody"] {
            assert_eq!(WardenMessage::read(nonsense), None, "{nonsense}");
        }
    }
}
