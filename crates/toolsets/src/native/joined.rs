//! Several answers in one text. Each keeps its last line, which says how far to trust it.

use crate::Reply;

/// Answers one below the other.
#[derive(Debug, Default)]
pub(super) struct JoinedAnswers {
    text: String,
    ends: Vec<usize>,
}

impl JoinedAnswers {
    /// Adds a line that belongs to no answer.
    pub(super) fn add_line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    /// Adds an answer, which is itself joined of answers that end at `ends`.
    pub(super) fn add_answer(&mut self, answer: &str, ends: &[usize]) {
        self.add_body(answer, ends);
        self.ends.push(self.text.len());
    }

    /// Adds an answer without its last line.
    pub(super) fn add_body(&mut self, body: &str, ends: &[usize]) {
        self.add_line("");
        let begin = self.text.len();
        self.text.push_str(body);
        self.ends.extend(ends.iter().filter(|end| **end < body.len()).map(|end| begin + end));
    }
}

impl From<JoinedAnswers> for Reply {
    fn from(joined: JoinedAnswers) -> Reply {
        Reply { ends: joined.ends, ..Reply::done(joined.text) }
    }
}
