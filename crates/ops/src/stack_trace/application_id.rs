//! The variants that the name of a process shows: Android names it by the application's id, whose suffixes are those of flavors and
//! build types in the module's script.
//!
//! Names: <https://developer.android.com/build/build-variants#change-app-id>. The id of a flavor comes before that of the module, and
//! the suffixes are those of the flavors, then that of the build type.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::script_text::{Piece, ScriptLanguage, pieces, without_comments};
use super::variant::words;

/// The names of the scripts in which ids stand.
pub(super) const SCRIPTS: [&str; 2] = ["build.gradle.kts", "build.gradle"];

/// Maximum number of variants of a script; of more none is shown.
const MAX_VARIANTS: usize = 256;

/// Returns the ids of the applications whose processes a text names: `Process: shop.app.free, PID: 4711`, `>>> shop.app.free <<<`.
pub(super) fn of_processes<'t>(text: &'t str) -> BTreeSet<&'t str> {
    static PROCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?:\bProcess: |>>> |\bCmd ?line: |\bPackage: )(?P<id>[A-Za-z]\w*(?:\.[A-Za-z]\w*)+)(?::[\w.]+)?(?:[,\s]|$)")
            .ok()
    });
    let Some(process) = PROCESS.as_ref() else { return BTreeSet::new() };
    let id = |found: Captures<'t>| {
        // A name that is wrapped goes on in the next line, which may be quoted.
        let rest = text[found.get(0)?.end()..]
            .trim_start_matches(|c: char| c.is_whitespace() || c == '>' || c == '|');
        let is_wrapped = rest.starts_with('.');
        found.name("id").filter(|_| !is_wrapped).map(|id| id.as_str())
    };
    process.captures_iter(text).filter_map(id).collect()
}

/// Returns the variants of a script whose application has an id, each as the words of its flavors and its build type; none if
/// the script makes variants or ids in a way that is not read.
pub(super) fn variants(script: &str, language: ScriptLanguage, id: &str) -> Vec<BTreeSet<String>> {
    let module = Module::read(script, language);
    let Some(base) = module.default.id.as_ref().filter(|_| !module.is_unclear) else { return Vec::new() };
    let mut all: Vec<Vec<&IdPart>> = vec![Vec::new()];
    let mut dimensions: Vec<&str> = Vec::new();
    for flavor in &module.flavors {
        if !dimensions.contains(&flavor.dimension.as_str()) {
            dimensions.push(&flavor.dimension);
        }
    }
    for dimension in dimensions {
        let of_dimension: Vec<&IdPart> =
            module.flavors.iter().filter(|flavor| flavor.dimension == dimension).collect();
        all = combined(&all, &of_dimension);
    }
    let all = combined(&all, &module.types.iter().collect::<Vec<_>>());
    let has_id = |parts: &Vec<&IdPart>| {
        let own = parts.iter().find_map(|part| part.id.as_ref()).unwrap_or(base);
        let suffixes = std::iter::once(&module.default).chain(parts.iter().copied());
        suffixes.fold(own.clone(), |id, part| id + &part.suffix) == id
    };
    let words_of = |parts: Vec<&IdPart>| parts.into_iter().flat_map(|part| words(&part.name)).collect();
    all.into_iter().filter(has_id).map(words_of).collect()
}

fn combined<'p>(all: &[Vec<&'p IdPart>], with: &[&'p IdPart]) -> Vec<Vec<&'p IdPart>> {
    // A part of the variants may have words in common that the rest do not have.
    if all.len() * with.len() > MAX_VARIANTS {
        return Vec::new();
    }
    let each = all.iter().flat_map(|parts| with.iter().map(|part| [parts.as_slice(), &[*part]].concat()));
    each.collect()
}

/// What the id is made of: the module's defaults, a flavor or a build type.
#[derive(Debug, Default)]
struct IdPart {
    name: String,
    id: Option<String>,
    suffix: String,
    dimension: String,
}

#[derive(Debug, Default)]
struct Module {
    default: IdPart,
    flavors: Vec<IdPart>,
    types: Vec<IdPart>,
    /// Whether there may be other variants, or other ids, than those that were read.
    is_unclear: bool,
}

impl Module {
    /// Reads the blocks of `android` in a script of Kotlin's or Groovy's.
    fn read(script: &str, language: ScriptLanguage) -> Module {
        let of_type = |name: &str| IdPart { name: name.to_owned(), ..IdPart::default() };
        let mut module = Module { types: vec![of_type("debug"), of_type("release")], ..Module::default() };
        let mut open: Vec<String> = Vec::new();
        for piece in pieces(&without_comments(script, language), language) {
            match piece {
                Piece::Opens(head) => {
                    let name = block_name(head);
                    module.is_unclear |= sets_id(head) || (name.is_none() && makes_parts(&open));
                    open.push(name.unwrap_or_default());
                    module.part(&open);
                }
                Piece::Closes => drop(open.pop()),
                Piece::Says("") => {}
                // A flavor or a build type without a block.
                Piece::Says(statement) if makes_parts(&open) => match block_name(statement) {
                    Some(name) => {
                        open.push(name);
                        module.part(&open);
                        open.pop();
                    }
                    None => module.is_unclear = true,
                },
                Piece::Says(statement) => match (assigned(statement), module.part(&open)) {
                    (Some(("applicationId", value)), Some(part)) => part.id = Some(value.to_owned()),
                    (Some(("applicationIdSuffix", value)), Some(part)) => {
                        let dot = if value.starts_with('.') { "" } else { "." };
                        part.suffix = format!("{dot}{value}");
                    }
                    (Some((_, value)), Some(part)) => value.clone_into(&mut part.dimension),
                    _ => module.is_unclear |= sets_id(statement),
                },
            }
        }
        module
    }

    /// Returns the part that the open blocks are of.
    fn part(&mut self, open: &[String]) -> Option<&mut IdPart> {
        let open: Vec<&str> = open.iter().map(String::as_str).collect();
        let (parts, name) = match open.as_slice() {
            ["android", "defaultConfig"] => return Some(&mut self.default),
            ["android", "productFlavors", name] => (&mut self.flavors, *name),
            ["android", "buildTypes", name] => (&mut self.types, *name),
            _ => return None,
        };
        let at = parts.iter().position(|part| part.name == name).unwrap_or(parts.len());
        if at == parts.len() {
            parts.push(IdPart { name: name.to_owned(), ..IdPart::default() });
        }
        parts.get_mut(at)
    }
}

/// Whether the open blocks are those in which each block is a flavor or a build type.
fn makes_parts(open: &[String]) -> bool {
    matches!(open, [android, parts] if android == "android" && (parts == "productFlavors" || parts == "buildTypes"))
}

/// Returns the name of a block: `free` of `create("free")`, `free`, `val free by creating`; none if it is not its whole head, as in a loop.
fn block_name(head: &str) -> Option<String> {
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"^(?:(?:create|register|named|getByName|maybeCreate)(?:<[^>]*>)?\(\s*["'](\w+)["']\s*\)|val (\w+) by \w+|(\w+)|["'](\w+)["'])$"#,
        )
        .ok()
    });
    // Names of Gradle's methods and of keywords; none of them names a flavor or a build type.
    const OF_ALL: [&str; 8] = ["all", "configureEach", "each", "forEach", "if", "else", "try", "do"];
    let found = NAME.as_ref()?.captures(head)?;
    let name = found.iter().skip(1).flatten().next()?.as_str();
    (!OF_ALL.contains(&name)).then(|| name.to_owned())
}

/// Reads `applicationIdSuffix = ".free"`, `applicationIdSuffix ".free"`.
fn assigned(statement: &str) -> Option<(&str, &str)> {
    static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"^(?P<property>applicationId|applicationIdSuffix|dimension)\s*[=( ]\s*["'](?P<value>[\w.]+)["']\s*\)?$"#).ok()
    });
    let found = ASSIGNED.as_ref()?.captures(statement)?;
    Some((found.name("property")?.as_str(), found.name("value")?.as_str()))
}

/// Whether a statement sets what ids are made of, or copies it from another part.
fn sets_id(statement: &str) -> bool {
    static SETS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:\w+\.)*(?:initWith|(?:set)?[aA]pplicationId(?:Suffix)?)\b").ok());
    SETS.as_ref().is_some_and(|sets| sets.is_match(statement))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KOTLIN: &str = r#"
        android {
            defaultConfig { applicationId = "shop.app" } // the id
            flavorDimensions += "tier"
            productFlavors {
                create("free") { dimension = "tier"
                    applicationIdSuffix = ".free" }
                register("paid") { dimension = "tier" }
                val own by creating { dimension = "tier"; }
                create("till") {
                    dimension = "tier"
                    applicationId = "shop.till"
                    // applicationIdSuffix = ".no"
                }
            }
            buildTypes {
                debug { applicationIdSuffix = ".debug" }
                getByName("release") { proguardFiles("a{b") }
            }
        }
    "#;

    fn shown(script: &str, id: &str) -> Vec<String> {
        let shown = |words: BTreeSet<String>| words.into_iter().collect::<Vec<_>>().join(" ");
        variants(script, ScriptLanguage::Kotlin, id).into_iter().map(shown).collect()
    }

    #[test]
    fn an_id_shows_its_variants() {
        assert_eq!(shown(KOTLIN, "shop.app.free.debug"), ["debug free"]);
        assert_eq!(shown(KOTLIN, "shop.app"), ["paid release", "own release"]);
        assert_eq!(shown(KOTLIN, "shop.till"), ["release till"]);
        assert_eq!(shown(KOTLIN, "shop.other"), Vec::<String>::new());
        assert_eq!(shown("plugins { id(\"x\") }", "shop.app"), Vec::<String>::new());
    }

    #[test]
    fn groovy_and_several_dimensions() {
        let script = "android {\n  defaultConfig {\n    applicationId 'shop.app'\n  }\n  productFlavors {\n    free {\n      dimension 'tier'\n      \
                      applicationIdSuffix 'free'\n    }\n    paid { dimension 'tier' }\n    eu { dimension 'place' }\n    us {\n      dimension 'place'\n      \
                      applicationIdSuffix '.us'\n    }\n  }\n}\n";
        assert_eq!(shown(script, "shop.app.free.us"), ["debug free us", "free release us"]);
        assert_eq!(shown(script, "shop.app"), ["debug eu paid", "eu paid release"]);
    }

    #[test]
    fn processes_that_a_text_names() {
        let text = "E AndroidRuntime: Process: shop.app.free:sync, PID: 4711\npid: 1, tid: 1, name: x  >>> shop.till <<<\nProcess: none";
        assert_eq!(of_processes(text).into_iter().collect::<Vec<_>>(), ["shop.app.free", "shop.till"]);
    }

    #[test]
    fn flavors_that_a_loop_makes_are_not_known() {
        let base = "android { defaultConfig { applicationId = \"shop.app\" }\n productFlavors { ";
        for made in [
            "listOf(\"free\", \"paid\").forEach { create(it) { dimension = \"tier\" } }",
            "free { dimension 'tier' }\n all { applicationIdSuffix '.x' }",
            "if (hasTill) { create(\"till\") { } }",
            "create(\"free\") { dimension = \"tier\" }\n create(name)",
        ] {
            assert_eq!(shown(&format!("{base}{made} }} }}\n"), "shop.app"), Vec::<String>::new(), "{made}");
        }
        // A flavor needs no block.
        let made = "create(\"free\") { applicationIdSuffix = \".free\" }\n create(\"paid\")\n";
        assert_eq!(shown(&format!("{base}{made} }} }}\n"), "shop.app"), ["debug paid", "paid release"]);
    }

    #[test]
    fn ids_that_cannot_be_read_show_no_variant() {
        let script = |types: &str| {
            format!(
                "android {{ defaultConfig {{ applicationId = \"shop.app\" }}\n buildTypes {{ debug {{ applicationIdSuffix = \".debug\" }}; {types} }} }}\n"
            )
        };
        assert_eq!(shown(&script("create(\"till\") { }"), "shop.app.debug"), ["debug"]);
        for types in [
            "create(\"staging\") { initWith(getByName(\"debug\")) }",
            "release { applicationIdSuffix = Config.SUFFIX }",
            "release { applicationIdSuffix = \".$name\" }",
            "release { applicationIdSuffix = \".debug\" + name }",
        ] {
            assert_eq!(shown(&script(types), "shop.app.debug"), Vec::<String>::new(), "{types}");
        }
    }

    #[test]
    fn comments_are_not_read() {
        let script = "android { defaultConfig { applicationId = \"shop.app\"; versionName = \"a//b\" }\n buildTypes {\n /* till { }\n { */\n \
                      debug { isDebuggable = true; applicationIdSuffix = \".debug\" } // }\n } }\n";
        assert_eq!(shown(script, "shop.app"), ["release"]);
        assert_eq!(shown(script, "shop.app.debug"), ["debug"]);
    }

    #[test]
    fn escaped_quotes_are_of_the_string() {
        let script = "android { defaultConfig { applicationId = \"shop.app\" }\n buildTypes {\n \
                      debug { applicationIdSuffix = \".debug\"; buildConfigField(\"String\", \"URL\", \"\\\"https://x\\\"\") }\n \
                      create(\"staging\") { buildConfigField(\"String\", \"SHARE\", \"\\\\\\\\pc\\\\\") }\n \
                      create(\"till\") { buildConfigField(\"String\", \"OPEN\", \"\\\"{\\\"\") }\n } }\n";
        assert_eq!(shown(script, "shop.app"), ["release", "staging", "till"]);
        assert_eq!(shown(script, "shop.app.debug"), ["debug"]);
    }

    #[test]
    fn strings_without_escapes_and_comments_within_comments() {
        let script = |kind: &str| {
            format!(
                "android {{ defaultConfig {{ applicationId = \"shop.app\" }}\n buildTypes {{\n debug {{ applicationIdSuffix = \".debug\" }}\n {kind}\n }} }}\n"
            )
        };
        for kind in [
            r#"create("till") { buildConfigField("String", "DIR", """C:\""") }"#,
            "create(\"till\") { buildConfigField(\"String\", \"TEXT\", \"\"\"{\n \"a\" }{\n\"\"\"\") }",
            "/* create(\"a\") { /* create(\"b\") { */ } { */ create(\"till\")",
        ] {
            assert_eq!(shown(&script(kind), "shop.app"), ["release", "till"], "{kind}");
        }
        // Groovy's comments hold none.
        let groovy = script("/* a { /* b { */ till { }");
        let found = variants(&groovy, ScriptLanguage::Groovy, "shop.app");
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn of_too_many_variants_none_is_shown() {
        let flavor = |dimension: usize, at: usize| {
            format!("create(\"f{dimension}x{at}\") {{ dimension = \"d{dimension}\" }}\n")
        };
        let flavors: String =
            (0..3).flat_map(|dimension| (0..6).map(move |at| flavor(dimension, at))).collect();
        let script = format!(
            "android {{ defaultConfig {{ applicationId = \"shop.app\" }}\n productFlavors {{ {flavors} }} }}\n"
        );
        assert_eq!(shown(&script, "shop.app"), Vec::<String>::new());
    }

    #[test]
    fn processes_whose_names_are_wrapped() {
        for text in [
            "Process: shop.app.\nfree, PID: 1",
            "Process: shop.app\n.free, PID: 1",
            "> Process: shop.app\n> .free, PID: 1",
        ] {
            assert!(of_processes(text).is_empty(), "{text}");
        }
    }
}
