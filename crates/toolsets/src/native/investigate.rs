//! native's `investigate`: everything that is known about a text that reports an error, within a budget of characters.

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

use super::files::{counted, failed};
use super::server_tools::format_refusal;
use super::{build_output, stack_trace};
use crate::arguments::{ArgumentError, Arguments};
use crate::server_questions::{NoAnswerReason, in_time};
use crate::{Call, Reply, Tool};
use symd_knowledge::SimilarSolution;
use symd_ops::Project;
use symd_ops::investigate::{Diagnosis, Investigate, InvestigateError, Investigation, investigate};
use symd_ops::recent_changes::{ChangesOfPlace, RecentChange};
use symd_ops::relations::{CallChain, CallChains};

const DEFAULT_LIMIT: usize = 8_000;

pub(super) const INVESTIGATE: Tool = Tool::read_only(
    "investigate",
    "Investigate an error",
    "Takes any text that reports an error (crash, logcat, test report, build output, a message), finds out what it is, and answers within \
     a budget: cause, places in this project with code, callers, recent changes of those lines, similar past solutions, what to ask next.",
    schema,
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|refused| refused) }),
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The text, as it was logged or printed."},
            "mapping": {"type": "string", "description": "As of resolve_stack_trace."},
            "variant": {"type": "string", "description": "As of resolve_stack_trace."},
            "rev": {"type": "string", "description": "As of resolve_stack_trace."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": super::files::LIMIT}
        },
        "required": ["text"]
    })
}

/// The share of the budget that the trace or the build's errors may take, in percent.
const SHARE: usize = 60;

/// Maximum number of chains of callers, and of characters of a solution's text, that are shown.
const MAX_CHAINS: usize = 6;
const MAX_TEXT: usize = 240;

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let (ask, limit) = request(&arguments).map_err(failed)?;
    let found = answered(call.project, investigate(call.project, ask)).await?;
    Ok(Reply::done(shown(&found, limit)))
}

/// Waits for what is found out about a text, and formats why it is not.
pub(super) async fn answered<T>(
    project: &Project,
    finding: impl Future<Output = Result<T, InvestigateError>>,
) -> Result<T, Reply> {
    match in_time(project, Duration::ZERO, finding).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(InvestigateError::Question(error))) => Err(format_refusal(NoAnswerReason::Question(error))),
        Ok(Err(InvestigateError::Trace(error))) => Err(failed(error)),
        Err(late) => Err(format_refusal(late)),
    }
}

/// Reads what is asked about a text.
pub(super) fn asked(arguments: &Arguments<'_>) -> Result<Investigate, ArgumentError> {
    Ok(Investigate {
        text: arguments.string("text")?.to_owned(),
        mapping: arguments.string_if("mapping")?.map(str::to_owned),
        variant: arguments.string_if("variant")?.map(str::to_owned),
        revision: arguments.string_if("rev")?.map(str::to_owned),
    })
}

fn request(arguments: &Arguments<'_>) -> Result<(Investigate, usize), ArgumentError> {
    let ask = asked(arguments)?;
    match arguments.count_or("limit", DEFAULT_LIMIT)? {
        0 => Err(arguments.invalid("limit", "a positive integer")),
        limit => Ok((ask, limit)),
    }
}

fn shown(found: &Investigation, limit: usize) -> String {
    let mut text = match &found.diagnosis {
        Diagnosis::Trace(traces) => stack_trace::shown(traces, limit * SHARE / 100),
        Diagnosis::Build(build) => build_output::shown(build, limit * SHARE / 100),
        Diagnosis::Message => "neither a stack trace nor the output of a build".to_owned(),
    };
    text.push('\n');
    let next = next(found);
    let room = limit.saturating_sub(next.iter().map(|line| line.chars().count() + 4).sum::<usize>() + 64);
    for (title, lines) in [
        ("callers", found.callers.as_ref().map(callers).unwrap_or_default()),
        ("recent changes", found.changes.iter().flat_map(changes).collect()),
        ("similar past solutions", found.similar.iter().map(solution).collect()),
        ("not found out", found.notes.clone()),
    ] {
        section(&mut text, title, &lines, room);
    }
    section(&mut text, "ask next", &next, limit);
    text.trim_end().to_owned()
}

/// Adds the lines for which there is room.
pub(super) fn section(text: &mut String, title: &str, lines: &[String], room: usize) {
    if lines.is_empty() {
        return;
    }
    let mut used = text.chars().count() + title.len() + 3;
    let fits = lines.iter().take_while(|line| {
        used += line.chars().count() + 3;
        used <= room
    });
    let fitting = fits.count();
    let left = lines.len() - fitting;
    if fitting == 0 {
        text.push_str(&format!("\n{title}: {left} left out; raise limit\n"));
        return;
    }
    text.push_str(&format!("\n{title}:\n"));
    lines.iter().take(fitting).for_each(|line| text.push_str(&format!("  {line}\n")));
    if left > 0 {
        text.push_str(&format!("  … {left} more; raise limit\n"));
    }
}

pub(super) fn callers(callers: &CallChains) -> Vec<String> {
    let line = |chain: &CallChain| {
        let mark = if chain.is_likely { "" } else { "? " };
        let line = chain.lines.first().map_or(1, |line| line + 1);
        format!("{mark}{}:{line} {}", chain.path, chain.functions.join(" > "))
    };
    let mut lines: Vec<String> = callers.chains.iter().take(MAX_CHAINS).map(line).collect();
    if callers.chains.len() > MAX_CHAINS {
        lines.push(format!("… {} more chains", callers.chains.len() - MAX_CHAINS));
    }
    if lines.is_empty() {
        lines.push("nothing in the project calls it by name".to_owned());
    }
    lines.extend((!callers.gaps.is_empty()).then(|| format!("incomplete: {}", callers.gaps.join("; "))));
    lines
}

fn changes(of: &ChangesOfPlace) -> Vec<String> {
    of.changes.iter().map(|change| format!("{}:{}", of.path, change_line(change))).collect()
}

/// `30-32 2026-11-02 1a2b3c4d5e Ann: till closes early`
fn change_line(change: &RecentChange) -> String {
    let lines = ranges(&change.lines);
    match &change.commit {
        None => format!("{lines} not committed yet"),
        Some(commit) => {
            let day: String = commit.time.to_string().chars().take(10).collect();
            format!("{lines} {day} {} {}: {}", commit.hash, commit.author, cut(&commit.summary))
        }
    }
}

/// `3-5,9`
fn ranges(lines: &[usize]) -> String {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for &line in lines {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => all.push((line, line)),
        }
    }
    let shown = all.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(",")
}

fn solution(one: &SimilarSolution) -> String {
    let of = &one.solution;
    let confirmed = if of.user_validated { ", confirmed" } else { "" };
    let fixed_in = if of.fixed_in.is_empty() { String::new() } else { format!("; fixed in {}", of.fixed_in) };
    format!(
        "{} {} (similarity {:.2}{confirmed}): {}; cause: {}; solution: {}{fixed_in}",
        of.id,
        of.error_type,
        one.similarity,
        cut(&of.error_description),
        cut(&of.root_cause),
        cut(&of.solution),
    )
}

/// Returns the first line, and no more of it than is worth showing.
fn cut(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Returns what to ask next, with the tools' names.
fn next(found: &Investigation) -> Vec<String> {
    let mut lines = Vec::new();
    if let Diagnosis::Trace(traces) = &found.diagnosis {
        if let Some(tag) = traces.fitting_tags.as_ref().and_then(|tags| tags.tags.first()) {
            lines.push(format!("investigate with rev \"{tag}\": the sources have changed since the build"));
        } else if traces
            .traces
            .iter()
            .flat_map(|trace| &trace.frames)
            .any(|frame| frame.places.iter().any(|place| place.differs))
        {
            lines.push(
                "investigate with rev, the tag or commit that was built: the sources have changed since"
                    .to_owned(),
            );
        }
        let mut frames = traces.traces.iter().flat_map(|trace| &trace.frames);
        let has_classes = frames.any(|frame| !frame.frame.class.is_empty());
        if found.places.is_empty() && traces.mapping.is_none() && has_classes {
            lines.push(
                "resolve_stack_trace with mapping, if the program is obfuscated: no frame is of this project"
                    .to_owned(),
            );
        }
    }
    if let Some(place) = found.places.iter().find(|place| !place.name_path.is_empty()) {
        lines.push(format!("explore {} in {}: its body, callees and types", place.name_path, place.path));
        let count = found.callers.as_ref().map_or(0, |callers| callers.chains.len());
        if count > MAX_CHAINS {
            lines.push(format!(
                "references {} with relation: callers: {}",
                place.name_path,
                counted(count, "chain", "chains")
            ));
        }
    }
    if matches!(found.diagnosis, Diagnosis::Message) {
        lines.push("search for the words of the message, or give the whole log".to_owned());
    }
    lines.push("record_solution, once it is solved: the next one finds it".to_owned());
    lines
}
