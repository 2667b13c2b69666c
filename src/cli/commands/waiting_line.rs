//! What a person sees who waits for an answer: one line on the terminal, gone when the answer is there.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use crate::cli::terminal;

/// The line, on stderr; nothing where that is no terminal. Removed when this is dropped.
pub(super) struct WaitingLine(ProgressBar);

impl WaitingLine {
    /// Shows nothing yet.
    pub(super) fn new() -> WaitingLine {
        WaitingLine(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
    }

    /// Shows what the daemon tells of its work; a bar as long as files are to be read.
    pub(super) fn show(&self, told: &Value) {
        let Some(doing) = told["doing"].as_str() else { return };
        let count = |key: &str| told[key].as_u64().unwrap_or_default();
        let (files, unread) = (count("files"), count("unread"));
        let template = if unread > 0 { "{bar:24} {msg}" } else { "{spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
        self.0.set_length(files.max(1));
        self.0.set_position(files.saturating_sub(unread));
        self.0.set_message(terminal::for_reader(doing, &std::io::stderr()).into_owned());
        self.0.tick();
    }
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
