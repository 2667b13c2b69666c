//! serena's modes, ways of working that a connection chooses, and `switch_modes`, which switches them. A mode
//! excludes tools: they stay listed, because a client's list of tools never changes, and refuse. Invariant: a
//! tool refuses exactly if one of the connection's modes excludes it.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::answer::{bad_argument, error};
use crate::arguments::Arguments;
use crate::{Client, ConnectionCall, ConnectionOutcome, Reply, Tool};

pub(super) const SWITCH_MODES: Tool = Tool::about_connection(
    "switch_modes",
    "Switch modes",
    "Activates the given modes for this connection, in place of those that are active. Known modes: editing, \
     interactive, planning, one-shot, onboarding, no-onboarding, no-memories.",
    switch_modes_schema,
    |call| Box::pin(async move { ConnectionOutcome::Answer(switch(&call).unwrap_or_else(|reply| reply)) }),
);

fn switch_modes_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "modes": {"type": "array", "items": {"type": "string"}, "description": "The names of the modes to activate, like [\"editing\", \"interactive\"] or [\"planning\", \"one-shot\"]."},
        },
        "required": ["modes"],
    })
}

/// A way of working.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mode {
    pub name: &'static str,
    /// What a model should do in it.
    pub says: &'static str,
    /// The tools that it disables.
    pub excludes: &'static [&'static str],
}

/// The tools that change code, and the shell, which can.
const CHANGES: &[&str] = &[
    "create_text_file",
    "replace_content",
    "delete_lines",
    "replace_lines",
    "insert_at_line",
    "replace_symbol_body",
    "insert_after_symbol",
    "insert_before_symbol",
    "rename_symbol",
    "execute_shell_command",
];

/// All modes, in the contract's order.
pub(super) static MODES: [Mode; 7] = [
    Mode {
        name: "editing",
        says: "Change code with the symbolic tools where a whole symbol changes, and with replace_content where a few \
            lines of one do. Look for every place that a change touches before you make it.",
        excludes: &[],
    },
    Mode {
        name: "interactive",
        says: "Work with the user: ask where the task leaves something open, and say what you are about to do before \
            large changes.",
        excludes: &[],
    },
    Mode {
        name: "planning",
        says: "Read and think; change nothing. End with a plan that names the files and symbols it concerns.",
        excludes: CHANGES,
    },
    Mode {
        name: "one-shot",
        says: "Finish the task without asking: nobody answers. Where something is open, choose what is most likely \
            meant and say so at the end.",
        excludes: &[],
    },
    Mode {
        name: "onboarding",
        says: "Get to know the project and write what you learn to memories; change nothing else.",
        excludes: CHANGES,
    },
    Mode {
        name: "no-onboarding",
        says: "Start with the task at once: the project needs no onboarding.",
        excludes: &["onboarding", "check_onboarding_performed"],
    },
    Mode {
        name: "no-memories",
        says: "Neither read nor write memories.",
        excludes: &[
            "write_memory",
            "read_memory",
            "list_memories",
            "delete_memory",
            "edit_memory",
            "rename_memory",
            "onboarding",
            "check_onboarding_performed",
        ],
    },
];

/// The modes in which a connection begins.
const DEFAULT: [&str; 2] = ["editing", "interactive"];

/// The modes of one connection.
#[derive(Debug)]
pub(super) struct Modes(Mutex<Vec<&'static Mode>>);

impl Default for Modes {
    fn default() -> Modes {
        Modes(Mutex::new(MODES.iter().filter(|mode| DEFAULT.contains(&mode.name)).collect()))
    }
}

impl Modes {
    /// Returns the active modes, in the order in which they were named.
    pub(super) fn active(&self) -> Vec<&'static Mode> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn switch(&self, modes: Vec<&'static Mode>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = modes;
    }

    /// Returns the names of the active modes.
    pub(super) fn names(&self) -> String {
        listed(&self.active())
    }

    /// Returns the excluded tools, sorted.
    pub(super) fn excluded(&self) -> Vec<&'static str> {
        let mut tools: Vec<&str> =
            self.active().iter().flat_map(|mode| mode.excludes.iter().copied()).collect();
        tools.sort_unstable();
        tools.dedup();
        tools
    }

    /// Returns the answer of `tool` if an active mode excludes it.
    fn refusal(&self, tool: &str) -> Option<Reply> {
        let active = self.active();
        let by = active.iter().find(|mode| mode.excludes.contains(&tool))?;
        Some(Reply::failed(format!(
            "Error: Tool not active. The mode {} leaves out {tool}; active modes: {}. switch_modes changes them.",
            by.name,
            listed(&active)
        )))
    }
}

/// Returns the refusal of a tool that the connection's modes exclude.
pub(super) fn refusal(client: &Client, tool: &str) -> Option<Reply> {
    client.state::<Modes>().refusal(tool)
}

fn listed(modes: &[&Mode]) -> String {
    if modes.is_empty() {
        return "none".to_owned();
    }
    modes.iter().map(|mode| mode.name).collect::<Vec<_>>().join(", ")
}

fn switch(call: &ConnectionCall<'_>) -> Result<Reply, Reply> {
    let mut modes: Vec<&'static Mode> = Vec::new();
    for name in Arguments::new(&call.arguments).strings("modes").map_err(bad_argument)? {
        let mode = MODES.iter().find(|mode| mode.name == name).ok_or_else(|| unknown(name))?;
        if !modes.contains(&mode) {
            modes.push(mode);
        }
    }
    let active = call.client.state::<Modes>();
    active.switch(modes);
    Ok(Reply::done(describe(&active)))
}

fn unknown(name: &str) -> Reply {
    let known: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
    error(format!("Unknown mode '{name}'. Known modes: {}", known.join(", ")))
}

/// Describes the active modes.
pub(super) fn describe(modes: &Modes) -> String {
    let mut text = format!("Active modes: {}", modes.names());
    for mode in modes.active() {
        text.push_str(&format!("\n- {}: {}", mode.name, mode.says));
    }
    let excluded = modes.excluded();
    if !excluded.is_empty() {
        text.push_str(&format!("\nTools that are not active: {}", excluded.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serena::SERENA;

    #[test]
    fn modes_leave_out_tools_that_there_are() {
        for mode in &MODES {
            for excluded in mode.excludes {
                let known = SERENA.tools.iter().any(|tool| tool.name == *excluded);
                assert!(known, "{}: {excluded}", mode.name);
            }
        }
        // A client that never chose a mode has every tool.
        assert!(Modes::default().excluded().is_empty());
    }
}
