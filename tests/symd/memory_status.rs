//! Where status says that the daemon's memory is.

use std::time::Instant;

use serde_json::Value;

use crate::support::{PATIENCE, User, Wire, write};

/// Makes a Kotlin file of some kilobytes, whose parse takes several times that.
fn project() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"kotlin\"\nlanguage-servers = []\n");
    let others: String = (0..100)
        .map(|number| format!("    fun other{number}(value: Int): Int = value * {number}\n"))
        .collect();
    let text = format!(
        "class Shop {{\n    fun open(hour: Int) = hour\n{others}}}\n\nfun use(shop: Shop) = shop.open(1)\n"
    );
    write(&user.path("project/Shop.kt"), &text);
    user
}

/// Returns where the daemon's memory is, as status says.
pub fn memory(user: &User) -> Value {
    user.status()["memory"].clone()
}

#[track_caller]
pub fn bytes(memory: &Value, name: &str) -> u64 {
    memory[name].as_u64().unwrap_or_else(|| panic!("{name}: {memory}"))
}

/// Returns the first status of memory that is as expected.
#[track_caller]
pub fn once(user: &User, is_it: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let memory = memory(user);
        if is_it(&memory) {
            return memory;
        }
        assert!(begun.elapsed() < PATIENCE, "{memory}");
    }
}

#[test]
fn status_says_where_memory_is() {
    let user = project();
    let mut wire = Wire::connect(&user.socket());
    wire.initialize();
    assert!(user.check(&["refs", "Shop/open"], 0).contains("Shop.kt:105"));
    // One is kept for the connection.
    let memory = once(&user, |memory| memory["parse_workers"].as_array().is_some_and(|all| !all.is_empty()));
    let (resident, anonymous) = (bytes(&memory, "resident_bytes"), bytes(&memory, "anonymous_bytes"));
    assert!(resident > anonymous && anonymous > bytes(&memory, "outlines_bytes"), "{memory}");
    for name in ["outlines_bytes", "parses_bytes"] {
        assert!(bytes(&memory, name) > 1_000, "{name}: {memory}");
    }
    for name in ["name_tables_bytes", "texts_bytes", "vectors_bytes", "servers_bytes"] {
        bytes(&memory, name);
    }
    assert!(bytes(&memory["parse_workers"][0], "resident_bytes") > 100_000, "{memory}");
    let text = user.check(&["status"], 0);
    let line = text.lines().find(|line| line.starts_with("memory ")).unwrap();
    for part in ["resident ", "anonymous ", "ceiling ", "outlines ", "parses ", "parse workers (pid "] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(line.contains(" MiB, "), "{line}");
    let native = user.check(&["call", "status"], 0);
    assert!(native.contains("of it anonymous, ceiling "), "{native}");
}
