//! `symd doctor`: checks what symd needs of the system, and advises how to fix what is missing.

mod servers;
mod setup;
mod system;

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::base::state;
use crate::cli::client::Client;
use crate::cli::commands::{Form, print, print_styled};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::terminal::for_reader;
use crate::serve::DaemonPaths;
use crate::serve::protocol::{STATUS, VERSION};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Fail,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Warn => "warn",
            State::Fail => "fail",
        }
    }

    fn style(self) -> Style {
        match self {
            State::Ok => AnsiColor::Green.on_default(),
            State::Warn => AnsiColor::Yellow.on_default(),
            State::Fail => AnsiColor::Red.on_default(),
        }
    }
}

/// The result of one check.
#[derive(Debug)]
struct Check {
    name: Cow<'static, str>,
    state: State,
    found: String,
    /// What to do; empty if the check passed.
    advice: String,
    /// Details for programs: an object, or null.
    details: Value,
}

impl Check {
    fn new(
        state: State,
        name: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Check {
        Check { name: name.into(), state, found: found.into(), advice: advice.into(), details: Value::Null }
    }

    fn ok(name: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Check {
        Check::new(State::Ok, name, found, "")
    }

    fn warn(
        name: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Check {
        Check::new(State::Warn, name, found, advice)
    }

    fn fail(
        name: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Check {
        Check::new(State::Fail, name, found, advice)
    }
}

pub(super) fn run(context: &Context, form: Form) -> Result<(), Failure> {
    let mut checks = system::checks(context);
    let mut status = None;
    let place = context.find_place();
    match &place {
        Ok(place) => {
            checks.push(Check::ok("project", place.root.display().to_string()));
            checks.extend(setup::checks(context, place));
            let directories = directories(place);
            if directories.state == State::Ok {
                let (check, says) = daemon(place);
                checks.push(check);
                status = says;
            }
            checks.push(directories);
        }
        Err(error) => checks.push(Check::warn(
            "project",
            error.to_string(),
            "start inside a project, or name one with --project DIR",
        )),
    }
    checks.extend(servers::checks(context, place.as_ref().ok(), status.as_ref()));
    match form {
        Form::Json => print(&format!("{:#}\n", json!(checks.iter().map(as_json).collect::<Vec<_>>())))?,
        Form::Text => print_styled(&text(&checks))?,
    }
    let failed = checks.iter().any(|check| check.state == State::Fail);
    if failed { Err(Exit::Failed.silent()) } else { Ok(()) }
}

fn as_json(check: &Check) -> Value {
    let mut json = json!({
        "check": check.name,
        "state": check.state.name(),
        "found": check.found,
        "advice": check.advice,
    });
    if !check.details.is_null() {
        json["server"] = check.details.clone();
    }
    json
}

fn text(checks: &[Check]) -> String {
    let coloured = crate::cli::colour::is_wanted();
    let mut text = String::new();
    for check in checks {
        let style = if coloured { check.state.style() } else { Style::new() };
        // Writing to a String cannot fail.
        let said = |text| for_reader(text, &std::io::stdout());
        let _ = writeln!(
            text,
            "{style}{:<4}{style:#}  {:<12} {}",
            check.state.name(),
            said(&check.name),
            said(&check.found)
        );
        if !check.advice.is_empty() {
            let _ = writeln!(text, "{:19}→ {}", "", said(&check.advice));
        }
    }
    text
}

fn directories(place: &DaemonPaths) -> Check {
    let verified = place
        .verify()
        .and_then(|()| state::private_dir(&place.state))
        .and_then(|()| state::private_dir(&place.outlines));
    match verified {
        Ok(()) => Check::ok("directories", place.runtime.display().to_string()),
        Err(error) => {
            Check::fail("directories", error.to_string(), "no daemon can start until this is fixed")
        }
    }
}

/// Returns the check of the daemon, and its status if it runs.
fn daemon(place: &DaemonPaths) -> (Check, Option<Value>) {
    let asked = Client::raw(place).and_then(|client| match client {
        Some(mut client) => client.request(STATUS, json!({}), |_| ()).map(Some),
        None => Ok(None),
    });
    let check = match &asked {
        Ok(Some(status)) if status["version"] == VERSION => {
            Check::ok("daemon", format!("pid {}, symd {VERSION}", status["pid"]))
        }
        Ok(Some(status)) => Check::warn(
            "daemon",
            format!("pid {}, symd {} (this is {VERSION})", status["pid"], status["version"]),
            "`symd restart` starts this version",
        ),
        Ok(None) => Check::ok("daemon", "not running; the first client starts it"),
        Err(failure) => Check::fail("daemon", failure.text.clone(), "`symd logs` may show why"),
    };
    (check, asked.ok().flatten())
}
