//! `symd index`: waits until the index is up to date, and prints how fast it was built.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::cli::client::{Client, Role};
use crate::cli::commands::{Form, print};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::serve::protocol::{PROGRESS, SETTLED};

/// Whether quarantined files, which are no longer parsed, are retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unparsable {
    Left,
    Retried,
}

impl Unparsable {
    pub(super) fn new(retry: bool) -> Unparsable {
        if retry { Unparsable::Retried } else { Unparsable::Left }
    }
}

pub(super) fn run(context: &Context, form: Form, unparsable: Unparsable) -> Result<(), Failure> {
    let place = context.place()?;
    let started = Instant::now();
    let (mut client, _) = Client::connect(&place, Role::Cli, &[], context.spawning)?;
    let bar = bar();
    let wanted = json!({ "retry": unparsable == Unparsable::Retried });
    let answer = client.request(SETTLED, wanted, |message| {
        if message["method"] == PROGRESS {
            bar.set_message(counts(&message["params"], started.elapsed()));
            bar.tick();
        }
    });
    bar.finish_and_clear();
    let answer = answer?;
    if answer["settled"] != true {
        let why = answer["error"].as_str().unwrap_or("the daemon does not say why");
        return Err(Exit::NotReady.because(format!("the index is not up to date: {why}")));
    }
    let took = started.elapsed();
    match form {
        Form::Text => print(&format!("{}\n", counts(&answer["status"], took))),
        Form::Json => {
            let mut status = answer["status"].clone();
            status["seconds"] = json!(took.as_secs_f64());
            print(&format!("{status:#}\n"))
        }
    }
}

/// Creates a progress bar, which draws only on a terminal, and to stderr, since stdout carries data.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar
}

fn counts(status: &Value, took: Duration) -> String {
    let count = |key: &str| status[key].as_u64().unwrap_or_default();
    let (files, symbols, seconds) = (count("files"), count("symbols"), took.as_secs_f64());
    format!(
        "{files} files, {symbols} symbols in {seconds:.2} s ({:.0} files/s, {:.0} symbols/s)",
        per_second(files, seconds),
        per_second(symbols, seconds)
    )
}

fn per_second(count: u64, seconds: f64) -> f64 {
    // No project has more than u32::MAX files or symbols.
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / seconds.max(0.001)
}
