//! What the texts of Gradle's build files say of modules, in Kotlin or Groovy, as far as literals tell.

use std::collections::HashMap;

/// What a settings file declares.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The paths of the modules, as in `:core:ui`.
    pub(super) modules: Vec<String>,
    /// Directories that differ from the paths, beneath the settings' one.
    pub(super) directories: HashMap<String, String>,
    /// The directories of builds that this one includes, as they are written.
    pub(super) builds: Vec<String>,
}

/// Which modules a build file names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedModules {
    /// The paths that stand somewhere, as in `:core:ui`; not all are those of modules.
    pub(super) mentioned: Vec<String>,
    /// The paths in `project(":core:ui")`.
    pub(super) paths: Vec<String>,
    /// The accessors behind `projects`, as in `core.ui`.
    pub(super) accessors: Vec<String>,
    /// Whether the file may depend on modules that it does not write down.
    pub(super) may_be_more: bool,
}

/// Reads a settings file.
pub(super) fn settings(text: &str) -> Settings {
    let mut found = Settings::default();
    let tokens = tokens(text);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Word("include") => {
                let literals = literals_behind(&tokens, at);
                let path = |name: &str| format!(":{}", name.trim_start_matches(':'));
                found.modules.extend(literals.into_iter().map(path));
            }
            Token::Word("includeBuild") => {
                found.builds.extend(literals_behind(&tokens, at).iter().map(|one| (*one).to_owned()))
            }
            // `project(":a").projectDir = file("b")`, `= new File(settingsDir, "b")`
            Token::Word("projectDir") => {
                let before = tokens[..at].iter().rev().find_map(literal);
                let behind = tokens[at..].iter().take(8).find_map(literal);
                if let (Some(module), Some(directory)) = (before, behind)
                    && module.starts_with(':')
                {
                    found
                        .directories
                        .insert(module.to_owned(), directory.trim_start_matches("./").to_owned());
                }
            }
            _ => {}
        }
    }
    found
}

/// Reads which modules a build file, or a plugin's source, names.
pub(super) fn named_modules(text: &str) -> NamedModules {
    let mut found = NamedModules::default();
    let tokens = tokens(text);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Literal(path) if path.starts_with(':') => match path.contains('$') {
                true => found.may_be_more = true,
                false => found.mentioned.push((*path).to_owned()),
            },
            Token::Word("project") if tokens.get(at + 1) == Some(&Token::Sign('(')) => {
                // `project(":a")`, `project(path: ":a")`, `project(mapOf("path" to ":a"))`, `project(name)`
                let skipped = |one: &&Token| {
                    matches!(
                        one,
                        Token::Word("path" | "mapOf" | "to")
                            | Token::Literal("path")
                            | Token::Sign(':' | '=' | '[' | '(')
                    )
                };
                match tokens[at + 2..].iter().find(|one| !skipped(one)) {
                    Some(Token::Literal(path)) => {
                        found.paths.push(format!(":{}", path.trim_start_matches(':')))
                    }
                    Some(Token::Sign(')')) => {}
                    _ => found.may_be_more = true,
                }
            }
            Token::Word("subprojects" | "allprojects") => {
                // A block configures modules; a value lists them.
                let is_block = tokens.get(at + 1) == Some(&Token::Sign('{'));
                found.may_be_more |= !is_block;
            }
            Token::Word("projects") if tokens.get(at + 1) == Some(&Token::Sign('.')) => {
                let mut path = String::new();
                let mut rest = &tokens[at + 1..];
                while let [Token::Sign('.'), Token::Word(name), more @ ..] = rest {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    rest = more;
                }
                found.accessors.push(path);
            }
            _ => {}
        }
    }
    found
}

/// Returns the accessor that Gradle makes of a module's path: `core.dataTest` for `:core:data-test`.
pub(super) fn accessor(path: &str) -> String {
    let mut name = String::new();
    let mut is_capital = false;
    for character in path.trim_start_matches(':').chars() {
        match character {
            ':' => name.push('.'),
            '-' | '_' | '.' => is_capital = true,
            _ if is_capital => {
                name.extend(character.to_uppercase());
                is_capital = false;
            }
            _ => name.push(character),
        }
    }
    name
}

/// A word, a string or a sign of a build file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Literal(&'t str),
    Sign(char),
}

fn literal<'t>(token: &Token<'t>) -> Option<&'t str> {
    match token {
        Token::Literal(text) => Some(text),
        _ => None,
    }
}

/// Returns the strings that follow, up to what is no list.
fn literals_behind<'t>(tokens: &[Token<'t>], at: usize) -> Vec<&'t str> {
    let is_list = |token: &&Token| matches!(token, Token::Literal(_) | Token::Sign('(' | ',' | '[' | ')'));
    let mut found = Vec::new();
    let mut is_open = true;
    for token in tokens[at..].iter().take_while(is_list) {
        match token {
            // `include ":a"` ends where no comma follows.
            Token::Literal(text) if is_open => {
                found.push(*text);
                is_open = false;
            }
            Token::Literal(_) | Token::Sign(')') => break,
            _ => is_open = true,
        }
    }
    found
}

/// Splits a text; comments and white space are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if let quote @ ('"' | '\'') = first {
            let inside = &rest[1..];
            let end = inside.find([quote, '\n']).unwrap_or(inside.len());
            found.push(Token::Literal(&inside[..end]));
            rest = inside.get(end + 1..).unwrap_or("");
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            found.push(Token::Word(&rest[..end]));
            rest = &rest[end..];
        } else {
            if !first.is_whitespace() {
                found.push(Token::Sign(first));
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_modules() {
        let kotlin = "includeBuild(\"build-logic\")\n// include(\":old\")\nrootProject.name = \"a\"\ninclude(\":app\")\n\
            include(\n    \":core:ui\",\n    \"core:data\",\n)\nproject(\":core:data\").projectDir = file(\"data\")\n";
        let found = settings(kotlin);
        assert_eq!(found.modules, [":app", ":core:ui", ":core:data"]);
        assert_eq!(found.builds, ["build-logic"]);
        assert_eq!(found.directories.get(":core:data").map(String::as_str), Some("data"));
        let groovy = "include ':app', ':lib'\ninclude ':more'\nproject(':lib').projectDir = new File(settingsDir, './x/lib')\n";
        let found = settings(groovy);
        assert_eq!(found.modules, [":app", ":lib", ":more"]);
        assert_eq!(found.directories.get(":lib").map(String::as_str), Some("x/lib"));
    }

    #[test]
    fn build_files_name_what_a_module_sees() {
        let found = named_modules(
            "dependencies {\n  api(project(\":a\"))\n  implementation(projects.core.dataTest)\n}\n",
        );
        assert_eq!(found.paths, [":a"]);
        assert_eq!(found.accessors, ["core.dataTest"]);
        assert!(!found.may_be_more);
        assert_eq!(accessor(":core:data-test"), "core.dataTest");
        assert_eq!(named_modules("implementation project(path: ':a', configuration: 'b')").paths, [":a"]);
        assert_eq!(named_modules("api(project(mapOf(\"path\" to \":a\")))").paths, [":a"]);
        assert_eq!(named_modules("val plugins = listOf(\":a\")").mentioned, [":a"]);
        assert!(!named_modules("subprojects { apply plugin: 'java' }").may_be_more);
        assert!(named_modules("api(project(it))").may_be_more);
        assert!(named_modules("api(project(\":core:$name\"))").may_be_more);
        assert!(named_modules("subprojects.forEach { api(it) }").may_be_more);
    }
}
