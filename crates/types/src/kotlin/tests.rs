//! What names mean in small projects: `fixtures/*.txt`. A line `? name …` asks for names, and under each line of
//! code that has one stand marks with what it means. `UPDATE_EXPECT=1 cargo test -p symd-types` writes them.

use std::fmt::Write as _;
use std::sync::Arc;

use super::*;
use expect_test::expect_file;
use symd_base::{Cancel, Text, TextRange};
use symd_syntax::{Grammar, flat_tree};

/// A file of a fixture: its name, its text and the names that are asked for.
struct FixtureFile {
    path: String,
    text: String,
}

struct Fixture {
    files: Vec<(FixtureFile, Arc<SourceFile>)>,
}

impl KotlinSources for Arc<Fixture> {
    fn read(&self, file: FileKey) -> Option<Arc<SourceFile>> {
        self.files.get(file as usize).map(|(_, file)| file.clone())
    }

    fn declaring(&self, name: &str) -> Vec<FileKey> {
        let files = self.files.iter().zip(0..);
        let declares = |file: &SourceFile| file.top_level_names().any(|known| known == name);
        files.filter(|((_, file), _)| declares(file)).map(|(_, key)| key).collect()
    }

    fn declaring_members(&self, name: &str) -> Option<Vec<FileKey>> {
        let mut java = self.files.iter().filter(|(file, _)| file.path.ends_with(".java"));
        let is_javas = java.any(|(file, _)| file.text.contains(name));
        (!is_javas).then(|| (0..self.files.len()).filter_map(|key| FileKey::try_from(key).ok()).collect())
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    fn may_see(&self, from: FileKey, declared: FileKey) -> bool {
        let is_jvm = |key: FileKey| self.files[key as usize].0.path.starts_with("jvm/");
        is_jvm(from) || !is_jvm(declared)
    }

    fn distance(&self, from: FileKey, declared: FileKey) -> u8 {
        let folder = |key: FileKey| self.files[key as usize].0.path.split('/').next();
        if folder(from) == folder(declared) { 1 } else { 2 }
    }

    fn has_package(&self, name: &str) -> bool {
        self.files.iter().any(|(_, file)| is_within_package(file.package(), name))
    }

    fn may_have_contract(&self, name: &str) -> bool {
        let mut holding = self.files.iter().filter(|(file, _)| file.text.contains("implies"));
        holding.any(|(_, file)| (0..file.declarations.len()).any(|number| file.name_of(number) == name))
    }

    fn may_declare(&self, qualified: &str) -> bool {
        self.files.iter().any(|(_, file)| shares_package_root(qualified, file.package()))
    }
}

fn source_file(text: &str) -> Arc<SourceFile> {
    let grammar = Grammar::named("kotlin").expect("a grammar");
    let tree = flat_tree(grammar, text, &Cancel::new()).expect("parsed");
    Arc::new(SourceFile::new(Text::decode(text.as_bytes().to_vec()).expect("text"), tree))
}

/// Reads a part of a fixture: the names that it asks for, and its files.
fn read_part(part: &str) -> (Vec<&str>, Arc<Fixture>) {
    let (asked, rest) = part.split_once('\n').expect("a line of names");
    let asked: Vec<&str> = asked.split_whitespace().collect();
    let mut files: Vec<FixtureFile> = Vec::new();
    for line in rest.lines() {
        if let Some(path) = line.strip_prefix("//- ") {
            files.push(FixtureFile { path: path.to_owned(), text: String::new() });
        } else if !line.trim_start().starts_with(['^', '*'])
            && let Some(file) = files.last_mut()
        {
            writeln!(file.text, "{line}").expect("written");
        }
    }
    let parsed = files.into_iter().map(|file| {
        let source = source_file(&file.text);
        (file, source)
    });
    (asked, Arc::new(Fixture { files: parsed.collect() }))
}

/// Returns a part of a fixture, which begins with the names that it asks for, with what they mean.
fn marked(part: &str) -> String {
    let (asked, fixture) = read_part(part);
    let universe = Universe::new(Box::new(fixture.clone()), KotlinFindings::default());
    let conventions = by_convention(&fixture, &universe, &asked);
    let mut out = format!("{}\n", asked.join(" "));
    for ((file, _), key) in fixture.files.iter().zip(0..) {
        writeln!(out, "//- {}", file.path).expect("written");
        let mut offset = 0;
        for line in file.text.lines() {
            writeln!(out, "{line}").expect("written");
            let mut marks = Vec::new();
            for (at, name) in names_in(line, &asked) {
                let start = u32::try_from(offset + at).expect("small");
                let range = TextRange::new(start, start + u32::try_from(name.len()).expect("small"));
                if let Some(found) = universe.resolve(key, range) {
                    marks.push((at, "^".repeat(name.len()), shown(&fixture, &universe, &found)));
                }
            }
            let here = offset..=offset + line.len();
            for (_, range, found) in conventions.iter().filter(|(of, ..)| *of == key) {
                let range = range.as_range();
                if here.contains(&range.start) {
                    marks.push((range.start - offset, "*".repeat(range.len()), found.clone()));
                }
            }
            marks.sort();
            marks.dedup();
            for (at, mark, found) in marks {
                writeln!(out, "{}{mark} {found}", " ".repeat(at)).expect("written");
            }
            offset += line.len() + 1;
        }
    }
    out
}

/// Returns where the language calls functions of these names without naming them: file, range, what is meant.
fn by_convention(
    fixture: &Arc<Fixture>,
    universe: &Universe,
    asked: &[&str],
) -> Vec<(FileKey, TextRange, String)> {
    let mut found = Vec::new();
    for name in asked.iter().filter(|name| is_convention(name)) {
        let mut functions = Vec::new();
        for ((_, file), key) in fixture.files.iter().zip(0..) {
            let named = (0..file.declarations.len()).filter(|number| file.name_of(*number) == *name);
            functions.extend(named.map(|number| DeclarationId::new(key, number)));
        }
        for (_, key) in fixture.files.iter().zip(0..) {
            let uses = universe.convention_uses(key, &functions);
            found.extend(uses.iter().map(|(range, one)| (key, *range, shown(fixture, universe, one))));
        }
    }
    found
}

/// Finds the names as whole words.
fn names_in<'l>(line: &'l str, asked: &[&'l str]) -> Vec<(usize, &'l str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for name in asked {
        for (at, _) in line.match_indices(name) {
            let is_whole = !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word);
            if is_whole {
                found.push((at, *name));
            }
        }
    }
    found.sort_unstable();
    found
}

fn shown(fixture: &Fixture, universe: &Universe, found: &NameResolution) -> String {
    let place = |id: &DeclarationId| {
        if universe.of_library(*id) {
            return "library".to_owned();
        }
        let (file, source) = &fixture.files[id.file as usize];
        let start = source.name_range(id.number()).unwrap_or_else(|| source.range_of(id.number())).start;
        let line = file.text[..start as usize].matches('\n').count() + 1;
        format!("{}:{line}", file.path)
    };
    let mut places: Vec<String> = found.declarations.iter().map(place).collect();
    places.dedup();
    let places = if places.is_empty() { "nothing".to_owned() } else { places.join(" ") };
    let other = if found.may_be_other { ", or another" } else { "" };
    format!("{places} {}{other}", format!("{:?}", found.certainty).to_lowercase())
}

/// Replaces the marks of a fixture's file by what is found now.
fn check(path: &str) {
    let path = format!("{}/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    #[allow(clippy::disallowed_methods, reason = "a fixture")]
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let mut parts = text.split("\n? ");
    let mut out = parts.next().expect("a head").to_owned();
    for part in parts {
        out.push_str("\n? ");
        out.push_str(&marked(part));
    }
    expect_file![path].assert_eq(&out);
}

/// Each identifier of the fixtures is asked for in a question of its own, which goes on from what those before it found out.
#[test]
fn what_was_found_out_before_changes_no_answer() {
    let folder = format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"));
    #[allow(clippy::disallowed_methods, reason = "fixtures")]
    let texts = std::fs::read_dir(folder)
        .expect("fixtures")
        .map(|file| std::fs::read_to_string(file.expect("a fixture").path()).expect("a fixture"));
    for part in texts.flat_map(|text| text.split("\n? ").skip(1).map(str::to_owned).collect::<Vec<_>>()) {
        let (asked, fixture) = read_part(&part);
        let mut findings = KotlinFindings::default();
        for ((file, _), key) in fixture.files.iter().zip(0..) {
            for (at, name) in names_in(&file.text, &asked) {
                let start = u32::try_from(at).expect("small");
                let range = TextRange::new(start, start + u32::try_from(name.len()).expect("small"));
                let answer = |findings| {
                    let mut universe = Universe::new(Box::new(fixture.clone()), findings);
                    let found = universe.resolve(key, range).map(|found| shown(&fixture, &universe, &found));
                    (found, universe.take_findings().expect("all files"))
                };
                let (alone, _) = answer(KotlinFindings::default());
                let (found, more) = answer(findings);
                findings = more;
                assert_eq!(found, alone, "{name} at {at} of {}: {}", file.path, file.text);
            }
        }
    }
}

#[test]
fn locals_are_visible_where_the_language_says() {
    check("scopes.txt");
}

#[test]
fn members_are_those_of_the_receivers_type() {
    check("members.txt");
}

#[test]
fn calls_mean_what_their_arguments_fit() {
    check("calls.txt");
}

/// A `*` stands under what calls a function that it does not name.
#[test]
fn operators_are_uses_of_functions() {
    check("operators.txt");
}

#[test]
fn what_is_not_known_leaves_the_rest_decided() {
    check("doubts.txt");
}

#[test]
fn checks_show_types() {
    check("narrowed.txt");
}

#[test]
fn labels_mean_what_they_are_made_from() {
    check("labels.txt");
}

#[test]
fn what_is_further_out_may_be_meant() {
    check("further.txt");
}

/// Files in one folder are near each other.
#[test]
fn of_declarations_that_are_alike_the_nearest_is_meant() {
    check("twins.txt");
}

#[test]
fn what_is_outside_leaves_doubts() {
    check("outside.txt");
}

#[test]
fn what_is_not_bound_is_possible() {
    check("unbound.txt");
}

#[test]
fn what_is_expected_decides_type_parameters() {
    check("expected.txt");
}

#[test]
fn lambdas_bounds_and_references_decide_types() {
    check("inferred.txt");
}

/// Some identifiers of very deep and very long expressions are resolved on a thread with the default stack.
#[test]
fn deep_and_long_texts_cost_no_stack() {
    let deep = |open: &str, inner: &str, close: &str| {
        format!(
            "class A {{ val a: A = this; fun b(c: A) = this }}\nfun f(a: A) = {}{inner}{}",
            open.repeat(1_000),
            close.repeat(1_000)
        )
    };
    let texts = [
        deep("(", "a", ")"),
        deep("a.b(", "a", ")"),
        deep("", "a", ".a"),
        deep("", "a", ".b(a)"),
        deep("a + ", "a", ""),
        deep("", "a", " + a"),
        deep("if (a is A && ", "a", ") a"),
        deep("", "a is A", " && a is A"),
        deep("run { ", "a", " }"),
        deep("a ?: ", "a", ""),
        deep("listOf<", "a", ">"),
        format!("{}class A : {} {{ val a = b }}", "open class A { ".repeat(500), "A.".repeat(500)),
    ];
    for text in texts {
        let fixture = Arc::new(Fixture {
            files: vec![(FixtureFile { path: "A.kt".to_owned(), text: text.clone() }, source_file(&text))],
        });
        let universe = Universe::new(Box::new(fixture), KotlinFindings::default());
        let starts: Vec<usize> = text.match_indices('a').map(|(at, _)| at).collect();
        // Some of them, from both ends: each costs as much as it is deep.
        let some = starts.iter().take(5).chain(starts.iter().rev().take(5));
        for &at in some {
            let start = u32::try_from(at).expect("small");
            universe.resolve(0, TextRange::new(start, start + 1));
        }
    }
}

/// The bounds of fourteen type parameters name each other; in each order that they can be followed it would take days.
#[test]
fn bounds_that_name_each_other_are_followed_once() {
    let names: Vec<String> = (0..14).map(|at| format!("T{at}")).collect();
    let bounds = names.iter().flat_map(|one| {
        let others = names.iter().filter(move |other| *other != one);
        others.map(move |other| format!("{one} : Box<{other}>"))
    });
    let bounds = bounds.collect::<Vec<_>>().join(", ");
    let text = format!(
        "class Box<T>\nfun <{}> put(one: T0, two: T1) where {bounds} = 1\nfun f(a: Box<Int>) = put(a, a)\n",
        names.join(", ")
    );
    let fixture = Arc::new(Fixture {
        files: vec![(FixtureFile { path: "A.kt".to_owned(), text: text.clone() }, source_file(&text))],
    });
    let universe = Universe::new(Box::new(fixture), KotlinFindings::default());
    let at = u32::try_from(text.rfind("put").expect("a call")).expect("small");
    assert!(universe.resolve(0, TextRange::new(at, at + 3)).is_some());
}

#[test]
fn other_files_see_no_difference_in_blocks_and_comments_only() {
    let looks_like = |one: &str, other: &str| source_file(one).looks_like(&source_file(other));
    let shop = "package p\nclass Shop(val size: Int) {\n  fun open(): Int { return size }\n  val all get() = size\n}\n";
    let edited = |from: &str, to: &str| {
        assert!(shop.contains(from), "{from}");
        looks_like(shop, &shop.replacen(from, to, 1))
    };
    assert!(edited("return size", "println(\"a\")\n    return size + 1"));
    assert!(edited("package p\n", "package p\n\n// A shop.\n"));
    assert!(edited("= size\n}", "= size\n}\n/* the end */"));
    // What it is, and the numbers of the declarations behind it.
    assert!(!edited("return size", "val a = size; return a"));
    assert!(!edited("{ return size }", "= size"));
    assert!(!edited("val all", "val most"));
    assert!(!edited("= size", "= size.toLong()"));
    assert!(!edited("package p", "package q"));
    assert!(!edited("fun open", "private fun open"));
    assert!(!edited("val size: Int", "val size: Long"));
    // Types in blocks: their members are found by their names.
    let with_type = |member: &str| format!("fun make() {{ object {{ fun {member}() = 1 }}.{member}() }}\n");
    assert!(!looks_like(&with_type("open"), &with_type("close")));
    // What a contract tells is true of its callers.
    let with_contract = |ty: &str| {
        format!("fun check(a: Any) {{ contract {{ returns() implies (a is {ty}) }}; verify(a) }}\n")
    };
    assert!(!looks_like(&with_contract("Shop"), &with_contract("Till")));
    // Operators are not told apart by nodes.
    assert!(!looks_like("val a = b + c\n", "val a = b - c\n"));
}
