//! serena's tools that answer with advice to the model: onboarding, the three moments to stop and think, what
//! to write down at the end. The texts are symd's own. The tools change nothing, and read nothing but whether
//! there are memories.

use serde_json::{Value, json};

use super::memories::{format_refusal, names_json};
use crate::{Call, Reply, ReplyFuture, Tool};
use symd_ops::memory;

pub(super) const CHECK_ONBOARDING_PERFORMED: Tool = Tool::read_only(
    "check_onboarding_performed",
    "Was onboarding performed?",
    "Checks whether onboarding was performed: whether the project has memories. Call it when you begin to work on a \
        project, before anything else.",
    no_parameters,
    |call| Box::pin(async move { check_onboarding(&call).await.unwrap_or_else(|reply| reply) }),
);

pub(super) const ONBOARDING: Tool = Tool::read_only(
    "onboarding",
    "Onboarding",
    "Performs onboarding: answers what to find out about a project that is new to you, and to keep in memories.",
    no_parameters,
    |call| constant(call, ONBOARDING_TEXT),
);

pub(super) const THINK_ABOUT_COLLECTED_INFORMATION: Tool = Tool::read_only(
    "think_about_collected_information",
    "Think about what was found",
    "Thinks about whether what was found so far is enough and to the point. Call it after a longer row of searches \
        and reads.",
    no_parameters,
    |call| constant(call, COLLECTED_INFORMATION),
);

pub(super) const THINK_ABOUT_TASK_ADHERENCE: Tool = Tool::read_only(
    "think_about_task_adherence",
    "Think about the task",
    "Thinks about whether the work is still about the task. Call it before you change code, and again when a \
        conversation has become long.",
    no_parameters,
    |call| constant(call, TASK_ADHERENCE),
);

pub(super) const THINK_ABOUT_WHETHER_YOU_ARE_DONE: Tool = Tool::read_only(
    "think_about_whether_you_are_done",
    "Think about whether it is done",
    "Thinks about whether the task is really done. Call it when you believe that it is.",
    no_parameters,
    |call| constant(call, WHETHER_DONE),
);

pub(super) const PREPARE_FOR_NEW_CONVERSATION: Tool = Tool::read_only(
    "prepare_for_new_conversation",
    "Prepare for a new conversation",
    "Prepares for going on in a new conversation: answers what to write down for it. Call it only where the user asks.",
    no_parameters,
    |call| constant(call, NEW_CONVERSATION),
);

pub(super) const SUMMARIZE_CHANGES: Tool = Tool::read_only(
    "summarize_changes",
    "Summarize changes",
    "Summarizes the changes that were made: answers how to. Call it after a larger change.",
    no_parameters,
    |call| constant(call, SUMMARY),
);

const ONBOARDING_TEXT: &str = "\
You see this project for the first time. Find out what somebody needs who works on it, and keep it in memories, so that \
nobody has to find it out again.

What to find out:
1. What the project is for, and which languages, frameworks and main dependencies it is made with.
2. How it is laid out: the directories that matter, where a run starts, what belongs together.
3. The commands for everyday work: building, running, testing (all tests, and a single one), formatting, linting, and \
those of this system that are unusual.
4. Conventions: naming, typing, comments, error handling, tests, commit messages. Only those that the code shows or a \
document states.
5. What has to be done before a change counts as finished.

How: list_dir for the layout, then the README and the build and configuration files. get_symbols_overview for the central \
source files; read bodies only where a name does not say enough. Leave alone what is generated or vendored. Ask the user \
where something important stays open.

Then call write_memory a few times, once for each subject, with names that tell what is inside, such as \
project_overview, code_structure, suggested_commands, code_conventions and when_a_task_is_done. Keep each short, and leave \
out what a look at the code shows at once.";

const COLLECTED_INFORMATION: &str = "\
Stop for a moment and look at what you have found so far.
- Does it answer what the task needs? Name what is missing; if nothing is, stop searching.
- What of it do you know from the code, and what do you only suppose? Look at the second before you build on it.
- Is something missing that a tool can tell: who else uses a symbol (find_referencing_symbols), where it is declared \
(find_symbol), how others do the same (search_for_pattern)? Ask for that, and not for whole files.
- Is there something only the user knows? Then ask, once, with what you have found.";

const TASK_ADHERENCE: &str = "\
Before you change anything:
- Say in one sentence what the user asked for. Is the next step part of it? What is not, leave out, or offer it.
- Do you know every place that the change touches, and the conventions that hold there? If there are memories about \
that, have you read them?
- Did the user correct you, or add a condition, since you made your plan? It holds.
- Is there a decision that is the user's to make: a changed interface, a new dependency, something that cannot be taken \
back? Ask first.";

const WHETHER_DONE: &str = "\
Before you say that the task is done:
- Go through what was asked for, point by point. Is each one there?
- Does every place fit that uses what you changed: callers, tests, documentation, configuration?
- Did you run what this project wants run after a change: formatting, linting, tests? Say what you did not run, and why.
- Did you leave anything behind: debugging output, dead code, temporary files, notes to yourself?
- Is anything open or only half sure? Say so in plain words; it is better known now than found later.";

const NEW_CONVERSATION: &str = "\
Somebody who knows nothing of this conversation shall be able to go on. Write a memory (write_memory, with a name that \
tells the task) that holds:
- what the user wants, with every condition and decision made on the way,
- what is done, and in which files and symbols,
- what is left, in the order in which you would do it, beginning with the very next step,
- what you found out that was hard to find, and what you tried that did not work,
- the commands by which the work is checked, and how they came out last.
Leave out what the code itself shows. Then tell the user the name of the memory.";

const SUMMARY: &str = "\
Summarize what you changed in this conversation, for somebody who reviews it.
- Look at the real difference first (for instance with `git diff`), and not only at what you remember.
- Begin with what is different for users of the code, then go through it file by file, and say why where the change \
itself does not show it.
- Name changed interfaces, and everything that others have to do because of them.
- Say which tests were added or changed, what was run and how it came out.
- End with what is left open, or what you are not sure of.
Do not change any files for this.";

/// Returns the schema of a tool without parameters.
pub(super) fn no_parameters() -> Value {
    json!({ "type": "object", "properties": {}, "required": [] })
}

fn constant<'a>(_: Call<'a>, text: &'static str) -> ReplyFuture<'a> {
    Box::pin(std::future::ready(Reply::done(text)))
}

async fn check_onboarding(call: &Call<'_>) -> Result<Reply, Reply> {
    let names = memory::list(call.project).await.map_err(format_refusal)?;
    if names.is_empty() {
        return Ok(Reply::done(
            "Onboarding was not performed yet: this project has no memories. Call `onboarding` before you begin with \
             the task.",
        ));
    }
    Ok(Reply::done(format!(
        "Onboarding was performed. These memories exist: {}. Read those whose names have to do with your task, when \
         you need them; leave the others alone.",
        names_json(&names)
    )))
}
