//! Tests on small projects written inline: `//- path` begins a file, `$0` stands before the name of the
//! target. Each helper returns its findings as text, to be compared with the expectation beside it.

mod by_need;
mod clashes;
mod definitions;
mod fixtures;
mod hazards;
mod indirect_uses;
mod jvm;
mod marked;
mod mirrored;
mod objects;
mod others;
mod overrides;
mod positions;
mod python;
mod read_by_name;
mod ruled_out;
mod string_names;

use std::sync::Arc;

use super::*;
use by_need::everywhere;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextRange};
use symd_config::Languages;
use symd_index::{Content, FileEntry, IndexState, Origin, Snapshot};
use symd_syntax::{
    Grammar, LocalBindings, Outline, flat_tree, local_bindings, outline, outline_with_hidden_types,
};
use symd_types::kotlin::SourceFile;

/// A project in memory.
struct Memory {
    snapshot: Arc<Snapshot>,
    texts: Vec<(RelPath, String)>,
}

impl Sources for Memory {
    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn current(&self, file: &FileEntry) -> Option<CurrentText> {
        let (_, text) = self.texts.iter().find(|(path, _)| *path == file.path)?;
        let bytes = text.clone().into_bytes();
        let hash = ContentHash::of(&bytes);
        let known = match &file.content {
            Content::Code { hash: of_known, .. } if *of_known == hash => file.outline().cloned(),
            _ => None,
        };
        let outline = known.unwrap_or_else(|| Arc::new(parsed(&file.path, text).expect("a grammar").1));
        Some(CurrentText { text: Text::decode(bytes).ok()?, outline, hash })
    }

    fn text(&self, path: &RelPath) -> Option<String> {
        self.texts.iter().find(|(one, _)| one == path).map(|(_, text)| text.clone())
    }

    fn local_bindings(&self, file: &FileEntry, text: &str, cancel: &Cancel) -> Option<Arc<LocalBindings>> {
        local_bindings(file.grammar()?, text, cancel).ok().map(Arc::new)
    }

    fn outline_with_hidden_types(
        &self,
        file: &FileEntry,
        current: &CurrentText,
        cancel: &Cancel,
    ) -> Option<Arc<Outline>> {
        outline_with_hidden_types(file.grammar()?, current.text.as_str(), cancel).ok().map(Arc::new)
    }

    fn kotlin_file(&self, _: &FileEntry, current: &CurrentText, cancel: &Cancel) -> Option<Arc<SourceFile>> {
        let tree = flat_tree(Grammar::named("kotlin")?, current.text.as_str(), cancel).ok()?;
        Some(Arc::new(SourceFile::new(current.text.clone(), tree)))
    }

    fn kotlin_text(&self, text: String, cancel: &Cancel) -> Option<Arc<SourceFile>> {
        let tree = flat_tree(Grammar::named("kotlin")?, &text, cancel).ok()?;
        Some(Arc::new(SourceFile::new(Text::decode(text.into_bytes()).ok()?, tree)))
    }

    fn gradle_modules(&self) -> Arc<GradleModules> {
        Arc::new(GradleModules::read(self))
    }

    fn languages(&self) -> &Languages {
        Languages::builtin()
    }
}

fn parsed(path: &RelPath, text: &str) -> Option<(Grammar, Outline)> {
    let languages = Languages::builtin();
    let grammar = Grammar::named(languages.get(languages.language_of(path)?).grammar.as_deref()?)?;
    Some((grammar, outline(grammar, text, &Cancel::new()).expect("not cancelled")))
}

/// Returns the files of a fixture, and the place of `$0`.
fn files(fixture: &str) -> (Vec<(RelPath, String)>, (RelPath, u32)) {
    let (mut texts, mut cursor) = (Vec::new(), None);
    for part in fixture.split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').expect("a path's line");
        let path = RelPath::new(path.trim()).expect("a path");
        if let Some(at) = text.find("$0") {
            cursor = Some((path.clone(), u32::try_from(at).expect("short")));
        }
        texts.push((path, text.replace("$0", "")));
    }
    (texts, cursor.expect("a fixture has one $0"))
}

/// Returns a fixture's files, and the declaration at `$0`.
fn declared(fixture: &str) -> (Memory, IndexedDeclaration) {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    (memory, target)
}

fn content(path: &RelPath, text: &str) -> Content {
    match parsed(path, text) {
        Some((grammar, outline)) => Content::Code {
            origin: Origin::Grammar(grammar),
            hash: ContentHash::of(text.as_bytes()),
            stat: Default::default(),
            outline: Arc::new(outline).into(),
        },
        None => Content::Plain,
    }
}

fn memory(texts: Vec<(RelPath, String)>) -> Memory {
    let mut state = IndexState::default();
    for (path, text) in &texts {
        let content = content(path, text);
        state.put(Arc::new(FileEntry { path: path.clone(), content }));
    }
    Memory { snapshot: state.snapshot(), texts }
}

fn target(memory: &Memory, path: &RelPath, at: u32) -> IndexedDeclaration {
    let file = memory.snapshot.files.get(path.as_str()).expect("is there").clone();
    let rows = &file.outline().expect("an outline").rows;
    let row = rows.iter().position(|row| row.name_start == at).expect("$0 stands before a declared name");
    IndexedDeclaration { file, row }
}

/// Returns one line per occurrence: `path:line: judgement role`, lines 1-based.
fn judged(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found = judged_occurrences(&memory, &target);
    check(&memory, &found, target.name());
    let place = |found: &Occurrence| (found.path.clone(), found.range.start);
    assert!(found.is_sorted_by_key(place));
    found
        .iter()
        .map(|one| {
            let text = &memory.texts.iter().find(|(path, _)| *path == one.path).expect("is there").1;
            let line = text[..one.range.start as usize].matches('\n').count() + 1;
            format!("{}:{line}: {:?} {:?}", one.path, one.judgement, one.role).to_lowercase()
        })
        .collect()
}

fn judged_occurrences(memory: &Memory, target: &IndexedDeclaration) -> Vec<Occurrence> {
    everywhere(memory, |memory| {
        occurrences(memory, std::slice::from_ref(target), &Cancel::new()).expect("not cancelled")
    })
}

/// Checks that the text at the range of every occurrence is the name.
fn check(memory: &Memory, found: &[Occurrence], name: &str) {
    for one in found {
        let text = &memory.texts.iter().find(|(path, _)| *path == one.path).expect("is there").1;
        assert_eq!(text.get(one.range.as_range()), Some(name), "{one:?}");
    }
}

/// Returns where the identifier at `$0` is defined, as `path:line`, with ` ?` behind a guess.
fn defined(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    everywhere(&memory, |memory| {
        let found = super::definitions(memory, &path, at, &Cancel::new()).expect("not cancelled");
        let line = |target: &IndexedDeclaration| target.row().map_or(0, |(_, row)| row.name_line + 1);
        let guess = if found.is_guess { " ?" } else { "" };
        let place = |target: &IndexedDeclaration| format!("{}:{}{guess}", target.file.path, line(target));
        found.declarations.iter().map(place).collect()
    })
}

#[test]
fn every_row_of_every_fixture_is_found_where_it_is_declared() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/outline");
    let mut texts = Vec::new();
    for folder in std::fs::read_dir(&root).expect("readable") {
        for file in std::fs::read_dir(folder.expect("an entry").path()).expect("readable") {
            let path = file.expect("an entry").path();
            let relative = path.strip_prefix(&root).ok().and_then(|path| path.to_str()).expect("UTF-8");
            let relative = RelPath::new(relative).expect("a path");
            #[allow(clippy::disallowed_methods, reason = "fixtures are no project's files")]
            let text = std::fs::read(&path).ok().and_then(|bytes| Text::decode(bytes).ok()).expect("text");
            if parsed(&relative, text.as_str()).is_some() {
                texts.push((relative, text.as_str().to_owned()));
            }
        }
    }
    let memory = memory(texts);
    let mut declared = 0;
    for file in memory.snapshot.files.iter() {
        let outline = file.outline().expect("an outline");
        for row in 0..outline.rows.len() {
            let target = IndexedDeclaration { file: file.clone(), row };
            let found =
                occurrences(&memory, std::slice::from_ref(&target), &Cancel::new()).expect("not cancelled");
            check(&memory, &found, target.name());
            let start = outline.rows[row].name_start;
            let itself = found.iter().find(|one| one.path == file.path && one.range.start == start);
            // Composed names, names in strings and the like are not identifiers.
            if let Some(itself) = itself {
                assert_eq!(itself.role, Role::Declaration, "{}: {}", file.path, outline.name_path(row));
                declared += 1;
            }
        }
    }
    assert!(declared > 300, "{declared}");
}

#[test]
fn a_raised_flag_ends_the_question() {
    let (texts, (path, at)) = files("//- a.py\ndef $0f(): pass\nf()\n");
    let memory = memory(texts);
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(occurrences(&memory, &[target(&memory, &path, at)], &cancel).is_err());
    assert!(super::definitions(&memory, &path, at, &cancel).is_err());
}

#[test]
fn a_file_that_changed_since_is_judged_as_it_is_now() {
    let (texts, (path, at)) = files("//- a.py\ndef $0f(): pass\n//- b.py\nfrom a import f\nf()\n");
    let mut memory = memory(texts);
    memory.texts[1].1 = "# moved\nfrom a import f\n\nf()\n".to_owned();
    memory.texts[0].1 = "x = 1\ndef f(): pass\n".to_owned();
    let found = occurrences(&memory, &[target(&memory, &path, at)], &Cancel::new()).expect("not cancelled");
    check(&memory, &found, "f");
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|one| one.judgement == Judgement::Likely), "{found:?}");
}

#[test]
fn enclosing_takes_functions_and_classes_only() {
    let text = "class A:\n    def f(self):\n        self.x = 1\n        y = 2\n\nz = 3\n";
    let path = RelPath::new("a.py").expect("a path");
    let outline = parsed(&path, text).expect("a grammar").1;
    let at = |what: &str| u32::try_from(text.find(what).expect("is there")).expect("short");
    let around = |what: &str| enclosing_row(&outline, at(what)).map(|row| outline.name_path(row));
    assert_eq!(around("self.x").as_deref(), Some("A/f"));
    assert_eq!(around("y = 2").as_deref(), Some("A/f"));
    assert_eq!(around("def f").as_deref(), Some("A/f"));
    assert_eq!(around("class A").as_deref(), Some("A"));
    assert_eq!(around("z = 3"), None);
    let _ = TextRange::new(0, 0);
}

#[test]
fn outside_functions_a_use_is_part_of_the_statement_that_binds_a_name() {
    let check = |path: &str, text: &str, expected: &[(&str, Option<&str>)]| {
        let outline = parsed(&RelPath::new(path).expect("a path"), text).expect("a grammar").1;
        for (what, symbol) in expected {
            let offset = u32::try_from(text.find(what).expect(what)).expect("short");
            let found = attributed_row(&outline, offset).map(|row| outline.name_path(row));
            assert_eq!(found.as_deref(), *symbol, "{what}");
        }
    };
    let python = "import one\n\
        a, b = two(\n    three\n)\n\
        four()\n\
        for c in five:\n    six()\n\
        class K(seven):\n    d: eight = nine()\n    ten()\n    @eleven\n    def f(self, e=twelve):\n        self.g = thirteen\n\
        def h():\n    i = fourteen\n    class L:\n        j = fifteen\n";
    let expected = [
        ("one", None),
        ("two", Some("a")),
        ("three", Some("a")),
        ("four", None),
        ("five", None),
        ("six", None),
        ("seven", Some("K")),
        ("eight", Some("K/d")),
        ("nine", Some("K/d")),
        ("ten", Some("K")),
        ("eleven", Some("K/f")),
        ("twelve", Some("K/f")),
        ("thirteen", Some("K/f")),
        ("fourteen", Some("h")),
        ("fifteen", Some("h/L")),
    ];
    check("a.py", python, &expected);
    let kotlin = "val a = one { two() }\nclass K(val b: Three) : Four() {\n  val c: Int\n    get() = five()\n  val d by six { seven() }\n  init { eight() }\n}\n\
        enum class E { F(nine()) }\n";
    let expected = [
        ("one", Some("a")),
        ("two", Some("a")),
        ("Three", Some("K/b")),
        ("Four", Some("K")),
        ("five", Some("K/c")),
        ("six", Some("K/d")),
        ("seven", Some("K/d")),
        ("eight", Some("K")),
        ("nine", Some("E/F")),
    ];
    check("A.kt", kotlin, &expected);
    let typescript =
        "const f = (a: One) => { two(); };\nexport class K { g = three(); h() { four(); } }\nfive();\n";
    let expected = [
        ("One", Some("f")),
        ("two", Some("f")),
        ("three", Some("K/g")),
        ("four", Some("K/h")),
        ("five", None),
    ];
    check("a.ts", typescript, &expected);
}
