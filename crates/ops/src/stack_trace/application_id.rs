//! The variants that the name of a process shows: Android names it by the application's id, whose suffixes are those of flavors and
//! build types in the module's script.
//!
//! Names: <https://developer.android.com/build/build-variants#change-app-id>. The id of a flavor comes before that of the module, and
//! the suffixes are those of the flavors, then that of the build type.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::variant::words;

/// The names of the scripts in which ids stand.
pub(super) const SCRIPTS: [&str; 2] = ["build.gradle.kts", "build.gradle"];

/// Maximum number of variants of a script that are looked at.
const MAX_VARIANTS: usize = 256;

/// Returns the ids of the applications whose processes a text names: `Process: shop.app.free, PID: 4711`, `>>> shop.app.free <<<`.
pub(super) fn of_processes(text: &str) -> BTreeSet<&str> {
    static PROCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?:\bProcess: |>>> |\bCmd ?line: |\bPackage: )(?P<id>[A-Za-z]\w*(?:\.[A-Za-z]\w*)+)")
            .ok()
    });
    let Some(process) = PROCESS.as_ref() else { return BTreeSet::new() };
    process.captures_iter(text).filter_map(|found| Some(found.name("id")?.as_str())).collect()
}

/// Returns the variants of a script whose application has an id, each as the words of its flavors and its build type.
pub(super) fn variants(script: &str, id: &str) -> Vec<BTreeSet<String>> {
    let module = Module::read(script);
    let Some(base) = &module.default.id else { return Vec::new() };
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
    let each = all.iter().flat_map(|parts| with.iter().map(|part| [parts.as_slice(), &[*part]].concat()));
    each.take(MAX_VARIANTS).collect()
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
}

impl Module {
    /// Reads the blocks of `android` in a script of Kotlin's or Groovy's.
    fn read(script: &str) -> Module {
        let of_type = |name: &str| IdPart { name: name.to_owned(), ..IdPart::default() };
        let mut module = Module { types: vec![of_type("debug"), of_type("release")], ..Module::default() };
        let mut open: Vec<String> = Vec::new();
        for piece in pieces(script) {
            match piece {
                Piece::Opens(head) => {
                    open.push(block_name(head));
                    module.part(&open);
                }
                Piece::Closes => drop(open.pop()),
                Piece::Says(statement) => {
                    if let Some((property, value)) = assigned(statement)
                        && let Some(part) = module.part(&open)
                    {
                        match property {
                            "applicationId" => part.id = Some(value.to_owned()),
                            "applicationIdSuffix" => {
                                let dot = if value.starts_with('.') { "" } else { "." };
                                part.suffix = format!("{dot}{value}");
                            }
                            _ => value.clone_into(&mut part.dimension),
                        }
                    }
                }
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

/// A piece of a script.
enum Piece<'s> {
    /// A block begins, behind this text.
    Opens(&'s str),
    Closes,
    Says(&'s str),
}

/// Parts a script at braces and ends of lines that are in no string and no comment of a line.
fn pieces(script: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut quote: Option<char> = None;
    let mut is_comment = false;
    let mut chars = script.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (c, quote) {
            ('\n', _) => {
                let said = script[start..at].split("//").next().unwrap_or_default();
                all.push(Piece::Says(said.trim()));
                (start, quote, is_comment) = (at + 1, None, false);
            }
            (c, Some(open)) if c == open => quote = None,
            _ if is_comment || quote.is_some() => {}
            ('"' | '\'', None) => quote = Some(c),
            ('/', None) if chars.peek().is_some_and(|(_, next)| *next == '/') => is_comment = true,
            ('{', None) => {
                all.push(Piece::Opens(script[start..at].trim()));
                start = at + 1;
            }
            ('}', None) => {
                all.push(Piece::Says(script[start..at].trim()));
                all.push(Piece::Closes);
                start = at + 1;
            }
            _ => {}
        }
    }
    all
}

/// Returns the name of a block: `free` of `create("free")`, `free`, `val free by creating`.
fn block_name(head: &str) -> String {
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"\(\s*["'](?P<quoted>\w+)["']|val (?P<by>\w+) by |(?P<last>\w+)$"#).ok()
    });
    let found = NAME.as_ref().and_then(|name| name.captures(head));
    let name = found.as_ref().and_then(|found| found.iter().skip(1).flatten().next());
    name.map_or_else(String::new, |name| name.as_str().to_owned())
}

/// Reads `applicationIdSuffix = ".free"`, `applicationIdSuffix ".free"`.
fn assigned(statement: &str) -> Option<(&str, &str)> {
    static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"^(?P<property>applicationId|applicationIdSuffix|dimension)\s*[=( ]\s*["'](?P<value>[\w.]+)["']"#).ok()
    });
    let found = ASSIGNED.as_ref()?.captures(statement)?;
    Some((found.name("property")?.as_str(), found.name("value")?.as_str()))
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
        variants(script, id).into_iter().map(shown).collect()
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
}
