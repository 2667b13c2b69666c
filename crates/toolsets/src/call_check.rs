//! Validates a call by its arguments alone, so that the user is not asked to approve a call that cannot run.
//! Invariant: a check depends on nothing but the call, and parses the arguments with the code that the tool
//! itself uses.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Call, Reply};

/// A call that has been requested and not yet run.
#[derive(Clone, Copy, Debug)]
pub struct PendingCall<'a> {
    /// The arguments as the client sent them.
    pub arguments: &'a Map<String, Value>,
    /// The root of the project in which it is to run.
    pub root: &'a Path,
    /// The configured maximum length of an answer, in characters.
    pub max_answer_chars: usize,
}

/// Validates a call by its arguments alone; the error is the tool's own answer to it.
pub type Check = fn(&PendingCall<'_>) -> Result<(), Reply>;

/// The check of a tool that never asks, or that has no parameters.
pub(super) fn accept(_: &PendingCall<'_>) -> Result<(), Reply> {
    Ok(())
}

impl Call<'_> {
    /// Returns the part of the call that a check takes.
    pub(super) fn proposed(&self) -> PendingCall<'_> {
        PendingCall {
            arguments: &self.arguments,
            root: self.project.root(),
            max_answer_chars: self.project.max_answer_chars,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Reach, Risk, all};

    /// Returns arguments with a value for each parameter that none of them accepts.
    fn nonsense(schema: &Value) -> Map<String, Value> {
        let names = schema["properties"].as_object().expect("properties").keys();
        names.map(|name| (name.clone(), json!({"no": [0.5]}))).collect()
    }

    #[test]
    fn what_may_be_asked_about_is_checked_first() {
        for toolset in all() {
            for tool in toolset.tools {
                let may_ask = tool.risk != Risk::ReadOnly || tool.reach == Reach::BeyondProject;
                let schema = (tool.schema)();
                let needs_any = schema["required"].as_array().is_some_and(|names| !names.is_empty());
                let nonsense = nonsense(&schema);
                let refuses = |arguments: &Map<String, Value>| {
                    let root = Path::new("/project");
                    (tool.check)(&PendingCall { arguments, root, max_answer_chars: 1 }).is_err()
                };
                let name = format!("{} {}", toolset.name, tool.name);
                assert_eq!(refuses(&Map::new()), may_ask && needs_any, "{name}, without arguments");
                assert_eq!(refuses(&nonsense), may_ask && !nonsense.is_empty(), "{name}, with {nonsense:?}");
            }
        }
    }
}
