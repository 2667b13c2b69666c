//! Where memory is, in the result of `symd/status`.

use serde_json::{Map, Value, json};

use symd_ops::memory_use::MemoryUse;

/// Returns sizes in bytes, under names that say so; what is not known is left out.
pub(crate) fn json(memory: &MemoryUse) -> Value {
    let engine = &memory.engine;
    let worker = |worker: &symd_parse::WorkerMemory| json!({ "pid": worker.pid, "resident_bytes": worker.resident_bytes });
    let mut fields = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    add("resident_bytes", engine.process.map(|process| json!(process.resident)));
    add("anonymous_bytes", engine.process.map(|process| json!(process.anonymous)));
    add("ceiling_bytes", Some(json!(engine.ceiling)));
    add("times_let_go", Some(json!(engine.times_let_go)));
    add("outlines_bytes", Some(json!(engine.index.outlines)));
    add("name_tables_bytes", Some(json!(engine.index.tables)));
    add("caches_limit_bytes", Some(json!(engine.caches_limit)));
    add("parses_bytes", Some(json!(engine.parses)));
    add("kotlin_types_bytes", Some(json!(engine.kotlin_types)));
    add("unwritten_parses_bytes", Some(json!(engine.unwritten_parses)));
    add("texts_bytes", Some(json!(engine.texts)));
    add("vectors_bytes", memory.vectors.map(|bytes| json!(bytes)));
    add("parse_workers", Some(engine.workers.iter().map(worker).collect()));
    add("servers_bytes", Some(json!(memory.servers)));
    Value::Object(fields)
}
