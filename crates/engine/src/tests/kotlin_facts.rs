//! The oracle of what is known of Kotlin's types. Files are edited one after the other, also in the middle of a word, and trees that were read
//! before are kept; after each edit, what names mean and who uses a symbol is what an index says that was built from nothing.
//! `SYMD_ORACLE_ROUNDS` and `SYMD_ORACLE_SEED` play more rounds, or repeat the same.

use std::sync::atomic::Ordering;

use super::by_need::Tree;
use super::oracle::number;
use super::uses_by_need::{Contents, UsesQuestion, complete, found, written};
use super::*;
use symd_base::Cancel;
use symd_resolve::{IndexedDeclaration, Judgement, KotlinState, Sources, operator_uses};

const ROUNDS: u64 = 6;
const EDITS: usize = 10;
const QUESTIONS: usize = 8;
const FILES: [&str; 6] = ["Shop.kt", "a/Cart.kt", "a/b/Item.kt", "a/Price.kt", "Main.kt", "a-b/Tools.kt"];
const CLASSES: [&str; 5] = ["Shop", "Cart", "Item", "Price", "Box"];
const MEMBERS: [&str; 6] = ["open", "all", "first", "size", "total", "make"];

struct Random(fastrand::Rng);

impl Random {
    fn class(&mut self) -> &'static str {
        CLASSES[self.0.usize(..CLASSES.len())]
    }

    fn member(&mut self) -> &'static str {
        MEMBERS[self.0.usize(..MEMBERS.len())]
    }

    /// A declaration whose meaning, and that of the names in it, other files decide.
    fn declaration(&mut self) -> String {
        let (a, b, c) = (self.class(), self.class(), self.class());
        let (m, n, o) = (self.member(), self.member(), self.member());
        match self.0.u8(..21) {
            0 => format!("class {a}(val {m}: {b}) {{ fun {n}() = {m}.{o} }}\n"),
            1 => format!("open class {a} : {b}() {{ override fun {m}(x: {c}) = x.{n}() }}\n"),
            2 => format!("interface {a}<T> {{ val {m}: T; fun {n}(f: (T) -> {b}): T }}\n"),
            3 => format!("class {a} : {b}<{c}> {{ fun {m}() = {n}.{o}() }}\n"),
            4 => format!("object {a} {{ val {m} = {b}(); fun {n}() = {m} }}\n"),
            5 => format!(
                "class {a} {{ companion object {{ fun {m}() = {b}() }}\n  class {c}(val {n}: {b}) }}\n"
            ),
            6 => format!("fun {a}.{m}(x: {b} = {b}()) = x.{n}()\n"),
            7 => format!("fun {m}(x: {a}) = x.{n} {{ it.{o}() }}\n"),
            8 => format!(
                "fun {m}(x: Any): Any {{ if (x is {a}) x.{n}()\n  return when (x) {{ is {b} -> x.{o}; else -> {m}(x) }} }}\n"
            ),
            9 => format!("val {m} = {a}().{n}().{o}\n"),
            10 => format!("typealias {a} = {b}\n"),
            11 => format!("fun {m}() = listOf({a}()).map {{ it.{n} }}.first().{o}()\n"),
            12 => format!("fun {m}(x: {a}?) = x?.run {{ {n}() }} ?: {b}.{o}()\n"),
            13 => format!("val {a}.{m}: {b} get() = with({c}()) {{ {n} }}\n"),
            14 => format!("enum class {a} {{ {b}, {c}; fun {m}() = {b}.{n}() }}\n"),
            15 => format!("fun {m}(x: {a}): {b} {{ val {n} = x.{o}(); return {n}.{m} }}\n"),
            16 => format!(
                "class {a} {{ fun {m}(x: {b}) {{ with(x) {{ {n}().{o} }} }}\n  fun {n}() {{ {m}({c}()) }} }}\n"
            ),
            17 => format!("fun {m}() {{ object : {a}() {{ val {n} = {o} }}.{n}.{m}() }}\n"),
            18 => format!("fun {m}(x: Any) {{ contract {{ returns() implies (x is {a}) }}; {n}(x) }}\n"),
            19 => format!("fun {m}(x: Any) {{ {n}(x)\n  x.{o}() }}\n"),
            _ => format!("fun <T : {a}> T.{m}(f: T.() -> {b}) = f().{n}({o} = 1)\n"),
        }
    }

    fn text(&mut self) -> Vec<u8> {
        let packages = ["a", "a.b", "shop"];
        let mut text = format!("package {}\n", packages[self.0.usize(..3)]);
        for _ in 0..self.0.usize(..3) {
            let package = packages[self.0.usize(..3)];
            let what = if self.0.bool() { "*".to_owned() } else { self.class().to_owned() };
            text += &format!("import {package}.{what}\n");
        }
        for _ in 0..self.0.usize(1..7) {
            text += &self.declaration();
        }
        // Someone is typing.
        if self.0.u8(..4) == 0 {
            text.truncate(self.0.usize(text.len() / 2..text.len()));
        }
        text.into_bytes()
    }

    /// Changes a word, or adds a comment or a local variable: other files often see the same then.
    fn small_edit(&mut self, text: &[u8]) -> Vec<u8> {
        let mut text = String::from_utf8_lossy(text).into_owned();
        let (class, member) = (self.class(), self.member());
        let (wanted, replacement) = match self.0.u8(..5) {
            0 => (" ", " /* edited */ ".to_owned()),
            1 => ("{ ", format!("{{ val {member} = {class}()\n ")),
            2 => (self.class(), class.to_owned()),
            _ => (self.member(), member.to_owned()),
        };
        let places: Vec<usize> = text.match_indices(wanted).map(|(at, _)| at).collect();
        if let Some(&at) = places.get(self.0.usize(..places.len().max(1))) {
            text.replace_range(at..at + wanted.len(), &replacement);
        }
        text.into_bytes()
    }

    fn question(&mut self, contents: &Contents) -> UsesQuestion {
        let name = if self.0.bool() { self.class() } else { self.member() };
        let files: Vec<&String> = contents.keys().collect();
        let file = files[self.0.usize(..files.len())].clone();
        let asked = question(name, &file);
        UsesQuestion { number: self.0.usize(..8), place: (file, self.0.usize(..64)), ..asked }
    }
}

/// Asks for the uses of the first declaration of a name, and for what the first identifier of a file means.
fn question(name: &'static str, file: &str) -> UsesQuestion {
    UsesQuestion {
        name,
        number: 0,
        is_chained: false,
        with_kin: false,
        with_subclasses: false,
        new_name: None,
        place: (file.to_owned(), 0),
    }
}

/// Returns a project all of whose files have been read.
fn crawled(contents: &Contents) -> Tree {
    let mut tree = written(fastrand::Rng::with_seed(1), contents);
    tree.crawl();
    tree.drain();
    tree
}

fn edit(tree: &mut Tree, contents: &mut Contents, file: &str, text: Option<Vec<u8>>) {
    tree.write(file, text.as_deref());
    tree.tell(if text.is_some() { changed(file) } else { Notice::Removed(path(file)) });
    match text {
        Some(text) => contents.insert(file.to_owned(), text),
        None => contents.remove(file),
    };
}

/// Returns how many uses were found.
fn round(seed: u64) -> usize {
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let mut contents: Contents = FILES.iter().map(|file| ((*file).to_owned(), random.text())).collect();
    let mut tree = written(random.0.fork(), &contents);
    tree.crawl();
    tree.drain();
    let mut uses = 0;
    for number in 0..EDITS {
        let file = FILES[random.0.usize(..FILES.len())];
        let is_last = contents.len() == 1;
        let text = (is_last || random.0.u8(..6) > 0).then(|| match contents.get(file) {
            Some(text) if random.0.u8(..4) > 0 => random.small_edit(text),
            _ => random.text(),
        });
        if text.is_some() || contents.contains_key(file) {
            edit(&mut tree, &mut contents, file, text);
            tree.drain();
        }
        let view = tree.complete_view();
        for _ in 0..QUESTIONS {
            let wanted = random.question(&contents);
            let (given, expected) = (found(&view, &wanted), complete(&contents, &wanted));
            assert_eq!(given, expected, "seed {seed}, edit {number}: {wanted:?} in {contents:?}");
            uses += given.uses.len();
        }
    }
    uses
}

#[test]
fn what_is_known_of_types_is_what_an_index_built_from_nothing_knows() {
    if let Some(seed) = number("SYMD_ORACLE_SEED") {
        round(seed);
        return;
    }
    let rounds = number("SYMD_ORACLE_ROUNDS").unwrap_or(ROUNDS);
    let first = fastrand::u64(..u64::MAX / 2);
    let uses: usize = (0..rounds).map(|number| round(first + number)).sum();
    println!("{uses} uses in {rounds} rounds");
    assert!(uses as u64 > rounds * 20, "{uses} uses in {rounds} rounds");
}

/// The index reads scripts of Kotlin, not of Groovy; it sees the same symbols in both texts of this one.
#[test]
fn a_build_file_that_is_changed_decides_at_once_which_module_is_seen() {
    decides_at_once("build.gradle");
    decides_at_once("build.gradle.kts");
}

fn decides_at_once(build_file: &str) {
    let depends_on = |module: &str| format!("dependencies {{ implementation(project(\":{module}\")) }}\n");
    let build_of_b = format!("a/b/{build_file}");
    let files = [
        ("settings.gradle", "include ':a', ':c', ':a:b'\nproject(':c').projectDir = file('a-b')\n"),
        (&format!("a/{build_file}"), ""),
        (&format!("a-b/{build_file}"), ""),
        (&build_of_b, &depends_on("a")),
        ("a/Make.kt", "package p\nfun make() = 1\n"),
        ("a-b/Make.kt", "package p\nfun make() = 2\n"),
        ("a/b/Use.kt", "package p\nfun use() = make()\n"),
    ];
    let contents = files.map(|(file, text)| (file.to_owned(), text.as_bytes().to_vec())).into_iter();
    let contents: Contents = contents.collect();
    let mut tree = crawled(&contents);
    let wanted = question("make", "a/b/Use.kt");
    let uses_in_b = |tree: &mut Tree| {
        let found = found(&tree.complete_view(), &wanted).uses;
        found.iter().filter(|(file, ..)| file.starts_with("a/b/")).map(|found| found.3).collect()
    };
    // Of the one in `a-b`.
    let before: Vec<Judgement> = uses_in_b(&mut tree);
    assert_eq!((before.as_slice(), uses_in_b(&mut tree)), ([Judgement::Unlikely].as_slice(), before.clone()));
    tree.write(&build_of_b, Some(depends_on("c").as_bytes()));
    tree.tell(changed(&build_of_b));
    tree.drain();
    assert_eq!(uses_in_b(&mut tree), [Judgement::Likely], "{build_file}");
}

#[test]
fn a_build_file_that_is_written_again_with_the_same_text_changes_nothing_that_is_known() {
    let files = [
        ("settings.gradle", "include ':a'\n"),
        ("a/build.gradle.kts", "dependencies {}\n"),
        ("a/Make.kt", "package p\nfun make() = 1\n"),
    ];
    let contents = files.map(|(file, text)| (file.to_owned(), text.as_bytes().to_vec())).into_iter();
    let contents: Contents = contents.collect();
    let mut tree = crawled(&contents);
    let before = tree.complete_view();
    let modules = before.gradle_modules();
    before.keep_kotlin_state(KotlinState::default());
    let build_file = path("a/build.gradle.kts");
    assert!(modules.depends_on(&build_file));
    tree.write(build_file.as_str(), Some(b"dependencies {}\n"));
    tree.tell(changed(build_file.as_str()));
    tree.drain();
    let after = tree.complete_view();
    let changes: Vec<RelPath> = after
        .snapshot
        .files
        .changes_since(&before.snapshot.files)
        .filter_map(|change| Some(change.after?.path.clone()))
        .collect();
    assert_eq!(changes, [build_file], "the entry is another one");
    assert!(Arc::ptr_eq(&modules, &after.gradle_modules()));
    after.kotlin_state(&Cancel::new());
    assert!(after.steps.goes_on.load(Ordering::Relaxed));
}

#[test]
fn a_text_with_the_same_symbols_is_another_text() {
    let text = |operator: &str| {
        format!(
            "class A {{ fun open() = 1 }}\nclass B {{ fun open() = 2 }}\nclass Box\n\
             operator fun Box.plus(x: Box) = A()\noperator fun Box.minus(x: Box) = B()\n\
             fun use(x: Box) = (x {operator} x).open()\n"
        )
    };
    let contents = [("Shop.kt".to_owned(), text("+").into_bytes())].into_iter().collect();
    let mut tree = crawled(&contents);
    let wanted = question("open", "Shop.kt");
    let last_use = |tree: &mut Tree| found(&tree.complete_view(), &wanted).uses.last().map(|found| found.3);
    assert_eq!(last_use(&mut tree), Some(Judgement::Likely));
    tree.write("Shop.kt", Some(text("-").as_bytes()));
    tree.tell(changed("Shop.kt"));
    tree.drain();
    assert_eq!(last_use(&mut tree), Some(Judgement::Unlikely));
}

#[test]
fn a_file_without_the_operator_is_read_once_for_all_questions_about_it() {
    let files = [
        ("Box.kt", "class Box { operator fun plus(other: Box) = other }\n"),
        ("Use.kt", "fun use(x: Box) = x + x\n"),
        ("Other.kt", "/** `x + x` */\nfun other(x: Box) = x\n"),
    ];
    let contents = files.map(|(file, text)| (file.to_owned(), text.as_bytes().to_vec())).into_iter();
    let mut tree = crawled(&contents.collect());
    let used_in = |view: &View| {
        let file = view.snapshot.files.get("Box.kt").expect("a file").clone();
        let row = file.outline().expect("symbols").rows.iter().position(|row| row.parent != 0);
        let plus = IndexedDeclaration { row: row.expect("a member"), file };
        assert_eq!(plus.name(), "plus");
        let found = operator_uses(view, &plus, &Cancel::new()).expect("not cancelled");
        assert_eq!(found.unchecked, 0);
        found.uses.into_iter().map(|(sign, one)| format!("{sign} {}", one.path)).collect::<Vec<_>>()
    };
    assert_eq!(used_in(&tree.complete_view()), ["+ Use.kt"]);
    // Not told: a question that reads the file sees that it differs from the index.
    tree.write("Other.kt", Some(b"fun other(x: Box) = x + x\n"));
    let view = tree.complete_view();
    assert_eq!(used_in(&view), ["+ Use.kt"]);
    assert_eq!(view.changed_file(), None);
    tree.tell(changed("Other.kt"));
    tree.drain();
    assert_eq!(used_in(&tree.complete_view()), ["+ Other.kt", "+ Use.kt"]);
}
