//! What is said of a call that was not run: who did not allow it, and what the user can do to allow it.

use symd_toolsets::Offered;

use super::asking::NOT_THE_USERS;
use super::decide::Offer;
use super::{ApprovalRequest, Question};
use symd_config::approvals;

/// Characters of a proposed pattern; a longer one is left to the user.
const MOST_PATTERN: usize = 300;

/// The user said no.
pub(super) fn declined(wanted: &ApprovalRequest) -> String {
    format!("{} was not run: the user did not approve it", wanted.offered.tool.name)
}

/// A rule allows it, but not over this connection.
pub(super) fn held_back(wanted: &ApprovalRequest) -> String {
    format!(
        "{} was not run: a rule of the user's allows it, but rules about what reaches beyond the project hold over the \
         user's own connections only, and {NOT_THE_USERS}",
        wanted.offered.tool.name
    )
}

/// Nobody could be asked, and `why`; how to allow it without asking.
pub(super) fn unasked(wanted: &ApprovalRequest, question: &Question, why: &str) -> String {
    let Offered { toolset, tool } = wanted.offered;
    let (toolset, tool) = (toolset.name, tool.name);
    let needs = match &question.because {
        None => format!("{tool} was not run: it needs the user's approval, and {why}"),
        Some(because) => format!(
            "{tool} was not run: {because}; so it needs the user's approval of this very call, which no policy and no rule \
             about more than it can give, and {why}"
        ),
    };
    if question.offer == Offer::Once {
        return format!(
            "{needs}. The project's {} or a rule of the user's wants it asked about each time; `symd approvals list` shows which",
            approvals::PROJECT_FILE
        );
    }
    let exact = approvals::exact(&wanted.json);
    let pattern = if exact.chars().count() > MOST_PATTERN { "PATTERN".to_owned() } else { quoted(&exact) };
    if question.because.is_some() {
        return format!(
            "{needs}. The user can allow it in a terminal: `symd approvals add {tool} {pattern} --toolset {toolset}`"
        );
    }
    format!(
        "{needs}. The user can allow it in a terminal: `symd approvals policy {toolset}/{tool} allow` this tool, \
         `symd approvals policy {toolset} allow` all tools of {toolset}, \
         `symd approvals add {tool} {pattern} --toolset {toolset}` only calls like this one"
    )
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
