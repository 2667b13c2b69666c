//! One request of the editor that the daemons of several projects answer: their lists become one. Invariant: the editor
//! is answered once, when each daemon has answered or is gone, or when it takes the request back.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Proxy;
use symd_rpc::codes::REQUEST_FAILED;
use symd_rpc::write;

/// The answers to a request that have come so far.
#[derive(Debug, Default)]
pub(super) struct GatheredAnswer {
    /// Number of daemons that have not answered.
    left: usize,
    /// The elements of the lists, as JSON, in the order in which they came.
    elements: String,
    /// Why a daemon did not answer.
    problem: Option<String>,
}

impl GatheredAnswer {
    /// Returns an answer that this many daemons are to give.
    pub(super) fn of(daemons: usize) -> GatheredAnswer {
        GatheredAnswer { left: daemons, ..GatheredAnswer::default() }
    }

    /// Adds a daemon's list, as JSON; returns whether it was the last one.
    fn add(&mut self, part: Result<&str, String>) -> bool {
        self.left = self.left.saturating_sub(1);
        match part {
            Ok(list) => {
                let list = list.trim().strip_prefix('[').and_then(|list| list.strip_suffix(']'));
                let elements = list.unwrap_or_default().trim();
                if !elements.is_empty() {
                    if !self.elements.is_empty() {
                        self.elements.push(',');
                    }
                    self.elements.push_str(elements);
                }
            }
            Err(problem) => self.problem = Some(problem),
        }
        self.left == 0
    }
}

/// The requests whose answers are gathered, by their ids as JSON.
pub(super) type GatheredAnswers = BTreeMap<String, GatheredAnswer>;

impl Proxy {
    /// Adds a daemon's part of the answer to a request, or its error. The last part sends the answer; if every daemon
    /// failed, the editor gets the error.
    pub(super) async fn gather(&mut self, id: &Value, part: Result<&str, String>) {
        let key = id.to_string();
        if !self.gathered.get_mut(&key).is_some_and(|answer| answer.add(part)) {
            return;
        }
        let Some(GatheredAnswer { elements, problem, .. }) = self.gathered.remove(&key) else { return };
        let answer = match problem {
            Some(problem) if elements.is_empty() => write::error(id, REQUEST_FAILED, &problem),
            _ => write::raw_result(id, &format!("[{elements}]")),
        };
        self.tell(answer).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_one_whatever_is_empty_or_missing() {
        let mut answer = GatheredAnswer::of(4);
        assert!(!answer.add(Ok("[]")));
        assert!(!answer.add(Ok(r#"[{"a":"]"},2]"#)));
        assert!(!answer.add(Err("gone".to_owned())));
        assert!(answer.add(Ok(" [3] ")));
        assert_eq!(answer.elements, r#"{"a":"]"},2,3"#);
    }
}
