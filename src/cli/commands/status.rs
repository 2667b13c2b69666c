//! `symd status`: prints the daemon's status.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::base::state;
use crate::cli::client::Client;
use crate::cli::commands::{Form, print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::serve::DaemonPaths;
use crate::serve::daemon_paths::runtime_base;
use crate::serve::protocol::STATUS;

/// Which daemons' status to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    This,
    All,
}

impl Which {
    pub(super) fn new(all: bool) -> Which {
        if all { Which::All } else { Which::This }
    }
}

pub(super) fn run(context: &Context, form: Form, which: Which) -> Result<(), Failure> {
    if which == Which::All {
        return all(context, form);
    }
    let place = context.place()?;
    match of(&place)? {
        Some(status) => show(&status, form),
        None => Err(Exit::NoDaemon
            .because(format!("no daemon is running for {}; `symd start` starts one", place.root.display()))),
    }
}

fn all(context: &Context, form: Form) -> Result<(), Failure> {
    let mut found = Vec::new();
    for place in daemons(context)? {
        found.extend(of(&place)?);
    }
    match form {
        Form::Json => show(&json!(found), form),
        Form::Text if found.is_empty() => {
            say("no daemon is running");
            Ok(())
        }
        Form::Text => {
            let texts: Vec<String> = found.iter().map(text).collect();
            print(&texts.join("\n"))
        }
    }
}

/// Returns the status of the daemon of `place`; `None` if none runs.
fn of(place: &DaemonPaths) -> Result<Option<Value>, Failure> {
    let Some(mut client) = Client::raw(place)? else { return Ok(None) };
    client.request(STATUS, json!({}), |_| ()).map(Some)
}

/// Returns the paths of all daemons of this user that have written a metadata file, sorted by root.
pub(super) fn daemons(context: &Context) -> Result<Vec<DaemonPaths>, Failure> {
    let base = runtime_base(&context.dirs.sockets);
    let Ok(entries) = base.read_dir() else { return Ok(Vec::new()) };
    let mut places = Vec::new();
    for entry in entries.flatten() {
        let meta = state::read_file(&entry.path().join("meta.json")).ok().flatten();
        let meta: Option<Value> = meta.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(root) = meta.as_ref().and_then(|meta| meta["root"].as_str()) {
            places.push(DaemonPaths::new(&context.dirs, root.as_ref()));
        }
    }
    places.sort_by(|a, b| a.root.cmp(&b.root));
    Ok(places)
}

fn show(status: &Value, form: Form) -> Result<(), Failure> {
    match form {
        Form::Json => print(&format!("{status:#}\n")),
        Form::Text => print(&text(status)),
    }
}

/// Formats keys and values in two columns; the root first, then in the daemon's order.
fn text(status: &Value) -> String {
    let mut text = String::new();
    let Some(object) = status.as_object() else { return format!("{status}\n") };
    let mut line = |key: &str, value: &Value| {
        let value = words(value);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<16} {value}", key.replace('_', " "));
    };
    object.iter().filter(|(key, _)| *key == "root").for_each(|(key, value)| line(key, value));
    object.iter().filter(|(key, _)| *key != "root").for_each(|(key, value)| line(key, value));
    text
}

/// Formats a value for people: an object's fields in a row, an empty list as a dash.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let pairs: Vec<String> = fields.iter().map(|(key, value)| pair(key, value)).collect();
            pairs.join(", ")
        }
        Value::Array(items) if items.is_empty() => "-".to_owned(),
        Value::Array(items) if items[0].get("state").is_some() => {
            let servers: String = items.iter().map(super::server::text).collect();
            servers.trim_end().replace('\n', "\n                 ")
        }
        Value::Array(items) if items[0].get("resident_bytes").is_some() => {
            let processes: Vec<String> = items.iter().map(|item| format!("({})", words(item))).collect();
            processes.join(" ")
        }
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Formats a field of an object; a size in mebibytes.
fn pair(key: &str, value: &Value) -> String {
    let name = |key: &str| key.replace('_', " ");
    match (key.strip_suffix("_bytes"), value.as_u64()) {
        // With one digit after the point, rounded down.
        (Some(key), Some(bytes)) => {
            format!("{} {}.{} MiB", name(key), bytes >> 20, ((bytes * 10) >> 20) % 10)
        }
        _ => format!("{} {}", name(key), words(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_for_people() {
        let status =
            json!({ "files": 3, "root": "/p", "servers": [], "skipped": { "binary": 1, "too_large": 0 } });
        assert_eq!(
            text(&status),
            "root             /p\nfiles            3\nservers          -\nskipped          binary 1, too large 0\n"
        );
        let worker = json!({ "pid": 7, "resident_bytes": 20 << 20 });
        let memory = json!({ "memory": {
            "name_tables_bytes": 1000, "parse_workers": [worker, worker], "resident_bytes": (53 << 20) + (1 << 19),
        } });
        assert_eq!(
            text(&memory),
            "memory           name tables 0.0 MiB, parse workers (pid 7, resident 20.0 MiB) (pid 7, resident 20.0 MiB), \
             resident 53.5 MiB\n"
        );
    }
}
