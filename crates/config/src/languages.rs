//! The languages: which files are code and in which language, which files mark a project's root, which
//! directories contain nothing that is edited, which servers support a language. The files that define them
//! are merged in [`super::layers`]. Invariants: an extension, a file name or an interpreter belongs to at
//! most one language; every server that a language names is defined and has a command.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::server::{LanguageServer, ServerUse};
use symd_base::RelPath;

/// The text of the languages.toml that is embedded in this binary.
pub(super) const BUILTIN_TOML: &str = include_str!("../../../languages.toml");

/// The index of a language in [`Languages::all`]. Not stable between versions: store names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LanguageId(u16);

/// One `[[language]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Language {
    /// Its name in answers and settings: `python`.
    pub name: String,
    #[serde(default)]
    file_types: Vec<String>,
    #[serde(default)]
    file_names: Vec<String>,
    #[serde(default)]
    shebangs: Vec<String>,
    /// Files that mark the root of a project in this language.
    #[serde(default)]
    pub roots: Vec<String>,
    /// The name of the grammar that creates outlines; without one, files are known as code but not parsed.
    pub grammar: Option<String>,
    #[serde(default)]
    vendored: Vec<VendoredRule>,
    /// LSP's `languageId`, if it differs from the name.
    pub language_id: Option<String>,
    /// The servers to use; for each feature, the first that is available.
    #[serde(default)]
    pub language_servers: Vec<ServerUse>,
}

impl Language {
    /// Returns LSP's `languageId` for files in this language.
    pub fn lsp_id(&self) -> &str {
        self.language_id.as_deref().unwrap_or(&self.name)
    }

    /// Returns the file extensions, without the dot, in lower case.
    pub fn file_types(&self) -> &[String] {
        &self.file_types
    }
}

/// A directory that contains dependencies, build output or caches, and is not indexed. If it has conditions,
/// one of them must hold: a directory `target` may as well contain source code.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VendoredRule {
    pub name: String,
    /// Names of files in the directory's parent; `*.csproj` matches any file with that ending.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Names of files in the directory itself, in the same form.
    #[serde(default)]
    pub holding: Vec<String>,
}

/// All languages, and the maps for looking them up.
#[derive(Clone, Debug)]
pub struct Languages {
    all: Vec<Language>,
    by_name: HashMap<String, LanguageId>,
    by_file_type: HashMap<String, LanguageId>,
    by_file_name: HashMap<String, LanguageId>,
    by_interpreter: HashMap<String, LanguageId>,
    vendored: HashMap<String, Vec<VendoredRule>>,
    servers: BTreeMap<String, LanguageServer>,
}

/// The content of a languages.toml.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Tables {
    #[serde(default)]
    pub(super) language: Vec<Language>,
    #[serde(default)]
    pub(super) language_server: BTreeMap<String, LanguageServer>,
}

/// Why tables that are valid by themselves do not fit together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanguagesConflict {
    /// Two tables claim the same thing.
    #[error("{what} {claimed:?} belongs to {first} and to {second}: remove it from one")]
    ClaimedTwice {
        /// The kind of claim: "file type", "file name", "interpreter" or "name".
        what: &'static str,
        /// The claimed value.
        claimed: String,
        /// The language that has claimed it.
        first: String,
        /// The language that claims it too.
        second: String,
    },
    /// A language's list names a server that no table defines.
    #[error(
        "{language} names the language server {server:?}, which is not defined: add [language-server.{server}], or remove the name from the list"
    )]
    NoSuchServer { language: String, server: String },
    /// A server whose command cannot be run.
    #[error("[language-server.{server}] {problem}")]
    Command {
        server: String,
        /// What is wrong with its command, and what to write.
        problem: &'static str,
    },
}

impl Languages {
    /// Returns the languages of this binary.
    pub fn builtin() -> &'static Arc<Languages> {
        static BUILTIN: LazyLock<Arc<Languages>> = LazyLock::new(|| {
            // A test checks that the file is valid; if it were not, symd would run without any language.
            let languages = toml::from_str(BUILTIN_TOML).map_err(|error| error.to_string());
            let fitted =
                languages.and_then(|tables| Languages::fit(tables).map_err(|misfit| misfit.to_string()));
            Arc::new(fitted.unwrap_or_else(|error| {
                tracing::error!("languages.toml: {error}");
                Languages::none()
            }))
        });
        &BUILTIN
    }

    /// Combines tables and checks that they fit together.
    pub(super) fn fit(tables: Tables) -> Result<Languages, LanguagesConflict> {
        let mut languages = Languages::none();
        languages.all = tables.language;
        languages.servers = tables.language_server;
        for (name, server) in &languages.servers {
            let wrong = |problem| Err(LanguagesConflict::Command { server: name.clone(), problem });
            if server.command.is_empty() {
                return wrong("has no command: write `command = \"…\"`");
            }
            if server.command.contains('/') && !server.command.starts_with('/') {
                return wrong("has a relative path as its command: write a bare name or an absolute path");
            }
        }
        for (at, language) in languages.all.iter().enumerate() {
            let id = LanguageId(u16::try_from(at).unwrap_or(u16::MAX));
            let all = &languages.all;
            claim(all, &mut languages.by_name, "name", std::slice::from_ref(&language.name), id)?;
            claim(all, &mut languages.by_file_type, "file type", &language.file_types, id)?;
            claim(all, &mut languages.by_file_name, "file name", &language.file_names, id)?;
            claim(all, &mut languages.by_interpreter, "interpreter", &language.shebangs, id)?;
            for rule in &language.vendored {
                let rules = languages.vendored.entry(rule.name.clone()).or_default();
                rules.push(rule.clone());
            }
            let unknown = |used: &&ServerUse| !languages.servers.contains_key(&used.name);
            if let Some(used) = language.language_servers.iter().find(unknown) {
                let (language, server) = (language.name.clone(), used.name.clone());
                return Err(LanguagesConflict::NoSuchServer { language, server });
            }
        }
        Ok(languages)
    }

    fn none() -> Languages {
        Languages {
            all: Vec::new(),
            by_name: HashMap::new(),
            by_file_type: HashMap::new(),
            by_file_name: HashMap::new(),
            by_interpreter: HashMap::new(),
            vendored: HashMap::new(),
            servers: BTreeMap::new(),
        }
    }

    /// Returns the language of a file, by its whole name, else by its extension in any case; `None` if symd
    /// knows no language for it. Does not read the file: see [`Languages::by_shebang`].
    pub fn language_of(&self, path: &RelPath) -> Option<LanguageId> {
        if let Some(id) = self.by_file_name.get(path.file_name()) {
            return Some(*id);
        }
        let extension = path.extension()?;
        match self.by_file_type.get(extension) {
            Some(id) => Some(*id),
            None if extension.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                self.by_file_type.get(&extension.to_ascii_lowercase()).copied()
            }
            None => None,
        }
    }

    /// Returns the language of a script whose first line is `line`: `#!/usr/bin/env -S python3.12 -u`. For
    /// files without an extension.
    pub fn by_shebang(&self, line: &str) -> Option<LanguageId> {
        let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
        let base = |word: &'_ str| word.rsplit('/').next().map(str::to_owned);
        let mut interpreter = base(words.next()?)?;
        if interpreter == "env" {
            // Options of env, and variables it sets, come before the interpreter.
            let mut rest = words.filter(|word| !word.starts_with('-') && !word.contains('='));
            interpreter = base(rest.next()?)?;
        }
        let version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        let unversioned = interpreter.trim_end_matches(version);
        let found = self.by_interpreter.get(&interpreter).or_else(|| self.by_interpreter.get(unversioned));
        found.copied()
    }

    /// Returns the language called `name`.
    pub fn by_name(&self, name: &str) -> Option<LanguageId> {
        self.by_name.get(name).copied()
    }

    pub fn get(&self, id: LanguageId) -> &Language {
        &self.all[usize::from(id.0)]
    }

    /// Iterates over all languages, in the file's order.
    pub fn all(&self) -> impl Iterator<Item = (LanguageId, &Language)> {
        self.all
            .iter()
            .enumerate()
            .map(|(at, language)| (LanguageId(u16::try_from(at).unwrap_or(u16::MAX)), language))
    }

    pub fn server(&self, name: &str) -> Option<&LanguageServer> {
        self.servers.get(name)
    }

    /// Iterates over all servers, sorted by name.
    pub fn servers(&self) -> impl Iterator<Item = (&str, &LanguageServer)> {
        self.servers.iter().map(|(name, server)| (name.as_str(), server))
    }

    /// Returns the names of files that mark the root of a build, in any language; `*.sln` matches any file
    /// with that ending. Sorted, each once.
    pub fn root_markers(&self) -> Vec<&str> {
        let all = self.all().flat_map(|(_, language)| &language.roots).map(String::as_str);
        let distinct: std::collections::BTreeSet<&str> = all.collect();
        distinct.into_iter().collect()
    }

    /// Iterates over all rules for vendored directories, sorted by directory name.
    pub fn vendored_rules(&self) -> impl Iterator<Item = &VendoredRule> {
        let mut rules: Vec<&VendoredRule> = self.vendored.values().flatten().collect();
        rules.sort_by(|a, b| a.name.cmp(&b.name));
        rules.into_iter()
    }
}

fn claim(
    all: &[Language],
    table: &mut HashMap<String, LanguageId>,
    what: &'static str,
    claimed: &[String],
    id: LanguageId,
) -> Result<(), LanguagesConflict> {
    let name = |id: LanguageId| all[usize::from(id.0)].name.clone();
    for key in claimed {
        if let Some(first) = table.insert(key.clone(), id) {
            let (first, second) = (name(first), name(id));
            return Err(LanguagesConflict::ClaimedTwice { what, claimed: key.clone(), first, second });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Install;

    fn name_of(path: &str) -> Option<&'static str> {
        let languages = Languages::builtin();
        let id = languages.language_of(&RelPath::new(path).expect(path))?;
        Some(&languages.get(id).name)
    }

    #[test]
    fn the_embedded_file_is_sound() {
        let languages =
            Languages::fit(toml::from_str(BUILTIN_TOML).expect("of the right shape")).expect("sound");
        assert!(languages.all().count() >= 40);
        let served = languages.all().filter(|(_, language)| !language.language_servers.is_empty());
        assert!(served.count() >= 40, "languages with a server");
        for (_, language) in languages.all() {
            for file_type in &language.file_types {
                assert!(
                    !file_type.contains('.') && *file_type == file_type.to_ascii_lowercase(),
                    "{file_type}"
                );
            }
        }
    }

    #[test]
    fn every_server_is_used_pinned_and_says_what_it_runs() {
        let languages = Languages::builtin();
        let used: std::collections::BTreeSet<&str> = languages
            .all()
            .flat_map(|(_, language)| &language.language_servers)
            .map(|used| used.name.as_str())
            .collect();
        for (name, server) in languages.servers() {
            assert!(used.contains(name), "no language uses {name}");
            assert!(!server.install.is_empty(), "{name}: how is it installed?");
            for part in &server.install {
                let (package, version) = match part {
                    Install::PyPi { package, version } | Install::Cargo { package, version } => {
                        (package, version)
                    }
                    Install::Npm { package, version, with } => {
                        assert!(server.requires.iter().any(|it| it == "node"), "{name} runs on node");
                        assert!(
                            with.iter().all(|it| it.rsplit('@').next().is_some_and(is_pinned)),
                            "{name}: {with:?}"
                        );
                        (package, version)
                    }
                    Install::System { hint, .. } => (hint, &"0.0".to_owned()),
                };
                assert!(!package.is_empty() && is_pinned(version), "{name}: {version}");
            }
            let runs = server.runs_project_code.as_deref();
            assert!(runs.is_none_or(|runs| !runs.is_empty() && !runs.ends_with('.')), "{name}: {runs:?}");
        }
        let untrusted = ["ty", "zuban", "tsc", "clangd", "kmp-lsp"];
        for name in untrusted {
            let server = languages.server(name).expect(name);
            assert_eq!(server.runs_project_code, None, "{name}");
        }
        for name in ["basedpyright", "rust-analyzer", "jdtls", "intellij-server", "kotlin-language-server"] {
            assert!(languages.server(name).expect(name).runs_project_code.is_some(), "{name}");
        }
    }

    fn is_pinned(version: &str) -> bool {
        version.contains('.') && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    }

    #[test]
    fn lsp_has_words_of_its_own_for_some_languages() {
        let languages = Languages::builtin();
        let cases = [
            ("a.py", "python"),
            ("a.tsx", "typescriptreact"),
            ("a.jsx", "javascriptreact"),
            ("a.sh", "shellscript"),
            ("a.cs", "csharp"),
            ("a.mm", "objective-cpp"),
            ("a.tf", "terraform"),
        ];
        for (path, expected) in cases {
            let id = languages.language_of(&RelPath::new(path).expect(path)).expect(path);
            assert_eq!(languages.get(id).lsp_id(), expected, "{path}");
        }
    }

    #[test]
    fn files_are_told_by_name_and_extension() {
        let cases = [
            ("src/main.py", Some("python")),
            ("a/build.gradle.kts", Some("kotlin")),
            ("A.PY", Some("python")),
            ("x.component.ts", Some("typescript")),
            ("Makefile", Some("make")),
            ("docs/Makefile", Some("make")),
            ("CMakeLists.txt", Some("cmake")),
            ("README.md", None),
            ("data.json", None),
            ("py", None),
            (".py", None),
        ];
        for (path, expected) in cases {
            assert_eq!(name_of(path), expected, "{path}");
        }
    }

    #[test]
    fn scripts_are_told_by_their_first_line() {
        let languages = Languages::builtin();
        let cases = [
            ("#!/usr/bin/python", Some("python")),
            ("#!/usr/bin/env python3", Some("python")),
            ("#!/usr/bin/env -S python3.12 -u", Some("python")),
            ("#! /bin/sh -e", Some("shell")),
            ("#!/usr/bin/env FOO=1 node", Some("javascript")),
            ("#!/usr/bin/env", None),
            ("#!", None),
            ("# python", None),
        ];
        for (line, expected) in cases {
            let found = languages.by_shebang(line).map(|id| languages.get(id).name.as_str());
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_common_word_is_vendored_only_beside_its_marker() {
        let languages = Languages::builtin();
        let holds = |name: &str, beside: &str, holding: &str| {
            let rules = languages.vendored_rules().filter(|rule| rule.name == name);
            let unconditional = |rule: &VendoredRule| rule.beside.is_empty() && rule.holding.is_empty();
            let met = |markers: &[String], marker: &str| markers.iter().any(|known| known == marker);
            rules
                .into_iter()
                .any(|rule| unconditional(rule) || met(&rule.beside, beside) || met(&rule.holding, holding))
        };
        assert!(holds("node_modules", "", ""));
        assert!(holds("target", "Cargo.toml", ""));
        assert!(!holds("target", "", ""));
        assert!(holds("venv", "", "pyvenv.cfg"));
        assert!(!holds("venv", "pyvenv.cfg", ""));
        assert!(!holds("src", "Cargo.toml", ""));
    }
}
