//! The oracle of half-built indexes for questions of several steps: the uses of a symbol, and the definitions of a
//! use, asked at a random moment of a crawl or of a storm of changes, are those of the complete index. Projects are
//! random: re-exports by `*`, bases three files away, companions, names in backticks, UTF-16. `SYMD_ORACLE_ROUNDS` and
//! `SYMD_ORACLE_SEED` play more rounds, or repeat the same.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::by_need::{Tree, play};
use super::*;
use symd_base::Cancel;
use symd_index::{Hit, Locals, Query};
use symd_resolve::{
    IndexedDeclaration, Judgement, Role, ServerBases, definitions, find_conflicts, indirect_uses,
    occurrences, overrides, rename_hazards, subclasses,
};
use symd_syntax::{Matching, NamePattern};

const ROUNDS: usize = 40;
const NAMES: [&str; 14] = [
    "run",
    "now",
    "Clock",
    "Base",
    "größe",
    "walk",
    "of two words",
    "deep",
    "Root",
    "step",
    "size",
    "Item",
    "make",
    "Far",
];
const DIRECTORIES: [&str; 4] = ["", "a", "a-b", "a/b"];
/// Files that use and declare nothing: they come and go while a question runs.
const LEAVES: [&str; 4] = ["leaf0.py", "a/leaf1.py", "leaf2.kt", "leaf3.ts"];

/// The files that declare what chains of others lead to.
const CHAINED: [&str; 3] = ["a/s3.py", "e3.ts", "k0.kt"];

/// The contents of a project.
pub(super) type Contents = BTreeMap<String, Vec<u8>>;

/// A use: path, range, judgement, role, and the text that stands there.
pub(super) type FoundUse = (String, u32, u32, Judgement, Role, String);

/// An answer, comparable with that of another index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FoundUses {
    target: String,
    pub(super) uses: Vec<FoundUse>,
    defined: Vec<String>,
    /// What is linked to a member, what inherits from a class, and what a new name would break.
    kin: Vec<String>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(super) struct UsesQuestion {
    pub(super) name: &'static str,
    /// Which of the declarations of that name.
    pub(super) number: usize,
    /// Whether rather the one that chains of other files lead to.
    pub(super) is_chained: bool,
    /// Whether its kin is asked for, too.
    pub(super) with_kin: bool,
    /// Whether the subclasses are: that takes every file.
    pub(super) with_subclasses: bool,
    /// A new name for it.
    pub(super) new_name: Option<&'static str>,
    /// The file and the identifier of it whose definitions are asked for.
    pub(super) place: (String, usize),
}

struct Random(fastrand::Rng);

impl Random {
    fn some<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.0.usize(..all.len())]
    }

    fn path(&mut self) -> String {
        let directory = self.some(&DIRECTORIES);
        let extension = self.some(&["py", "py", "py", "kt", "kt", "ts", "java"]);
        let name = match self.0.u8(..5) {
            0 if extension == "py" => "__init__.py".to_owned(),
            _ => format!("f{}.{extension}", self.0.u8(..7)),
        };
        if directory.is_empty() { name } else { format!("{directory}/{name}") }
    }

    fn module(&mut self) -> String {
        let file = self.0.u8(..7);
        match self.0.u8(..6) {
            0 => format!(".f{file}"),
            1 => format!("a.f{file}"),
            2 => format!("a.b.f{file}"),
            3 => "a".to_owned(),
            4 => "a.b".to_owned(),
            _ => format!("f{file}"),
        }
    }

    fn text(&mut self, path: &str) -> Vec<u8> {
        let mut text = String::new();
        let extension = path.rsplit('.').next().unwrap_or_default();
        if matches!(extension, "kt" | "java") {
            let package = self.some(&["a", "a.b", "c.d.e.f"]);
            text += &format!("package {package}{}\n", if extension == "java" { ";" } else { "" });
        }
        for _ in 0..self.0.usize(1..4) {
            let (one, two, three) = (self.some(&NAMES), self.some(&NAMES), self.some(&NAMES));
            let [a, b, c] = [one, two, three].map(|name| name.replace(' ', "_"));
            let (module, kind) = (self.module(), self.0.u8(..13));
            text += &match (extension, kind) {
                ("py", 0) => format!("from {module} import {a}\n{a}()\n"),
                ("py", 1) => format!("from {module} import *\n{b}()\n"),
                ("py", 2) => format!("from {module} import {a} as {b}\nx = {b}\n"),
                ("py", 3) if !module.starts_with('.') => format!("import {module}\n{module}.{c}()\n"),
                ("py", 4) => format!("class {a}({b}):\n    def {c}(self): return self.{b}()\n"),
                ("py", 5) => format!("def {a}({b}): return {b}.{c}()\n{a}({b}=1)\n"),
                ("py", 6) => {
                    format!("import pytest\n@pytest.fixture\ndef {a}(): pass\ndef test_x({a}): pass\n")
                }
                ("py", 7) => format!("from {module} import {a} as {b}\n{c} = {b}\n"),
                ("py", 8) => format!("class {a}({b}):\n    {c} = None\n    def {b}(self): super().{b}()\n"),
                ("py", 9) => format!(
                    "{a} = type('{a}', ({b},), {{}})\nclass {c}(make({a})):\n    def {b}(self): pass\n"
                ),
                ("py", 10) => format!("from {module} import {a}, {b}\n{a}.register({b})\n"),
                ("py", _) => format!("def {a}(): return {b}()\nclass C{kind}({a}): {c} = 1\n"),
                ("ts", 0) => format!("import {{ {a} }} from './f{}';\n{a}();\n", self.0.u8(..7)),
                ("ts", 1) => format!("export {{ {a} as {b} }} from './f{}';\n", self.0.u8(..7)),
                ("ts", 2) => format!("import {a} from './f{}';\n{a}();\n", self.0.u8(..7)),
                ("ts", 3) => format!("export * from './f{}';\n", self.0.u8(..7)),
                ("ts", 4) => format!("export default function {a}() {{ return {b}(); }}\n"),
                ("ts", 5) => format!("export class {a} extends {b} {{ {c}() {{ this.{b}(); }} }}\n"),
                ("ts", 6) => format!("export default class {a} extends {b} {{ {c}() {{}} }}\n"),
                ("ts", 7) => format!(
                    "import {a} from './f{}';\nexport class {b} extends {a} {{ {c}() {{}} }}\n",
                    self.0.u8(..7)
                ),
                ("ts", 8) => format!(
                    "import * as {a} from './f{}';\nclass {b} extends {a}.default {{ {c}() {{}} }}\n",
                    self.0.u8(..7)
                ),
                ("ts", 9) => format!("export {{ default }} from './f{}';\n", self.0.u8(..7)),
                ("ts", 10) => format!("export const {a} = {b};\nexport interface {c} {{ {b}(): void; }}\n"),
                ("ts", _) => format!("export function {a}() {{ return {b}().{c}(); }}\n"),
                ("java", 0 | 1) => format!("import {module}.{a};\n", module = module.trim_start_matches('.')),
                ("java", 2 | 3) => format!("class {a} extends {b} {{ public void {c}() {{}} }}\n"),
                ("java", _) => format!("class {a} {{ int get{b}() {{ return new {c}().{b}(); }} }}\n"),
                (_, 0) => format!("import {}.`{one}`\n", self.some(&["a", "a.b", "c.d.e.f", "x.y"])),
                (_, 1) => {
                    let package = self.some(&["a", "a.b", "c.d.e.f", "kotlin.io"]);
                    format!("import {package}.*\nval {b}{kind} = {a}()\n")
                }
                (_, 2) => {
                    format!(
                        "open class `{one}` : `{two}`() {{ companion object {{ fun `{three}`() = 1 }} }}\n"
                    )
                }
                (_, 3) => format!("fun `{one}`() = `{two}`().`{three}`()\n"),
                (_, 4) => format!("val z{kind} = {a}.{b}().{c}\n"),
                (_, 5) => format!("class {a}(val {b}: {c}) {{ operator fun plus(o: {a}) = o + {b} }}\n"),
                (_, 6) => format!("typealias {a} = {b}\nopen class {c} : {a}() {{ open fun {b}() = 1 }}\n"),
                (_, 7) => format!(
                    "interface {a} {{ fun {b}(): Int }}\nval o{kind} = object : {a} {{ override fun {b}() = 1 }}\n"
                ),
                (_, 8) => format!("open class {a} : {b}() {{ override fun {c}() = 2 }}\n"),
                (_, _) => format!("fun {a}.{b}(x: {c}) = x.{a}()\n"),
            };
        }
        match self.0.u8(..9) {
            0 => std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
            1 => format!("\u{FEFF}{text}").into_bytes(),
            _ => text.into_bytes(),
        }
    }

    /// Adds what a name leads to only through files that do not hold it: re-exports by `*`, and bases three files away.
    /// Returns the names.
    fn add_chains(&mut self, contents: &mut Contents) -> [&'static str; 3] {
        let names @ [name, member, class] =
            [self.some(&NAMES), self.some(&NAMES), self.some(&["Root", "Far", "Item"])];
        let [name, member] = [name, member].map(|name| name.replace(' ', "_"));
        let mut add = |path: &str, text: String| drop(contents.insert(path.to_owned(), text.into_bytes()));
        add("s0.py", "from a.s1 import *\n".to_owned());
        add("a/s1.py", "from .b.s2 import *\n".to_owned());
        add("a/b/s2.py", "from a.s3 import *\n".to_owned());
        add("a/s3.py", format!("def {name}(): pass\nclass {class}:\n    def {member}(self): pass\n"));
        add("c0.py", "from s0 import *\nfrom a.c1 import L1\nclass L0(L1): pass\n".to_owned());
        add("a/c1.py", "from .c2 import L2\nclass L1(L2): pass\n".to_owned());
        add("a/c2.py", format!("from .s3 import {class}\nclass L2({class}): pass\n"));
        add(
            "use.py",
            format!(
                "from s0 import {name}\nfrom c0 import L0\n{name}()\nL0().{member}()\nclass U(L0):\n    \
                 def go(self): self.{member}()\n"
            ),
        );
        let other = self.some(&["walk", "make", "go"]);
        let mut add = |path: &str, text: String| drop(contents.insert(path.to_owned(), text.into_bytes()));
        add("e0.ts", "export * from './e1';\n".to_owned());
        add("e1.ts", "export * from './e2';\n".to_owned());
        add("e2.ts", format!("export {{ {name} as {other} }} from './e3';\n"));
        add("e3.ts", format!("export function {name}() {{}}\n"));
        add("e4.ts", format!("import {{ {other} }} from './e0';\n{other}();\n"));
        add("k0.kt", format!("package far.off.away.x\nopen class {class} {{ fun {member}() = 1 }}\n"));
        add("k1.kt", format!("package far.off.away\nopen class Mid : far.off.away.x.{class}()\n"));
        add("k2.kt", "package far.off\nimport far.off.away.*\nopen class Low : Mid()\n".to_owned());
        add(
            "k3.kt",
            format!("package far\nval v = far.off.Low().{member}()\nval w = far.off.away.Mid().{member}()\n"),
        );
        names
    }

    /// Returns the text of a file that only uses names.
    fn leaf(&mut self, path: &str) -> Option<Vec<u8>> {
        let name = self.some(&["run", "now", "Clock", "Base"]);
        let text = match path.rsplit('.').next().unwrap_or_default() {
            "py" => format!("from {} import {name}\n{name}()\nprint({name}.walk)\n", self.module()),
            "ts" => format!("import {{ {name} }} from './f1';\n{name}();\n"),
            _ => format!("package a\nprivate val _ = {name}().walk()\n"),
        };
        (self.0.u8(..4) > 0).then(|| text.into_bytes())
    }
}

/// Answers on one view.
pub(super) fn found(view: &View, wanted: &UsesQuestion) -> FoundUses {
    let (mut answer, cancel) = (FoundUses::default(), Cancel::new());
    let snapshot = &view.snapshot;
    let (path, number) = &wanted.place;
    if let Some(file) = snapshot.files.get(path)
        && let Some(outline) = file.outline()
    {
        let of_hash = |&hash: &u32| outline.occurrences.offsets_of_hash(hash);
        let mut all: BTreeSet<u32> = outline.occurrences.offsets_of(wanted.name).collect();
        if all.is_empty() {
            all = outline.occurrences.hashes.iter().flat_map(of_hash).collect();
        }
        if let Some(&at) = all.iter().nth(number % all.len().max(1)) {
            let path = RelPath::new(path.as_str()).expect("valid");
            let all = definitions(view, &path, at, &cancel).expect("not cancelled");
            let shown = |one: &IndexedDeclaration| {
                let (outline, row) = one.row()?;
                Some(format!("{} {} {}", one.file.path, outline.name_path(one.row), row.start))
            };
            answer.defined = all.declarations.iter().filter_map(shown).collect();
        }
    }
    let pattern = NamePattern::parse(wanted.name, Matching::Exact).expect("valid");
    let hits = snapshot.find(&Query::in_project(pattern, Locals::Included), &cancel).expect("not cancelled");
    let is_chained = |hit: &&Hit| wanted.is_chained && CHAINED.contains(&hit.file.path.as_str());
    let nth = hits.get(wanted.number % hits.len().max(1));
    let Some(hit) = hits.iter().find(is_chained).or(nth) else { return answer };
    let target = IndexedDeclaration { file: hit.file.clone(), row: hit.row };
    let (outline, _) = target.row().expect("a row");
    answer.target = format!("{} {}", hit.file.path, outline.name_path(hit.row));
    let own = occurrences(view, std::slice::from_ref(&target), &cancel).expect("not cancelled");
    let named = own.into_iter().map(|one| (String::new(), one));
    let indirect = indirect_uses(view, &target, &cancel).expect("not cancelled");
    for (text, one) in named.chain(indirect) {
        let path = one.path.as_str().to_owned();
        answer.uses.push((path, one.range.start, one.range.end, one.judgement, one.role, text));
    }
    if wanted.with_kin {
        answer.kin = kin_of(view, &target, wanted);
    }
    answer.uses.sort_by(|a, b| (&a.0, a.1, &a.5).cmp(&(&b.0, b.1, &b.5)));
    answer
}

/// Returns what is linked to the target, one line each.
fn kin_of(view: &View, target: &IndexedDeclaration, wanted: &UsesQuestion) -> Vec<String> {
    let cancel = Cancel::new();
    let place = |one: &IndexedDeclaration| {
        let at = one.row().map_or(0, |(_, row)| row.name_start);
        format!("{} {at} {}", one.file.path, one.name())
    };
    let places = |what: &str, all: &[IndexedDeclaration]| -> Vec<String> {
        all.iter().map(|one| format!("{what} {}", place(one))).collect()
    };
    let family = overrides(view, target, &ServerBases::new(), &cancel).expect("not cancelled");
    let mut kin = places("member", &family.members);
    kin.extend(places("below", &family.in_subclasses));
    kin.extend(places("above", &family.in_base_classes));
    kin.extend(places("perhaps below", &family.possible_subclasses));
    kin.extend(places("alike", &family.structural));
    kin.extend(places("satisfied", &family.satisfied_protocols));
    kin.extend(
        family.outside_project.iter().map(|one| format!("outside {} {}", place(&one.class), one.base)),
    );
    kin.extend(
        family.unknown.iter().map(|one| format!("unknown {} {} {:?}", place(&one.class), one.name, one.fact)),
    );
    kin.extend(
        family.stand_ins.iter().map(|one| format!("stands in {} {}", place(&one.member), one.is_whole)),
    );
    kin.extend(family.dynamic.iter().map(|one| format!("{one:?}")));
    kin.extend(family.through_super.iter().chain(&family.by_computed_name).map(|one| format!("{one:?}")));
    if wanted.with_subclasses {
        let heirs = subclasses(view, target, &cancel).expect("not cancelled");
        kin.extend(places("heir", &heirs.all));
        kin.extend(heirs.possible.iter().map(|(class, base)| format!("perhaps {} {base:?}", place(class))));
    }
    if let Some(name) = wanted.new_name {
        let targets = std::slice::from_ref(target);
        let conflicts = find_conflicts(view, targets, name, &cancel).expect("not cancelled");
        let mut conflicts: Vec<String> = conflicts.iter().map(|one| format!("{one:?}")).collect();
        conflicts.sort();
        kin.extend(conflicts);
        let hazards = rename_hazards(view, targets, name, &cancel).expect("not cancelled");
        kin.extend(hazards.iter().map(|one| format!("{one:?}")));
    }
    kin.sort();
    kin
}

pub(super) fn written(random: fastrand::Rng, contents: &Contents) -> Tree {
    let tree = Tree::new(random);
    for (file, text) in contents {
        tree.write(file, Some(text));
    }
    tree
}

/// Returns the answer of an index that has read everything.
pub(super) fn complete(contents: &Contents, wanted: &UsesQuestion) -> FoundUses {
    let mut tree = written(fastrand::Rng::with_seed(1), contents);
    tree.crawl();
    tree.drain();
    found(&tree.complete_view(), wanted)
}

/// Waits for an answer while the tree does its work.
fn answered<T>(
    tree: &mut Tree,
    seed: u64,
    answer: impl Future<Output = T>,
    mut meanwhile: impl FnMut(&mut Tree),
) -> T {
    let mut answer = pin!(answer);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..200_000 {
        if let Poll::Ready(answer) = answer.as_mut().poll(&mut context) {
            return answer;
        }
        meanwhile(tree);
        tree.step();
        tree.release_barriers();
    }
    panic!("seed {seed}: no answer");
}

/// Asks one question at a random moment, and compares. Returns whether it was answered while files were unread.
fn round(seed: u64) -> bool {
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let mut contents = Contents::new();
    for _ in 0..random.0.usize(12..40) {
        let file = random.path();
        let text = random.text(&file);
        contents.insert(file, text);
    }
    let chained = (random.0.u8(..4) > 0).then(|| random.add_chains(&mut contents));
    let mut tree = written(random.0.fork(), &contents);
    tree.crawl();
    for _ in 0..random.0.usize(..40) {
        tree.step();
    }
    if random.0.bool() {
        // Complete once, then a storm.
        tree.drain();
        let files: Vec<String> = contents.keys().cloned().collect();
        for file in &files {
            if random.0.u8(..4) == 0 {
                continue;
            }
            let text = random.text(file);
            tree.write(file, Some(&text));
            tree.tell(changed(file));
            contents.insert(file.clone(), text);
        }
    }
    tree.background = random.0.bool();
    let grows = random.0.bool();
    let mut leaves: BTreeMap<&str, Vec<Option<Vec<u8>>>> =
        LEAVES.iter().map(|leaf| (*leaf, vec![None])).collect();
    let files: Vec<&String> = contents.keys().collect();
    let chosen = ["use.py", "e4.ts", "k3.kt"].map(str::to_owned);
    let chosen = chosen.iter().find(|file| random.0.bool() && contents.contains_key(*file));
    let place = chosen.unwrap_or_else(|| files[random.0.usize(..files.len())]);
    let place = (place.clone(), random.0.usize(..64));
    let name = match chained {
        Some(names) if random.0.u8(..4) > 0 => random.some(&names),
        _ => random.some(&NAMES),
    };
    let with_kin = random.0.u8(..4) > 0;
    // What files that come and go mention is no part of the answer.
    let new_name =
        (!grows && random.0.bool()).then(|| random.some(&NAMES)).filter(|name| !name.contains(' '));
    let wanted = UsesQuestion {
        name,
        number: random.0.usize(..8),
        is_chained: random.0.bool(),
        with_kin,
        with_subclasses: with_kin && random.0.u8(..6) == 0,
        new_name,
        place,
    };
    let (engine, asked) = (tree.engine(), wanted.clone());
    let question = async move {
        let mut view = engine.view_by_need().await.expect("a view");
        loop {
            let asked = asked.clone();
            let found = engine.ask_on(view.clone(), move |view| found(view, &asked)).await;
            if !view.is_lacking() {
                let is_changed = view.changed_file().is_some();
                return (found.expect("an answer"), view.snapshot.files.is_complete(), is_changed);
            }
            view = engine.next_view(view).await.expect("a view");
        }
    };
    let (given, is_complete, is_changed) = answered(&mut tree, seed, question, |tree| {
        if grows && random.0.u8(..6) == 0 {
            let leaf = random.some(&LEAVES);
            let text = random.leaf(leaf);
            tree.write(leaf, text.as_deref());
            tree.tell(if text.is_some() { changed(leaf) } else { Notice::Removed(path(leaf)) });
            leaves.get_mut(leaf).expect("listed").push(text);
        }
    });
    // Such an answer is not given: the question is asked again.
    if is_changed {
        return false;
    }
    let in_leaf = |one: &&FoundUse| LEAVES.contains(&one.0.as_str());
    let expected = complete(&contents, &wanted);
    assert_eq!(given.target, expected.target, "seed {seed}: {wanted:?} (complete: {is_complete})");
    assert_eq!(given.defined, expected.defined, "seed {seed}: {wanted:?} (complete: {is_complete})");
    assert_eq!(given.kin, expected.kin, "seed {seed}: {wanted:?} (complete: {is_complete})");
    let others: Vec<FoundUse> = given.uses.iter().filter(|one| !in_leaf(one)).cloned().collect();
    assert_eq!(others, expected.uses, "seed {seed}: {wanted:?} (complete: {is_complete})");
    // A file may be seen in every state that it had since.
    for (leaf, texts) in &leaves {
        let of_leaf = |answer: &FoundUses| -> Vec<FoundUse> {
            answer.uses.iter().filter(|one| one.0 == *leaf).cloned().collect()
        };
        let is_one = texts.iter().any(|text| {
            let mut contents = contents.clone();
            contents.extend(text.clone().map(|text| ((*leaf).to_owned(), text)));
            of_leaf(&complete(&contents, &wanted)) == of_leaf(&given)
        });
        assert!(
            is_one,
            "seed {seed}: {wanted:?} in {leaf}: {:#?} (complete: {is_complete})",
            of_leaf(&given)
        );
    }
    !is_complete
}

#[test]
fn uses_in_a_half_built_index_are_those_of_the_complete_index() {
    play(ROUNDS as u64, 20, round);
}
