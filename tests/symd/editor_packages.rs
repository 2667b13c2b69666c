//! The files under editors/ for editors that no test can run: they are well-formed, start `symd lsp`, and agree with what the
//! program says of itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fake_editor::FakeEditor;
use crate::support::User;

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
    assert!(
        restricted.as_array().unwrap().contains(&json!("symd.path")),
        "a folder may not name the program"
    );
    assert_eq!(manifest["contributes"]["mcpServerDefinitionProviders"][0]["id"], "symd");
}

#[test]
fn the_template_for_lsp4ij_has_the_members_that_it_reads() {
    let template = json_of("lsp4ij/symd/template.json");
    assert_eq!(template["programArgs"]["default"], "symd lsp");
    assert!(template["id"].is_string() && template["name"].is_string());
    let mappings = template["fileTypeMappings"].as_array().unwrap();
    assert!(!mappings.is_empty());
    for mapping in mappings {
        assert!(mapping["languageId"].is_string(), "{mapping}");
        let patterns = mapping["fileType"]["patterns"].as_array().unwrap();
        assert!(patterns.iter().all(|pattern| pattern.as_str().unwrap().starts_with("*.")), "{mapping}");
    }
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
    assert!(languages.len() >= 11, "{languages:?}");
    let source = text("zed/src/lib.rs");
    assert!(source.contains("\"lsp\"") && source.contains("\"mcp\""));
}

#[test]
fn claude_codes_plugin_names_a_language_for_each_extension() {
    let servers = json_of("claude-code/.lsp.json");
    assert_eq!((&servers["symd"]["command"], &servers["symd"]["args"]), (&json!("symd"), &json!(["lsp"])));
    let languages = servers["symd"]["extensionToLanguage"].as_object().unwrap();
    let is_named =
        |(extension, language): (&String, &Value)| extension.starts_with('.') && language.is_string();
    assert!(!languages.is_empty() && languages.iter().all(is_named), "{languages:?}");
    assert!(json_of("claude-code/.claude-plugin/plugin.json")["name"].is_string());
}
