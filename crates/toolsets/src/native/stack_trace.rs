//! native's `resolve_stack_trace`: a trace as text, the cause first, own frames with their places, foreign ones folded.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::files::{DEFAULT_LIMIT, LIMIT, counted, cut, failed, limit};
use super::investigate;
use crate::arguments::Arguments;
use crate::{Call, Reply, Tool, ask};
use symd_base::Cancel;
use symd_engine::View;
use symd_git::{Git, GitError};
use symd_ops::investigate::trace_with_callers;
use symd_ops::stack_trace::{
    FittingTags, FramePlace, MappingChoice, PlaceCode, ResolvedFrame, ResolvedTrace, ResolvedTraces,
    TraceQuestion, TraceRelation, resolve_trace,
};

pub(super) const RESOLVE_STACK_TRACE: Tool = Tool::read_only(
    "resolve_stack_trace",
    "Resolve stack trace",
    "Resolves a stack trace (JVM, Android, Python, logcat, test reports) to this project's declarations: the cause first, with its code, \
     frames of libraries folded. A place that is not sure says why.",
    schema,
    |call| {
        if call
            .arguments
            .get("callers")
            .is_some_and(|callers| !matches!(callers, Value::Bool(false) | Value::Null))
        {
            return Box::pin(async move { with_callers(&call).await.unwrap_or_else(|refused| refused) });
        }
        let git = call.project.git();
        ask(call, move |view, arguments, cancel| resolve(view, arguments, git.as_ref(), cancel))
    },
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The trace, as it was logged."},
            "mapping": {"type": "string", "description": "The mapping.txt of ProGuard or R8 by which an obfuscated trace is read, in the project; by default that of a build beneath build/outputs/mapping."},
            "variant": {"type": "string", "description": "The variant of an Android build that the trace is of, such as paidRelease: of the source sets of several flavors only its own are taken. By default that of the mapping, or one that the text names."},
            "rev": {"type": "string", "description": "The tag, branch or commit that was built: sources are read from git. By default those on the disk; an editor's unsaved text is never taken."},
            "callers": {"type": "boolean", "default": false, "description": "Whether to add the callers of the first places in this project; may take seconds."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT}
        },
        "required": ["text"]
    })
}

/// Maximum number of lines of a message that are shown.
const MESSAGE_LINES: usize = 6;

/// Maximum number of tags that are named.
const MAX_TAGS: usize = 4;

/// Maximum number of packages that a line of foreign frames names.
const MAX_PACKAGES: usize = 3;

/// Maximum number of libraries that a line of native frames names, and of functions of each.
const MAX_LIBRARIES: usize = 8;
const MAX_FUNCTIONS: usize = 3;

fn resolve(
    view: &View,
    arguments: &serde_json::Map<String, Value>,
    git: Result<&Git, &GitError>,
    cancel: &Cancel,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let (text, limit) = match (arguments.string("text"), limit(&arguments)) {
        (Ok(text), Ok(limit)) => (text, limit),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    let mapping = match arguments.string_if("mapping") {
        Ok(Some(path)) => MappingChoice::Given(path),
        Ok(None) => MappingChoice::OfBuild,
        Err(error) => return failed(error),
    };
    let (variant, revision) = match (arguments.string_if("variant"), arguments.string_if("rev")) {
        (Ok(variant), Ok(revision)) => (variant, revision),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    let question = TraceQuestion { text, mapping, variant, revision, git };
    let resolved = match resolve_trace(view, question, cancel) {
        Ok(resolved) => resolved,
        Err(error) => return failed(error),
    };
    match resolved.traces.is_empty() {
        true => failed(NO_TRACE),
        false => Reply::done(shown(&resolved, limit)),
    }
}

const NO_TRACE: &str = "there is no stack trace in the text: no line such as `at shop.Till.sell(Till.kt:12)`, `Till.kt:12` or `File \"till.py\", line 12, in sell`";

/// Maximum share of the limit that callers may take, in percent.
const SHARE_OF_CALLERS: usize = 30;

async fn with_callers(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    arguments.boolean_or("callers", false).map_err(failed)?;
    let asked = investigate::asked(&arguments).map_err(failed)?;
    let limit = limit(&arguments).map_err(failed)?;
    let found = investigate::answered(call.project, trace_with_callers(call.project, asked)).await?;
    if found.traces.traces.is_empty() {
        return Err(failed(NO_TRACE));
    }
    let mut text = shown(&found.traces, limit - limit.saturating_mul(SHARE_OF_CALLERS) / 100);
    text.push('\n');
    let mut callers = found.callers.iter();
    let mut lines = callers.next().map(investigate::callers).unwrap_or_default();
    let further = callers.filter(|callers| !callers.chains.is_empty());
    lines.extend(further.flat_map(investigate::callers));
    lines.extend(found.notes);
    investigate::section(&mut text, "callers", &lines, limit);
    Ok(Reply::done(text.trim_end().to_owned()))
}

/// `2 of 3 frames whose sources differ fit v1.1, v1.0: ask with rev`
fn offered(fitting: &FittingTags) -> String {
    let FittingTags { tags, fits, of } = fitting;
    let named: Vec<&str> = tags.iter().take(MAX_TAGS).map(String::as_str).collect();
    let more = if tags.len() > MAX_TAGS { ", …" } else { "" };
    let all = if fits == of { counted(*of, "frame", "frames") } else { format!("{fits} of {of} frames") };
    let fit = if *fits == 1 && fits == of { "fits" } else { "fit" };
    format!("{all} whose sources differ {fit} {}{more}: ask with rev", named.join(", "))
}

/// Returns the whole answer.
pub(super) fn shown(resolved: &ResolvedTraces, limit: usize) -> String {
    let mut text = String::new();
    let mut has_code = false;
    for (number, chain) in resolved.chains().into_iter().enumerate() {
        for (at, trace) in chain.into_iter().enumerate() {
            if number + at > 0 {
                text.push('\n');
            }
            head(trace, at, &mut text);
            frames(trace, &mut has_code, &mut text);
        }
    }
    let footer = footer(resolved);
    cut(&mut text, limit.saturating_sub(footer.chars().count() + 64));
    text + &footer
}

fn head(trace: &ResolvedTrace, at: usize, text: &mut String) {
    let led_to = match (trace.relation, at) {
        (TraceRelation::Suppressed, _) => "suppressed: ",
        (TraceRelation::CauseOfSuppressed, _) => "cause of what was suppressed: ",
        (TraceRelation::Remote, _) => "where another process threw it: ",
        (_, 0) => "",
        _ => "led to: ",
    };
    let message: Vec<&str> = trace.message.lines().take(MESSAGE_LINES).collect();
    let message = if message.is_empty() { String::new() } else { format!(": {}", message.join("\n  ")) };
    let thread = match (trace.error_type.is_empty(), trace.thread.is_empty()) {
        (true, true) if message.is_empty() => return,
        // `: expected …` of a failed test.
        (true, true) => {
            let _ = writeln!(text, "{}", &message[2..]);
            return;
        }
        (true, false) => format!("thread {}", trace.thread),
        (false, true) => String::new(),
        (false, false) => format!(" (thread {})", trace.thread),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{led_to}{}{thread}{message}", trace.error_type);
}

fn frames(trace: &ResolvedTrace, has_code: &mut bool, text: &mut String) {
    let mut foreign: Vec<&ResolvedFrame> = Vec::new();
    for frame in &trace.frames {
        if frame.cycle > 0 {
            fold(&mut foreign, text);
            let what = if frame.cycle == 1 {
                "this frame".to_owned()
            } else {
                format!("these {} frames", frame.cycle)
            };
            let _ = writeln!(text, "{what} × {}:", frame.times);
        }
        if frame.places.is_empty() {
            foreign.push(frame);
            continue;
        }
        fold(&mut foreign, text);
        for place in &frame.places {
            let _ = writeln!(text, "{}", placed(place, frame));
        }
        if let ([place], false) = (frame.places.as_slice(), *has_code) {
            *has_code = true;
            trace.code.iter().for_each(|around| code(around, place, text));
        }
    }
    fold(&mut foreign, text);
    if trace.omitted > 0 {
        let _ = writeln!(text, "… {} more, as below", trace.omitted);
    }
}

/// `app/src/Till.kt:12 in Till/sell`, behind `?` where it is not sure.
fn placed(place: &FramePlace, frame: &ResolvedFrame) -> String {
    let inside = if place.name_path.is_empty() { String::new() } else { format!(" in {}", place.name_path) };
    let mark = if place.doubt.is_some() { "? " } else { "" };
    let said: Vec<&str> = place.doubt.iter().chain(&place.remark).map(String::as_str).collect();
    let said = if said.is_empty() { String::new() } else { format!(" ({})", said.join("; ")) };
    let method = &frame.frame.method;
    let last = place.name_path.rsplit('/').next().unwrap_or_default();
    let is_same = matches!(method.as_str(), "" | "<module>")
        || last == method
        || last.split('[').next() == Some(method);
    let written =
        if is_same { String::new() } else { format!(" as {}.{method}", simple(&frame.frame.class)) };
    format!("{mark}{}:{}{inside}{written}{said}", place.path, place.line)
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

fn code(code: &PlaceCode, place: &FramePlace, text: &mut String) {
    for (number, line) in (code.first_line..).zip(&code.lines) {
        let mark = if number == place.line { '>' } else { ' ' };
        let _ = writeln!(text, "  {mark}{number:>4} {line}");
    }
}

fn fold(foreign: &mut Vec<&ResolvedFrame>, text: &mut String) {
    let (native, other): (Vec<_>, Vec<_>) = foreign.drain(..).partition(|frame| frame.frame.is_native());
    if !native.is_empty() {
        fold_native(&native, text);
    }
    if other.is_empty() {
        return;
    }
    let mut seen = BTreeSet::new();
    let packages: Vec<String> = other
        .iter()
        .map(|frame| root_package(&frame.frame.class))
        .filter(|name| seen.insert(name.clone()))
        .collect();
    let more = if packages.len() > MAX_PACKAGES { ", …" } else { "" };
    let named: Vec<&str> = packages.iter().take(MAX_PACKAGES).map(String::as_str).collect();
    let _ = writeln!(text, "  … {} of {}{more}", counted(other.len(), "frame", "frames"), named.join(", "));
}

/// `… 5 native frames: 3 of libc.so (abort, raise), 2 of libtill.so (sum)`
fn fold_native(frames: &[&ResolvedFrame], text: &mut String) {
    let mut libraries: Vec<(&str, usize, Vec<&str>)> = Vec::new();
    for ResolvedFrame { frame, .. } in frames {
        let at = libraries.iter().position(|(name, ..)| *name == frame.library).unwrap_or_else(|| {
            libraries.push((&frame.library, 0, Vec::new()));
            libraries.len() - 1
        });
        let (_, count, functions) = &mut libraries[at];
        *count += 1;
        if !frame.method.is_empty()
            && functions.len() <= MAX_FUNCTIONS
            && !functions.contains(&&*frame.method)
        {
            functions.push(&frame.method);
        }
    }
    let named = libraries.iter().take(MAX_LIBRARIES).map(|(name, count, functions)| {
        let more = if functions.len() > MAX_FUNCTIONS { ", …" } else { "" };
        match functions.is_empty() {
            true => format!("{count} of {name}"),
            false => {
                let shown = functions.len().min(MAX_FUNCTIONS);
                format!("{count} of {name} ({}{more})", functions[..shown].join(", "))
            }
        }
    });
    let named: Vec<String> = named.collect();
    let more = if libraries.len() > MAX_LIBRARIES { ", …" } else { "" };
    let count = counted(frames.len(), "native frame", "native frames");
    let _ = writeln!(text, "  … {count}: {}{more}", named.join(", "));
}

/// Returns the first two components of a class's package.
fn root_package(class: &str) -> String {
    let parts: Vec<&str> = class.split('.').collect();
    match parts.as_slice() {
        [] | [_] => class.to_owned(),
        [first, _] => (*first).to_owned(),
        [first, second, ..] => format!("{first}.{second}"),
    }
}

fn footer(resolved: &ResolvedTraces) -> String {
    let frames = || resolved.traces.iter().flat_map(|trace| &trace.frames);
    let all: usize = frames().count();
    let own = frames().filter(|frame| !frame.places.is_empty()).count();
    let unsure = frames().filter(|frame| frame.places.iter().any(|place| place.doubt.is_some())).count();
    let mut remarks = vec![format!("frames of this project: {own} of {all}")];
    if unsure > 0 {
        remarks.push(format!("{unsure} marked ? are not sure"));
    }
    remarks.push(match &resolved.revision {
        Some(read) => format!("read from the sources of {} ({})", read.name, read.commit),
        None => "read from the sources as they are now".to_owned(),
    });
    remarks.extend(resolved.mapping.as_ref().map(|path| format!("names by {path}")));
    remarks.extend(resolved.fitting_tags.as_ref().map(offered));
    remarks.extend(resolved.notes.iter().cloned());
    format!("[{}]", remarks.join("; "))
}
