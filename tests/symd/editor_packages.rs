//! The files under editors/ for editors that no test can run: they are well-formed, start `symd lsp`, and agree with what the
//! program says of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

fn package(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors").join(file)
}

#[track_caller]
fn text(file: &str) -> String {
    std::fs::read_to_string(package(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[track_caller]
fn json_of(file: &str) -> Value {
    serde_json::from_str(&text(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[track_caller]
fn toml_of(file: &str) -> toml::Table {
    text(file).parse().unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the languages that symd outlines: LSP's identifier of each, and the extensions of its files.
fn outlined() -> BTreeMap<String, BTreeSet<String>> {
    let known: toml::Table = include_str!("../../languages.toml").parse().unwrap();
    let languages = known["language"].as_array().unwrap().iter().filter(|one| one.get("grammar").is_some());
    let of = |language: &toml::Value| {
        let id = language.get("language-id").unwrap_or(&language["name"]).as_str().unwrap().to_owned();
        let types = language["file-types"].as_array().unwrap().iter();
        (id, types.map(|one| one.as_str().unwrap().to_owned()).collect())
    };
    let outlined: BTreeMap<String, BTreeSet<String>> = languages.map(of).collect();
    assert!(outlined.len() >= 12, "{outlined:?}");
    outlined
}

/// Returns the commands that `symd lsp` offers.
fn offered() -> BTreeSet<String> {
    let user = User::new();
    let answer = FakeEditor::silent(&user).ask("initialize", json!({ "capabilities": {} }));
    let commands = answer["result"]["capabilities"]["executeCommandProvider"]["commands"].as_array().unwrap();
    commands.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn vs_codes_own_commands_have_other_names_than_the_servers() {
    let manifest = json_of("vscode/package.json");
    let contributed: BTreeSet<String> = manifest["contributes"]["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["command"].as_str().unwrap().to_owned())
        .collect();
    let offered = offered();
    assert_eq!(offered.len(), 5, "{offered:?}");
    // The language client registers what the server offers; a second registration of a name fails.
    assert!(contributed.is_disjoint(&offered), "{contributed:?} {offered:?}");
    let source: String =
        ["extension.ts", "client.ts"].map(|file| text(&format!("vscode/src/{file}"))).concat();
    for command in &contributed {
        let registered = ["command", "registerCommand"];
        let is_registered = registered.iter().any(|call| source.contains(&format!("{call}('{command}', ")));
        assert!(is_registered, "{command} is contributed, and not registered");
    }
    // The tree of edits shows the history.
    for command in offered.iter().filter(|command| *command != "symd.history") {
        assert!(source.contains(&format!("'{command}'")), "{command} is not reachable");
    }
    assert_eq!(manifest["extensionKind"], json!(["workspace"]));
    assert_eq!(manifest["capabilities"]["untrustedWorkspaces"]["supported"], "limited");
    let restricted = &manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"];
    let settings = manifest["contributes"]["configuration"]["properties"].as_object().unwrap();
    assert!(!settings.is_empty());
    for (name, setting) in settings {
        // A setting of the other scopes is the user's alone.
        let may_be_a_folders = !matches!(setting["scope"].as_str(), Some("machine" | "application"));
        let is_restricted = restricted.as_array().unwrap().contains(&json!(name));
        assert!(!may_be_a_folders || is_restricted, "an untrusted folder may not set {name}");
    }
    assert_eq!(manifest["contributes"]["mcpServerDefinitionProviders"][0]["id"], "symd");
}

#[test]
fn the_template_for_lsp4ij_has_the_members_that_it_reads() {
    let template = json_of("lsp4ij/symd/template.json");
    assert_eq!(template["programArgs"]["default"], "symd lsp");
    assert!(template["id"].is_string() && template["name"].is_string());
    let mappings = template["fileTypeMappings"].as_array().unwrap();
    let mut mapped: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for mapping in mappings {
        let language = mapping["languageId"].as_str().unwrap().to_owned();
        let extension = |pattern: &Value| pattern.as_str().unwrap().strip_prefix("*.").unwrap().to_owned();
        let patterns = mapping["fileType"]["patterns"].as_array().unwrap().iter().map(extension);
        mapped.entry(language).or_default().extend(patterns);
    }
    assert_eq!(mapped, outlined());
}

#[test]
fn the_settings_of_helix_and_zed_start_symd() {
    let helix = toml_of("helix/languages.toml");
    let server = helix["language-server"]["symd"].as_table().unwrap();
    let args: Vec<Option<&str>> =
        server["args"].as_array().unwrap().iter().map(toml::Value::as_str).collect();
    assert_eq!((server["command"].as_str(), &args[..]), (Some("symd"), &[Some("lsp")][..]));
    for language in helix["language"].as_array().unwrap() {
        let servers = language["language-servers"].as_array().unwrap();
        let symd = servers.iter().find(|one| one.get("name").and_then(toml::Value::as_str) == Some("symd"));
        let features = symd.unwrap()["only-features"].as_array().unwrap();
        // Code actions tell where the cursor is; navigation would be another server's.
        let features: Vec<&str> = features.iter().map(|one| one.as_str().unwrap()).collect();
        assert_eq!(features, ["code-action", "workspace-command"], "{language:?}");
        assert!(
            servers.len() > 1,
            "naming symd alone would take the language's own server away: {language:?}"
        );
    }
    let zed = toml_of("zed/extension.toml");
    let languages = zed["language_servers"]["symd"]["languages"].as_array().unwrap();
    // Zed's own names; the last is that of its C# extension.
    let names: Vec<&str> = languages.iter().map(|one| one.as_str().unwrap()).collect();
    let known =
        ["Python", "Kotlin", "Java", "TypeScript", "TSX", "JavaScript", "Rust", "Go", "C", "C++", "CSharp"];
    assert_eq!(names, known);
    let source = text("zed/src/lib.rs");
    assert!(source.contains("\"lsp\"") && source.contains("\"mcp\""));
}

#[test]
fn claude_codes_plugin_names_a_language_for_each_extension_and_has_symd_answer_for_it() {
    let servers = json_of("claude-code/.lsp.json");
    let server = &servers["symd"];
    assert_eq!((&server["command"], &server["args"]), (&json!("symd"), &json!(["lsp"])));
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (extension, language) in server["extensionToLanguage"].as_object().unwrap() {
        let extension = extension.strip_prefix('.').unwrap().to_owned();
        named.entry(language.as_str().unwrap().to_owned()).or_default().insert(extension);
    }
    assert_eq!(named, outlined());
    assert!(json_of("claude-code/.claude-plugin/plugin.json")["name"].is_string());

    let user = User::new();
    write(&user.path("project/a.py"), "def saved():\n    return 1\n");
    let mut agent = FakeEditor::silent(&user);
    let params = json!({
        "rootUri": uri(&user, "project"), "capabilities": {},
        "initializationOptions": server["initializationOptions"],
    });
    let answer = agent.ask("initialize", params);
    assert_eq!(answer["result"]["capabilities"]["documentSymbolProvider"], true, "{answer}");
    agent.tell("initialized", json!({}));
    let file = uri(&user, "project/a.py");
    agent.open(&file, 1, "def typed():\n    return 1\n");
    let symbols = agent.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": file } }));
    assert_eq!(symbols["result"][0]["name"], "typed", "{symbols}");
}
