//! Calls native tools under shorter names: `symd find`, `overview`, `search`.

use serde_json::{Map, Value};

use crate::cli::commands::call::tool_call;
use crate::cli::context::Context;
use crate::cli::failure::Failure;

/// Calls a native tool; omits arguments that are null.
pub(super) fn run(context: &Context, tool: &str, arguments: Value) -> Result<(), Failure> {
    let given = match arguments {
        Value::Object(arguments) => arguments.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    };
    tool_call(context, &["native".to_owned()], tool, &given)
}
