//! `symd config show`: prints the settings in effect, and where each comes from.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::base::state;
use crate::cli::commands::{Form, print};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::config::settings::Settings;

pub(super) fn show(context: &Context, form: Form) -> Result<(), Failure> {
    let file = Settings::file(&context.dirs.persistent.config);
    let mut settings = context.settings()?;
    let text = state::read_file(&file).map_err(|error| Exit::Failed.because(error))?.unwrap_or_default();
    // The file was parsed as settings above, so it is a table.
    let set: Value = toml::from_str(&String::from_utf8_lossy(&text)).unwrap_or_default();
    let filter = std::env::var("SYMD_LOG").ok();
    if let Some(filter) = &filter {
        settings.log = filter.clone();
    }
    let mut rows = Vec::new();
    flatten("", &json!(settings), &mut rows);
    let origin = |key: &str| match key {
        "log" if filter.is_some() => "SYMD_LOG".to_owned(),
        key if set.pointer(&format!("/{}", key.replace('.', "/"))).is_some() => file.display().to_string(),
        _ => "default".to_owned(),
    };
    match form {
        Form::Json => {
            let rows = rows
                .iter()
                .map(|(key, value)| (key.clone(), json!({ "value": value, "origin": origin(key) })));
            print(&format!("{:#}\n", Value::Object(rows.collect::<Map<_, _>>())))
        }
        Form::Text => {
            let mut text = String::new();
            for (key, value) in &rows {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{:<44} # {}", format!("{key} = {value}"), origin(key));
            }
            print(&text)
        }
    }
}

/// Collects every value that is not a table, with its dotted key.
fn flatten(prefix: &str, value: &Value, rows: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&key, value, rows);
            }
        }
        value => rows.push((prefix.to_owned(), value.clone())),
    }
}
