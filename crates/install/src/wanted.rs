//! Resolves the argument of `symd install python`: a server's name, or a language, which stands for its first
//! server that can be installed on this machine. Starts nothing.

use super::InstallEnvironment;
use symd_config::server::Install;
use symd_config::{LanguageServer, Languages};

/// How a server can be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSource {
    /// symd installs it with this client program of the registry: `npm`.
    Registry(&'static str),
    /// The user installs it by hand; the server's `System` parts hold the instructions.
    ByHand,
    /// languages.toml has no `install` entry for it.
    Unspecified,
}

/// Returns how `server` can be installed. For a registry: the client program of the first part that has one.
pub fn source_of(server: &LanguageServer) -> ServerSource {
    match server.install.iter().find_map(tool_for) {
        Some(tool) => ServerSource::Registry(tool),
        None if server.install.is_empty() => ServerSource::Unspecified,
        None => ServerSource::ByHand,
    }
}

/// Returns the client program that installs `part`; `None` for a part that symd does not install.
pub(super) fn tool_for(part: &Install) -> Option<&'static str> {
    match part {
        Install::PyPi { .. } => Some("python3"),
        Install::Npm { .. } => Some("npm"),
        Install::Cargo { .. } => Some("cargo"),
        Install::System { .. } => None,
    }
}

/// The result of resolving the argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The server with this name.
    Server(String),
    /// A language without any server in languages.toml.
    NoServer,
    /// Neither a server nor a language; these names are similar.
    Unknown(Vec<String>),
}

/// Resolves `word` as the name of a server, else of a language.
pub fn resolve(languages: &Languages, word: &str, here: &InstallEnvironment) -> Resolved {
    if languages.server(word).is_some() {
        return Resolved::Server(word.to_owned());
    }
    if let Some(id) = languages.by_name(word) {
        return match default_server(languages, &languages.get(id).name, here) {
            Some(server) => Resolved::Server(server.to_owned()),
            None => Resolved::NoServer,
        };
    }
    let languages_names = languages.all().map(|(_, language)| language.name.as_str());
    let names = languages_names.chain(languages.servers().map(|(name, _)| name));
    let small = word.to_ascii_lowercase();
    // Short words would match too many names, so the permitted distance grows with the length.
    let most = (small.len() / 3).min(2);
    let rank = |name: &str| match distance(&small, name) {
        close if close <= most => Some(close),
        _ if small.len() > 1 && name.starts_with(&small) => Some(1),
        _ => None,
    };
    let mut near: Vec<(usize, &str)> = names.filter_map(|name| Some((rank(name)?, name))).collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(5);
    Resolved::Unknown(near.into_iter().map(|(_, name)| name.to_owned()).collect())
}

/// Returns the server that `symd install LANGUAGE` installs: the first whose registries' client programs are
/// all on PATH, else the first that a registry provides, else the first.
pub fn default_server<'a>(
    languages: &'a Languages,
    language: &str,
    here: &InstallEnvironment,
) -> Option<&'a str> {
    let language = languages.get(languages.by_name(language)?);
    let servers = || {
        let uses = language.language_servers.iter();
        uses.filter_map(|used| Some((used.name.as_str(), languages.server(&used.name)?)))
    };
    let usable = |server: &LanguageServer| {
        server.install.iter().filter_map(tool_for).all(|tool| here.find(tool).is_some())
    };
    let from_registry = |server: &LanguageServer| matches!(source_of(server), ServerSource::Registry(_));
    servers()
        .find(|(_, server)| from_registry(server) && usable(server))
        .or_else(|| servers().find(|(_, server)| from_registry(server)))
        .or_else(|| servers().next())
        .map(|(name, _)| name)
}

/// Returns the Levenshtein distance in characters.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (column, known) in other.iter().enumerate() {
            let exchanged = before + usize::from(letter != *known);
            before = row[column + 1];
            row[column + 1] = exchanged.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::state;
    use symd_config::layers::LayerText;
    use symd_config::trust::Trust;

    const TOML: &str = r#"
[[language]]
name = "python"
language-servers = ["closed", "ty", "basedpyright"]
[[language]]
name = "go"
language-servers = ["gopls"]
[[language]]
name = "cobol"
[language-server.closed]
command = "closed"
install = [{ registry = "system", hint = "buy it" }]
[language-server.ty]
command = "ty"
install = [{ registry = "pypi", package = "ty", version = "1" }]
[language-server.basedpyright]
command = "bpr"
install = [{ registry = "npm", package = "basedpyright", version = "1" }]
[language-server.gopls]
command = "gopls"
install = [{ registry = "system", hint = "apt install gopls" }]
"#;

    /// InstallEnvironment whose PATH has only `tools`.
    fn here(scratch: &tempfile::TempDir, tools: &[&str]) -> InstallEnvironment {
        let bin = scratch.path().join(format!("bin-{}", tools.concat()));
        state::private_dir(&bin).expect("made");
        for tool in tools {
            state::create_program(&bin.join(tool), b"#!/bin/sh\n").expect("made");
        }
        InstallEnvironment::new([("PATH".into(), bin.into_os_string())], None)
    }

    #[test]
    fn a_language_means_its_first_server_that_can_be_installed_here() {
        let scratch = tempfile::tempdir().expect("scratch");
        let layer = LayerText { file: "test.toml", text: TOML };
        let languages = Languages::load(Some(layer), None, &Trust::Never).expect("sound").languages;
        let check = |tools: &[&str], language: &str, expected: Option<&str>| {
            let scratch = tempfile::tempdir().expect("scratch");
            assert_eq!(default_server(&languages, language, &here(&scratch, tools)), expected, "{tools:?}");
        };
        check(&["python3", "npm"], "python", Some("ty"));
        check(&["npm"], "python", Some("basedpyright"));
        check(&["cargo"], "python", Some("ty"));
        check(&[], "go", Some("gopls"));
        check(&["npm"], "cobol", None);
        let here = here(&scratch, &["python3"]);
        let resolved = |word: &str| resolve(&languages, word, &here);
        assert_eq!(resolved("basedpyright"), Resolved::Server("basedpyright".to_owned()));
        assert_eq!(resolved("python"), Resolved::Server("ty".to_owned()));
        assert_eq!(resolved("cobol"), Resolved::NoServer);
        let near = |word: &str| match resolved(word) {
            Resolved::Unknown(near) => near.first().cloned().unwrap_or_default(),
            other => panic!("{other:?}"),
        };
        assert_eq!([near("Pyton"), near("based")], ["python", "basedpyright"]);
        assert_eq!(resolved("zzzzz"), Resolved::Unknown(Vec::new()));
    }

    #[test]
    fn distances() {
        for (one, other, expected) in [("", "", 0), ("ty", "ty", 0), ("pyton", "python", 1), ("go", "", 2)] {
            assert_eq!((distance(one, other), distance(other, one)), (expected, expected));
        }
    }
}
