//! `symd find`, `overview`, `search`: tools of the native toolset under shorter names.

use serde_json::{Map, Value};

use crate::cli::commands::call::tool_call;
use crate::cli::context::Context;
use crate::cli::failure::Failure;

/// Calls a native tool; arguments that are null were not given.
pub(super) fn run(context: &Context, tool: &str, arguments: Value) -> Result<(), Failure> {
    let given = match arguments {
        Value::Object(arguments) => arguments.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    };
    tool_call(context, &["native".to_owned()], tool, &given)
}
