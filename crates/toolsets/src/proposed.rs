//! A call before it is made: what its words alone show to be wrong, so that nobody is asked to allow what cannot run.
//! Invariant: a check looks at nothing but the call, and is the very reading of its arguments by which the tool runs.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Call, Reply};

/// A call that may be made.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The arguments as the client sent them.
    pub arguments: &'a Map<String, Value>,
    /// The root of the project in which it is to run.
    pub root: &'a Path,
    /// The most characters of an answer, as configured.
    pub max_answer_chars: usize,
}

/// Whether a call can run, as far as its words tell; else the tool's own answer to it.
pub type Check = fn(&Proposed<'_>) -> Result<(), Reply>;

impl Call<'_> {
    /// What the call says.
    pub(super) fn proposed(&self) -> Proposed<'_> {
        Proposed {
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
                let may_ask = tool.risk != Risk::ReadOnly || tool.reach == Reach::Beyond;
                let needs_any = (tool.schema)()["required"].as_array().is_some_and(|names| !names.is_empty());
                let proposed = Proposed {
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
