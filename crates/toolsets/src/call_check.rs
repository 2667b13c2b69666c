//! Validates a call by its arguments alone, so that the user is not asked to approve a call that cannot run.
//! Invariant: a check depends on nothing but the call, and parses the arguments with the code that the tool
//! itself uses.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Call, Reply};

/// A call that has been requested and not yet run.
#[derive(Clone, Copy, Debug)]
pub struct PendingCall<'a> {
    pub tool: &'a str,
    /// The arguments as the client sent them.
    pub arguments: &'a Map<String, Value>,
    /// The root of the project in which it is to run.
    pub root: &'a Path,
    /// The configured maximum length of an answer, in characters.
    pub max_answer_chars: usize,
}

/// Validates a call by its arguments alone; the error is the tool's own answer to it.
pub type Check = fn(&PendingCall<'_>) -> Result<(), Reply>;

impl Call<'_> {
    /// Returns the part of the call that a check takes.
    pub(super) fn proposed(&self) -> PendingCall<'_> {
        PendingCall {
            tool: self.tool,
            arguments: &self.arguments,
            root: self.project.root(),
            max_answer_chars: self.project.max_answer_chars,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reach, Risk, all};

    #[test]
    fn what_may_be_asked_about_is_checked_first() {
        let nothing = Map::new();
        for toolset in all().iter().filter(|toolset| toolset.name != "native") {
            for tool in toolset.tools {
                let may_ask = tool.risk != Risk::ReadOnly || tool.reach == Reach::BeyondProject;
                let needs_any = (tool.schema)()["required"].as_array().is_some_and(|names| !names.is_empty());
                let proposed = PendingCall {
                    tool: tool.name,
                    arguments: &nothing,
                    root: Path::new("/project"),
                    max_answer_chars: 1,
                };
                let checked = (toolset.check)(&proposed);
                assert_eq!(checked.is_err(), may_ask && needs_any, "{} {}", toolset.name, tool.name);
            }
        }
    }
}
