//! languages.toml, which is part of the binary: which files are code and in which language, what marks a
//! project's root, which directories hold nothing that anybody edits. Says nothing about language servers.
//! Invariant: an extension, a file name or an interpreter belongs to at most one language.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::base::RelPath;

/// A language's place in [`Languages::all`]. Not stable between versions: store names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LanguageId(u16);

/// One `[[language]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Language {
    /// What answers and settings call it: `python`.
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
    /// The name of the grammar that makes outlines; without it the language is only known to be code.
    pub grammar: Option<String>,
    #[serde(default)]
    vendored: Vec<VendoredRule>,
}

/// A directory that holds dependencies, build output or caches, and is left out of the index. With
/// conditions, one of which must hold: a directory `target` may as well be somebody's source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VendoredRule {
    /// The directory's name.
    pub name: String,
    /// Names of files in the directory's parent; `*.csproj` stands for any file with that ending.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Names of files in the directory itself, written likewise.
    #[serde(default)]
    pub holding: Vec<String>,
}

/// Why a languages.toml is not usable.
#[derive(Debug, thiserror::Error)]
pub enum LanguagesError {
    /// It is not TOML, or not of the right shape.
    #[error("languages.toml: {0}")]
    Toml(#[from] toml::de::Error),
    /// Two tables claim the same thing.
    #[error("languages.toml: {what} {claimed:?} belongs to {first} and to {second}: remove it from one")]
    ClaimedTwice {
        /// "file type", "file name", "interpreter" or "name".
        what: &'static str,
        /// What is claimed.
        claimed: String,
        /// The language that has it.
        first: String,
        /// The language that wants it too.
        second: String,
    },
}

/// All languages, and the tables to find them by.
#[derive(Debug)]
pub struct Languages {
    all: Vec<Language>,
    by_name: HashMap<String, LanguageId>,
    by_file_type: HashMap<String, LanguageId>,
    by_file_name: HashMap<String, LanguageId>,
    by_interpreter: HashMap<String, LanguageId>,
    vendored: HashMap<String, Vec<VendoredRule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    language: Vec<Language>,
}

impl Languages {
    /// The languages of this binary.
    pub fn builtin() -> &'static Languages {
        static BUILTIN: LazyLock<Languages> = LazyLock::new(|| {
            // A test holds that it parses; should it not, symd runs and knows no language.
            Languages::parse(include_str!("../../languages.toml")).unwrap_or_else(|error| {
                tracing::error!("{error}");
                Languages::none()
            })
        });
        &BUILTIN
    }

    /// Reads a languages.toml.
    pub fn parse(toml: &str) -> Result<Languages, LanguagesError> {
        let File { language } = toml::from_str(toml)?;
        let mut languages = Languages::none();
        languages.all = language;
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
        }
    }

    /// The language of a file, by its whole name, else by its extension in any case; `None` for what is no
    /// code that symd knows. Does not look inside: see [`Languages::by_shebang`].
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

    /// The language of a script whose first line is `line`: `#!/usr/bin/env -S python3.12 -u`. For files
    /// without an extension.
    pub fn by_shebang(&self, line: &str) -> Option<LanguageId> {
        let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
        let base = |word: &'_ str| word.rsplit('/').next().map(str::to_owned);
        let mut interpreter = base(words.next()?)?;
        if interpreter == "env" {
            // Options of env and variables it sets stand before the interpreter.
            let mut rest = words.filter(|word| !word.starts_with('-') && !word.contains('='));
            interpreter = base(rest.next()?)?;
        }
        let version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        let unversioned = interpreter.trim_end_matches(version);
        let found = self.by_interpreter.get(&interpreter).or_else(|| self.by_interpreter.get(unversioned));
        found.copied()
    }

    /// The language called `name`.
    pub fn by_name(&self, name: &str) -> Option<LanguageId> {
        self.by_name.get(name).copied()
    }

    /// A language by its id.
    pub fn get(&self, id: LanguageId) -> &Language {
        &self.all[usize::from(id.0)]
    }

    /// All languages, in the file's order.
    pub fn all(&self) -> impl Iterator<Item = (LanguageId, &Language)> {
        self.all
            .iter()
            .enumerate()
            .map(|(at, language)| (LanguageId(u16::try_from(at).unwrap_or(u16::MAX)), language))
    }

    /// The names of files that mark the root of a build, in any language; `*.sln` stands for any file with that
    /// ending. Sorted, each once.
    pub fn root_markers(&self) -> Vec<&str> {
        let all = self.all().flat_map(|(_, language)| &language.roots).map(String::as_str);
        let distinct: std::collections::BTreeSet<&str> = all.collect();
        distinct.into_iter().collect()
    }

    /// All rules for vendored directories, by directory name.
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
) -> Result<(), LanguagesError> {
    let name = |id: LanguageId| all[usize::from(id.0)].name.clone();
    for key in claimed {
        if let Some(first) = table.insert(key.clone(), id) {
            let (first, second) = (name(first), name(id));
            return Err(LanguagesError::ClaimedTwice { what, claimed: key.clone(), first, second });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(path: &str) -> Option<&'static str> {
        let languages = Languages::builtin();
        let id = languages.language_of(&RelPath::new(path).expect(path))?;
        Some(&languages.get(id).name)
    }

    #[test]
    fn the_embedded_file_is_sound() {
        let languages = Languages::parse(include_str!("../../languages.toml")).expect("sound");
        assert!(languages.all().count() >= 40);
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

    #[test]
    fn mistakes_are_refused_with_their_reason() {
        let error = |toml: &str| Languages::parse(toml).expect_err(toml).to_string();
        assert!(error("[[language]]\nname = \"a\"\nfile_types = []").contains("unknown field `file_types`"));
        let twice = "[[language]]\nname = \"a\"\nfile-types = [\"x\"]\n[[language]]\nname = \"b\"\nfile-types = [\"x\"]";
        assert_eq!(error(twice), "languages.toml: file type \"x\" belongs to a and to b: remove it from one");
    }
}
