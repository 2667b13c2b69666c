//! docs/languages.md is generated from languages.toml: `UPDATE_EXPECT=1 cargo test language_table` writes it;
//! without that variable an outdated page fails the test.

use std::fmt::Write;

use expect_test::expect_file;
use symd::config::server::Install;
use symd::config::{Language, LanguageServer, Languages};

/// Servers that a test installs and queries in a real project.
const REAL: [&str; 5] = ["ty", "basedpyright", "tsc", "clangd", "kmp-lsp"];
/// Servers that a test starts if the system has one, for a small query.
const SMOKE: [&str; 1] = ["gopls"];

const HEAD: &str = "\
# Languages

Made from `languages.toml` by `tests/symd/language_table.rs`; `UPDATE_EXPECT=1 cargo test language_table` makes it anew.
`$XDG_CONFIG_HOME/symd/languages.toml` and a project's `.symd/languages.toml` are merged over it.

- **Grammar**: outlines, name paths and occurrences come from it; a language without one is known to be code, and searched.
- **Servers**: the first that is found is used, for each feature.
";

const SERVERS: &str = "
## Servers

- **Installed by**: `symd install` for what a registry has, at the version given; else the hint.
- **Runs**: what of the project's it runs. Such a server is started once the project is trusted (`symd trust`).
- **Tested**: *real*, installed and asked about a real project; *smoke*, started if the system has it; *schema*, its
  table is checked, and everything it shares with the others is tested against a scripted server.
";

fn language_row(language: &Language) -> String {
    let servers: Vec<&str> = language.language_servers.iter().map(|used| used.name.as_str()).collect();
    format!(
        "| {} | {} | {} | {} |\n",
        language.name,
        language.file_types().join(", "),
        language.grammar.as_deref().unwrap_or("-"),
        if servers.is_empty() { "-".to_owned() } else { servers.join(", ") },
    )
}

fn install(part: &Install) -> String {
    match part {
        Install::PyPi { package, version } => format!("PyPI `{package}` {version}"),
        Install::Npm { package, version, .. } => format!("npm `{package}` {version}"),
        Install::Cargo { package, version } => format!("cargo `{package}` {version}"),
        Install::System { hint, .. } => format!("hint: {hint}"),
    }
}

fn tested(name: &str) -> &'static str {
    match name {
        name if REAL.contains(&name) => "real",
        name if SMOKE.contains(&name) => "smoke",
        _ => "schema",
    }
}

fn server_row(name: &str, server: &LanguageServer) -> String {
    let parts: Vec<String> = server.install.iter().map(install).collect();
    let runs = server.runs_project_code.as_deref().unwrap_or("-");
    format!("| {name} | {} | {runs} | {} |\n", parts.join(" + "), tested(name))
}

fn page(languages: &Languages) -> String {
    let mut all: Vec<&Language> = languages.all().map(|(_, language)| language).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let with = |has: &dyn Fn(&Language) -> bool| all.iter().filter(|language| has(language)).count();
    let mut page = HEAD.to_owned();
    let grammars = with(&|language| language.grammar.is_some());
    let served = with(&|language| !language.language_servers.is_empty());
    writeln!(
        page,
        "\n{} languages, {grammars} with a grammar, {served} with a language server.\n",
        all.len()
    )
    .unwrap();
    page.push_str("| Language | File types | Grammar | Servers |\n|---|---|---|---|\n");
    page.extend(all.into_iter().map(language_row));
    page.push_str(SERVERS);
    page.push_str("\n| Server | Installed by | Runs | Tested |\n|---|---|---|---|\n");
    page.extend(languages.servers().map(|(name, server)| server_row(name, server)));
    page
}

#[test]
fn the_page_is_up_to_date() {
    let languages = Languages::builtin();
    for name in REAL.iter().chain(&SMOKE) {
        assert!(languages.server(name).is_some(), "{name} is tested and not in languages.toml");
    }
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/docs/languages.md")].assert_eq(&page(languages));
}
