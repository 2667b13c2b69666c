//! What somebody means who says `symd install python`: a server by its name, or a language's first server that can be
//! installed here. Starts nothing.

use super::Surroundings;
use symd_config::server::Install;
use symd_config::{LanguageServer, Languages};

/// How a server is got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSource {
    /// By symd, with this program of the user's: `npm`.
    Registry(&'static str),
    /// By hand; the hints are in the server's `System` parts.
    ByHand,
    /// languages.toml does not say.
    Unsaid,
}

/// How `server` is got: the program for the first of its parts that a registry gives.
pub fn source_of(server: &LanguageServer) -> ServerSource {
    match server.install.iter().find_map(tool_for) {
        Some(tool) => ServerSource::Registry(tool),
        None if server.install.is_empty() => ServerSource::Unsaid,
        None => ServerSource::ByHand,
    }
}

/// The program that installs `part`.
pub(super) fn tool_for(part: &Install) -> Option<&'static str> {
    match part {
        Install::PyPi { .. } => Some("python3"),
        Install::Npm { .. } => Some("npm"),
        Install::Cargo { .. } => Some("cargo"),
        Install::System { .. } => None,
    }
}

/// What a word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// This server.
    Server(String),
    /// A language that no server of languages.toml serves.
    NoServer,
    /// Nothing; these names are like it.
    Unknown(Vec<String>),
}

/// What `word` means: the name of a server, or of a language.
pub fn resolve(languages: &Languages, word: &str, here: &Surroundings) -> Resolved {
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
    // A short word is one letter away from too many.
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

/// The server that `symd install LANGUAGE` gets: the first whose registries' programs are here, else the first that a
/// registry gives at all, else the first.
pub fn default_server<'a>(languages: &'a Languages, language: &str, here: &Surroundings) -> Option<&'a str> {
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

/// Letters to add, drop or exchange to make one of the other.
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

    /// Where only `tools` are on PATH.
    fn here(scratch: &tempfile::TempDir, tools: &[&str]) -> Surroundings {
        let bin = scratch.path().join(format!("bin-{}", tools.concat()));
        state::private_dir(&bin).expect("made");
        for tool in tools {
            state::create_program(&bin.join(tool), b"#!/bin/sh\n").expect("made");
        }
        Surroundings::new([("PATH".into(), bin.into_os_string())], None)
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
