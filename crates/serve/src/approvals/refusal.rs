//! Messages about calls that were not run: why, and how the user can allow them.

use symd_toolsets::Offered;

use super::connection_state::NOT_THE_USERS;
use super::decide::Offer;
use super::{ApprovalRequest, Question};
use symd_config::approvals;

/// The longest pattern, in characters, that a message proposes; longer ones are left to the user.
const MAX_PATTERN: usize = 300;

/// The message if the user answered no.
pub(super) fn user_declined(wanted: &ApprovalRequest) -> String {
    let declined = format!("{} was not run: the user did not approve it", wanted.offered.tool.name);
    match wanted.outgoing {
        None => declined,
        Some(_) => format!("{declined}. {}", allowing(wanted)),
    }
}

/// The message if a rule allows the call, but not over this connection.
pub(super) fn connection_not_proved(wanted: &ApprovalRequest) -> String {
    format!(
        "{} was not run: one of the user's rules allows it, but rules about tools that reach beyond the project apply \
         only to the user's own connections, and {NOT_THE_USERS}",
        wanted.offered.tool.name
    )
}

/// The message if the user could not be asked (`why`), with the commands that allow the call without a
/// question.
pub(super) fn user_not_asked(wanted: &ApprovalRequest, question: &Question, why: &str) -> String {
    let tool = wanted.offered.tool.name;
    let needs = match &question.because {
        None => format!("{tool} was not run: it needs the user's approval, and {why}"),
        Some(because) => format!(
            "{tool} was not run: {because}; so it needs the user's approval of this very call, which no policy and no \
             broader rule can give, and {why}"
        ),
    };
    if question.offer == Offer::Once {
        return format!(
            "{needs}. The project's {} or one of the user's rules requires a question each time; `symd approvals list` shows which",
            approvals::PROJECT_FILE
        );
    }
    if question.because.is_some() {
        return format!("{needs}. The user can allow it in a terminal: {}", rules(wanted));
    }
    format!("{needs}. {}", allowing(wanted))
}

/// Returns the sentence with the commands that allow the call.
fn allowing(wanted: &ApprovalRequest) -> String {
    let Offered { toolset, tool } = wanted.offered;
    let (toolset, tool) = (toolset.name, tool.name);
    let narrow = match wanted.outgoing {
        Some(_) => "only these sources",
        None => "only calls like this one",
    };
    format!(
        "The user can allow it in a terminal: `symd approvals policy {toolset}/{tool} allow` this tool, \
         `symd approvals policy {toolset} allow` all tools of {toolset}, {} {narrow}",
        rules(wanted)
    )
}

/// Returns the commands that add rules for the call.
fn rules(wanted: &ApprovalRequest) -> String {
    let Offered { toolset, tool } = wanted.offered;
    let command = |text: String| {
        let exact = approvals::exact(&text);
        let pattern = if exact.chars().count() > MAX_PATTERN { "PATTERN".to_owned() } else { quoted(&exact) };
        format!("`symd approvals add {} {pattern} --toolset {}`", tool.name, toolset.name)
    };
    wanted.texts().into_iter().map(command).collect::<Vec<_>>().join(" and ")
}

/// Quotes the text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
