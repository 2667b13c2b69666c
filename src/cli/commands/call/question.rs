//! An approval question on the terminal, which editors show too: the first answer counts.

use std::io::{BufRead, Write};

use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};

use crate::cli::client::Client;
use crate::cli::failure::{Exit, Failure};
use crate::cli::terminal;
use crate::serve::approvals::Offer;
use crate::serve::protocol::QUESTION;

/// Where and how the user answered.
pub(super) enum UsersAnswer {
    /// Here, with this word of `symd/call`.
    Here(&'static str),
    /// In an editor; the daemon knows how.
    InEditor,
}

/// Repeats the question of `answer`, a daemon's result, until it is answered.
pub(super) fn asked(answer: &Value, client: &mut Client) -> Result<UsersAnswer, Failure> {
    let question = answer["ask"].as_str().unwrap_or_default();
    let offer = serde_json::from_value(answer["offer"].clone()).unwrap_or(Offer::Once);
    let mut elsewhere = match answer["question"].as_u64() {
        // An older daemon gives no number, and asks no editor.
        None => None,
        Some(number) => Some(client.begin(QUESTION, json!({ "question": number }))?),
    };
    let cannot = |error| Exit::Failed.because(format!("cannot read the answer: {error}"));
    prompt(question);
    loop {
        if let Some(request) = elsewhere
            && is_daemon_first(client).map_err(|error| cannot(error.into()))?
        {
            match client.result_of(request)? {
                None => {}
                Some(result) if result["answered"] == true => {
                    let _ = std::io::stderr().write_all(b"answered in an editor\n");
                    return Ok(UsersAnswer::InEditor);
                }
                Some(_) => elsewhere = None,
            }
            continue;
        }
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).map_err(cannot)?;
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(UsersAnswer::Here("once")),
            "a" | "always" if offer == Offer::Always => return Ok(UsersAnswer::Here("always")),
            "n" | "no" => return Ok(UsersAnswer::Here("no")),
            // The end of the input counts as "no".
            "" if read == 0 => return Ok(UsersAnswer::Here("no")),
            _ => prompt(question),
        }
    }
}

/// Waits for the terminal or the daemon; returns whether the daemon has sent something. A terminal gives one line at a time, so
/// that none waits in the buffer of stdin.
fn is_daemon_first(client: &Client) -> Result<bool, rustix::io::Errno> {
    if client.has_buffered() {
        return Ok(true);
    }
    let stdin = std::io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(client.stream(), PollFlags::IN)];
    match poll(&mut watched, None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error),
    }
    Ok(watched[0].revents().is_empty() && !watched[1].revents().is_empty())
}

/// Prints the question without a newline, so that the answer follows on the same line.
fn prompt(question: &str) {
    // If stderr is closed, the error cannot be reported.
    let _ = std::io::stderr().write_all(format!("{} ", terminal::harmless(question)).as_bytes());
}
