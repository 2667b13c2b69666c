//! The oracle of half-built indexes: what a question finds while files are unread, run again until it lacks nothing, is
//! what it finds in the complete index. The helpers of the other tests hold every answer against it.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::*;
use crate::family::Family;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::resolver::Resolver;
use symd_index::{FileMap, MetNeeds, Need, NeededWords, UnreadFiles};

/// What is known of an unread file.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// Nothing: the index is being built.
    Nothing,
    /// An empty text: the file was written since.
    Empty,
    /// The text twice: the file was cut since.
    Twice,
}

/// Answers a question whose files are unread at first. Returns the answer, and whether the question needed every file.
fn answered<T>(memory: &Memory, before: Before, ask: &impl Fn(&Memory) -> T) -> (T, bool) {
    let entry = |path: &RelPath, content| Arc::new(FileEntry { path: path.clone(), content });
    let mut all = FileMap::default();
    for (path, _) in &memory.texts {
        all.insert(entry(path, Content::Unread));
    }
    let mut met = MetNeeds::default();
    for _ in 0..1000 {
        let mut state = IndexState::default();
        for (path, text) in &memory.texts {
            let known = memory.snapshot.files.get(path.as_str()).expect("is there");
            let text = match before {
                _ if met.files.contains(path) => {
                    state.put(known.clone());
                    continue;
                }
                Before::Nothing => continue,
                Before::Empty => String::new(),
                Before::Twice => format!("{text}\n{text}"),
            };
            state.put(entry(path, content(path, &text)));
        }
        let unread = Arc::new(UnreadFiles::new(all.clone(), all.clone(), met.clone()));
        let partial =
            Memory { snapshot: state.snapshot_without(unread.clone()), texts: memory.texts.clone() };
        let found = ask(&partial);
        let lacking = unread.lacking();
        if lacking.is_empty() {
            return (found, false);
        }
        for need in lacking {
            let (words, scope) = match need {
                Need::Everything => return (ask(memory), true),
                Need::Within(path) => (NeededWords::default(), path),
                Need::Words(words, path) => (words, path),
            };
            let held = memory
                .texts
                .iter()
                .filter(|(path, text)| path.is_within(&scope) && words.match_bytes(text.as_bytes()));
            met.files.extend(held.map(|(path, _)| path.clone()));
            if !words.is_empty() {
                met.add_words(words, scope);
            }
        }
    }
    panic!("the question never lacks nothing");
}

/// Answers a question on the complete index, and checks that half-built ones give the same answer.
#[track_caller]
pub(super) fn everywhere<T: PartialEq + Debug>(memory: &Memory, ask: impl Fn(&Memory) -> T) -> T {
    let complete = ask(memory);
    for before in [Before::Nothing, Before::Empty, Before::Twice] {
        let (found, _) = answered(memory, before, &ask);
        assert_eq!(found, complete, "{before:?}: {:#?}", memory.texts);
    }
    complete
}

/// Checks for each class that the graph of what is below it, which is found by names, has the heirs that the complete graph has.
#[track_caller]
fn check_heirs(memory: &Memory) {
    let mut families = Vec::new();
    for family in memory.snapshot.files.iter().filter_map(|file| Family::of(file)) {
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let cancel = Cancel::new();
    for family in families {
        let resolver = Resolver::new(memory, family, &cancel);
        let complete = ClassGraph::read(&resolver).expect("not cancelled");
        for (at, node) in complete.iter() {
            let one = std::slice::from_ref(&node.class);
            let part = ClassGraph::by_names(&resolver, one, Kin::Below).expect("not cancelled");
            let heirs = |graph: &ClassGraph, at: usize| {
                let place = |at: usize| {
                    let class = &graph.node(at).class;
                    (class.file.path.clone(), class.row().map(|(_, row)| row.name_start))
                };
                graph.descendants(at).into_iter().map(place).collect::<BTreeSet<_>>()
            };
            let found = part.number(&node.class).map(|at| heirs(&part, at));
            let name = node.class.name();
            assert_eq!(found, Some(heirs(&complete, at)), "{name}: {:#?}", memory.texts);
        }
    }
}

/// Returns the files that the question about `$0` did not read.
fn unread(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    check_heirs(&memory);
    let target = target(&memory, &path, at);
    let (left, needs_all) = answered(&memory, Before::Nothing, &|memory| {
        let found = occurrences(memory, std::slice::from_ref(&target), &Cancel::new());
        let indirect = indirect_uses(memory, &target, &Cancel::new());
        assert!(found.is_ok() && indirect.is_ok());
        let unread = memory.snapshot.files.unread();
        let paths = unread.into_iter().flat_map(|unread| unread.within(&RelPath::root()));
        paths.map(|file| file.path.as_str().to_owned()).collect::<BTreeSet<String>>()
    });
    if needs_all { vec!["(needs everything)".to_owned()] } else { left.into_iter().collect() }
}

/// Returns the files that were not read for a question about the symbol at `$0`, whose answer is that of the complete index.
fn unread_by<T: PartialEq + Debug>(
    fixture: &str,
    ask: impl Fn(&Memory, &IndexedDeclaration) -> T,
) -> (Vec<String>, T) {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    check_heirs(&memory);
    let target = target(&memory, &path, at);
    let answer = everywhere(&memory, |memory| ask(memory, &target));
    let (left, needs_all) = answered(&memory, Before::Nothing, &|memory| {
        ask(memory, &target);
        let unread = memory.snapshot.files.unread();
        let paths = unread.into_iter().flat_map(|unread| unread.within(&RelPath::root()));
        paths.map(|file| file.path.as_str().to_owned()).collect::<BTreeSet<String>>()
    });
    (if needs_all { vec!["(needs everything)".to_owned()] } else { left.into_iter().collect() }, answer)
}

/// Returns the files that were not read to find the family of the member at `$0`, and the family's places.
fn unread_by_family(fixture: &str) -> (Vec<String>, Vec<String>) {
    unread_by(fixture, |memory, target| {
        let family = crate::overrides(memory, target, &ServerBases::new(), &Cancel::new());
        let family = family.expect("not cancelled");
        let place = |one: &IndexedDeclaration| {
            format!("{}:{}", one.file.path, one.row().map_or(0, |(_, row)| row.name_line + 1))
        };
        let members = family.members.iter().map(place);
        let dynamic = family.dynamic.iter().map(|one| format!("{}:{} {}", one.path, one.line + 1, one.maker));
        members
            .chain(dynamic)
            .chain(family.possible_subclasses.iter().map(|one| format!("{}?", place(one))))
            .collect()
    })
}

/// Returns the files that were not read to find what renaming the symbol at `$0` would break, and how much that is.
fn unread_by_rename(fixture: &str, new_name: &str) -> (Vec<String>, usize) {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let targets = [target(&memory, &path, at)];
    let found = |memory: &Memory| {
        let conflicts = find_conflicts(memory, &targets, new_name, &Cancel::new()).expect("not cancelled");
        let hazards = rename_hazards(memory, &targets, new_name, &Cancel::new()).expect("not cancelled");
        (conflicts.into_iter().collect::<BTreeSet<_>>(), hazards)
    };
    let (conflicts, hazards) = everywhere(&memory, found);
    let (left, needs_all) = answered(&memory, Before::Nothing, &|memory| {
        found(memory);
        let unread = memory.snapshot.files.unread();
        let paths = unread.into_iter().flat_map(|unread| unread.within(&RelPath::root()));
        paths.map(|file| file.path.as_str().to_owned()).collect::<BTreeSet<String>>()
    });
    let left = if needs_all { vec!["(needs everything)".to_owned()] } else { left.into_iter().collect() };
    (left, conflicts.len() + hazards.len())
}

#[test]
fn files_that_a_new_name_does_not_concern_stay_unread() {
    let others = "//- d.py\nimport other\n//- e.py\ndef far(): pass\nfar()\n";
    let counts = [
        ("def $0run(): pass\n//- b.py\nfrom a import run\nwalk = 1\nrun()\n", "walk"),
        ("def $0run(): pass\n//- b.py\nfrom a import *\nwalk()\nrun()\n", "walk"),
        ("def $0run(): pass\n//- b.py\nfrom a import *\nrun()\n", "_run"),
        ("def f($0old=1): pass\n//- b.py\nfrom a import f\nf(new=2)\nf(old=1)\n", "new"),
    ]
    .map(|(fixture, new_name)| {
        let (left, count) = unread_by_rename(&format!("//- a.py\n{fixture}{others}"), new_name);
        assert_eq!(left, ["d.py", "e.py"], "{fixture}");
        count
    });
    assert_eq!(counts, [0, 1, 1, 1]);
}

#[test]
fn operators_are_searched_for_where_their_sign_stands() {
    let uses = |fixture: &str| {
        let (left, uses) = unread_by(fixture, |memory, target| {
            let found = operator_uses(memory, target, &Cancel::new()).expect("not cancelled");
            let place =
                |(text, one): &(String, Occurrence)| format!("{text} {} {}", one.path, one.range.start);
            (found.uses.iter().map(place).collect::<Vec<_>>(), found.unchecked)
        });
        (left.join(" "), uses.0.len())
    };
    let of = |function: &str| {
        uses(&format!(
            "//- A.kt\nopen class A {{ {function} = this }}\n//- B.kt\nfun make() = A()\n\
             //- C.kt\nval c = make() + make()\n//- D.kt\nval d = 1\n"
        ))
    };
    assert_eq!(of("operator fun $0plus(other: A): A"), ("D.kt".to_owned(), 1));
    assert_eq!(of("override fun $0plus(other: A): A"), ("D.kt".to_owned(), 1));
    assert_eq!(of("fun $0plus(other: A): A").1, 0);
    assert_eq!(of("/** No operator. */ fun $0plus(other: A): A").1, 0);
    let of_package = "//- A.kt\npackage a.b\nclass A\noperator fun A.$0minus(o: A) = o\n\
        //- B.kt\npackage c\nimport a.b.*\nval b = A() - A()\n//- C.kt\npackage c\nval c = 2 - 1\n";
    assert_eq!(uses(of_package), ("C.kt".to_owned(), 1));
    let word = "//- A.kt\nclass A { operator fun $0contains(o: Int) = true }\n//- B.kt\nval b = 1 in A()\n\
        //- C.kt\nval inner = 2\n";
    assert_eq!(uses(word), ("C.kt".to_owned(), 1));
    // A call with only a lambda has no bracket.
    let lambda = "//- A.kt\nobject A { operator fun $0invoke(work: Any) = work }\n//- B.kt\nval b = A { 1 }\n\
        //- C.kt\nval c = 2\n";
    assert_eq!(uses(lambda), ("C.kt".to_owned(), 1));
}

#[test]
fn default_exports_are_searched_for_by_the_names_of_their_modules() {
    let fixture = "//- a.ts\nexport default function $0run() {}\n//- b.ts\nimport go from './a';\ngo();\n\
        //- c/index.ts\nexport { default } from '../a';\n//- d.ts\nimport walk from './c';\nwalk();\n\
        //- e.ts\nimport step from './b2';\nexport default step;\n//- b2.ts\nimport it from './a';\nexport default it;\n\
        //- f.ts\nimport other from './g';\nother();\n//- g.ts\nexport default function other() {}\n\
        //- h.ts\nimport far from './e';\nfar();\n";
    let calls = |fixture: &str| {
        unread_by(fixture, |memory, target| {
            let uses = indirect_uses(memory, target, &Cancel::new()).expect("not cancelled");
            let calls = uses.iter().filter(|(_, one)| one.role == Role::Call);
            calls.map(|(text, one)| format!("{} {text}", one.path)).collect::<Vec<_>>()
        })
    };
    // What a directory's index offers is imported by `'.'`, too.
    let (left, found) = calls(fixture);
    assert_eq!((left.join(" "), found.join(" ")), (String::new(), "b.ts go d.ts walk h.ts far".to_owned()));
    let (left, found) = calls(&fixture.replace("c/index.ts", "c/again.ts").replace("'./c'", "'./c/again'"));
    assert_eq!(
        (left.join(" "), found.join(" ")),
        ("f.ts g.ts".to_owned(), "b.ts go d.ts walk h.ts far".to_owned())
    );
}

#[test]
fn files_that_cannot_hold_a_use_stay_unread() {
    let python = "//- a/__init__.py\nfrom .b import *\n//- a/b.py\ndef $0run(): pass\n\
        //- c.py\nfrom a import run\nrun()\n//- d.py\nimport other\n\
        //- e.py\nfrom far.away import nothing\n//- far/away.py\nnothing = 1\n";
    assert_eq!(unread(python), ["d.py", "e.py", "far/away.py"]);
    let kotlin = "//- a/A.kt\npackage a\nfun $0run() = 1\n//- b/B.kt\npackage b\nimport a.run\nval x = run()\n\
        //- c/C.kt\npackage c\nval y = 1\n//- c/D.java\npackage c; class D {}\n";
    assert_eq!(unread(kotlin), ["c/C.kt", "c/D.java"]);
    let typescript = "//- a.ts\nexport function $0run() {}\n//- b.ts\nexport { run as walk } from './a';\n\
        //- c.ts\nimport { walk } from './b';\nwalk();\n//- d.ts\nexport const x = 1;\n//- e.ts\nimport y from './d';\n";
    assert_eq!(unread(typescript), ["d.ts", "e.ts"]);
    let go = "//- go.mod.go\npackage main\n//- a/a.go\npackage a\nfunc $0Run() {}\n\
        //- b/b.go\npackage b\nimport \"x/a\"\nfunc f() { a.Run() }\n//- c/c.go\npackage c\n";
    assert_eq!(unread(go), ["c/c.go", "go.mod.go"]);
}

#[test]
fn files_without_kin_of_a_member_stay_unread() {
    let python = "//- a.py\nclass A:\n    def $0run(self): pass\n\
        //- b.py\nfrom a import A as B\n\
        //- c.py\nimport b\nclass C(b.B): pass\nD = C\n\
        //- d.py\nfrom c import D\nfrom m import Mixin\nclass E(D, Mixin): pass\n\
        //- m.py\nfrom n import Base\nclass Mixin(Base): pass\n\
        //- n.py\nclass Base:\n    def run(self): pass\n\
        //- o.py\nfrom n import Base as O\n\
        //- p.py\nfrom o import O\nclass P(O):\n    def run(self): pass\n\
        //- q.py\nclass Q:\n    def walk(self): pass\nx = type(Q)\n\
        //- r.py\nY = type('Y', (X, Z), {})\n\
        //- s.py\nT = type('T', (get(),), {})\n\
        //- t.py\nfrom q import Q\nclass U(Q): pass\n\
        //- v.py\nclass V(get()):\n    def run(self): pass\n\
        //- w.py\nclass W(get()): pass\n\
        //- x.py\nfrom o import O\nfrom y import Other\nclass X(O, Other): pass\n\
        //- y.py\nclass Other:\n    def run(self): pass\n";
    let (left, family) = unread_by_family(python);
    assert_eq!(left, ["q.py", "t.py", "w.py"]);
    assert_eq!(family, ["a.py:2", "n.py:2", "p.py:3", "y.py:2", "s.py:1 type", "v.py:1?"]);
    let registered = "//- a.py\nclass A:\n    def $0run(self): pass\n\
        //- b.py\nfrom a import A as B\n//- c.py\nclass C:\n    def run(self): pass\n\
        //- d.py\nfrom b import B\nfrom c import C as D\nB.register(D)\n//- e.py\nclass E: pass\n";
    let (left, family) = unread_by_family(registered);
    assert_eq!((left, family), (vec!["e.py".to_owned()], vec!["a.py:2".to_owned(), "c.py:2".to_owned()]));
    // A type may satisfy a protocol by what it inherits: its file holds no name of it.
    let protocol = "//- a.py\nfrom typing import Protocol\nclass A(Protocol):\n    def $0run(self): pass\n\
        //- b.py\nclass B:\n    def run(self): pass\n//- c.py\nfrom b import B\nclass C(B): pass\n";
    let alike = unread_by(protocol, |memory, target| {
        let family = crate::overrides(memory, target, &ServerBases::new(), &Cancel::new());
        family.expect("not cancelled").structural.iter().map(|one| one.name().to_owned()).collect::<Vec<_>>()
    });
    assert_eq!(alike, (vec!["(needs everything)".to_owned()], vec!["B".to_owned(), "C".to_owned()]));
    let kotlin = "//- A.kt\npackage a\nopen class A { open fun $0run() = 1 }\n\
        //- B.kt\npackage b\ntypealias B = a.A\n\
        //- C.kt\npackage c\nimport b.B\nopen class C : B()\n\
        //- D.java\npackage d;\nclass D extends c.C { public int run() { return 2; } }\n\
        //- E.kt\npackage e\nval e = object : c.C() { override fun run() = 3 }\n\
        //- F.kt\npackage f\nopen class F { open fun walk() = 1 }\n";
    let (left, family) = unread_by_family(kotlin);
    assert_eq!(
        (left, family),
        (vec!["F.kt".to_owned()], vec!["A.kt:2".to_owned(), "D.java:2".to_owned(), "E.kt:2".to_owned()])
    );
    let typescript = "//- a.ts\nexport default class A { $0run() {} }\n\
        //- b.ts\nexport { default } from './a';\n\
        //- c.ts\nimport B from './b';\nexport class C extends B { run() {} }\n\
        //- d.ts\nimport * as far from './b';\nclass D extends far.default { run() {} }\n\
        //- e.ts\nimport E from './f';\nexport class G extends E {}\n\
        //- f.ts\nexport default class F {}\n";
    let (left, family) = unread_by_family(typescript);
    // The name of a default export may be a name of any.
    assert_eq!(left, ["e.ts"]);
    assert_eq!(family, ["a.ts:1", "c.ts:2", "d.ts:2"]);
    let cpp = "//- a.hpp\nclass A { virtual void $0run() {} };\n//- b.hpp\n#include \"a.hpp\"\ntypedef A B;\nusing C = B;\n\
        //- d.cpp\n#include \"b.hpp\"\nclass D : public C { void run() override {} };\n//- e.cpp\nclass E {};\n";
    let (left, _) = unread_by_family(cpp);
    assert_eq!(left, ["e.cpp"]);
}

#[test]
fn too_many_heirs_need_every_file() {
    let heirs = |count: usize| {
        let mut fixture = "//- a.py\nclass A:\n    def $0run(self): pass\n".to_owned();
        for number in 0..count {
            fixture += &format!("//- h{number:02}.py\nfrom a import A\nclass H{number:02}(A): pass\n");
        }
        unread_by_family(&(fixture + "//- other.py\nclass Other: pass\n")).0
    };
    assert_eq!(heirs(3), ["other.py"]);
    assert_eq!(heirs(crate::hierarchy::graph_by_need::MAX_NAMES), ["(needs everything)"]);
}

#[test]
fn files_without_heirs_stay_unread_when_a_constructor_is_asked_for() {
    let fixture = "//- a.py\nclass A:\n    def $0__init__(self): pass\n//- b.py\nfrom a import A\nclass B(A): pass\n\
        //- c.py\nfrom b import B\nB()\n//- d.py\nclass D: pass\nD()\n";
    let (left, calls) = unread_by(fixture, |memory, target| {
        let uses = indirect_uses(memory, target, &Cancel::new()).expect("not cancelled");
        uses.iter().map(|(_, one)| format!("{} {}", one.path, one.range.start)).collect::<Vec<_>>()
    });
    assert_eq!((left, calls), (vec!["d.py".to_owned()], vec!["c.py 16".to_owned()]));
}

#[test]
fn heirs_of_what_a_module_is_as_a_whole_call_it_anything() {
    let fixture = "//- base.js\nclass Base { $0constructor(a) {} }\nmodule.exports = Base;\n\
        //- other.js\nconst Whatever = require('./base');\nclass Other extends Whatever { constructor() { super(2); } }\n\
        //- alone.js\nclass Alone {}\nnew Alone();\n";
    let calls = |fixture: &str| {
        unread_by(fixture, |memory, target| {
            let uses = indirect_uses(memory, target, &Cancel::new()).expect("not cancelled");
            uses.iter().map(|(_, one)| format!("{} {}", one.path, one.range.start)).collect::<Vec<_>>()
        })
    };
    let of_index = fixture.replace("base.js", "dir/index.js").replace("'./base'", "'./dir'");
    let found = vec!["other.js 83".to_owned()];
    assert_eq!(calls(fixture), (vec!["alone.js".to_owned()], found));
    let found = vec!["other.js 82".to_owned()];
    assert_eq!(calls(&of_index), (vec!["(needs everything)".to_owned()], found));
}

#[test]
fn heirs_are_found_through_modules_that_are_what_another_one_is() {
    let calls = |fixture: &str| {
        let (_, calls) = unread_by(fixture, |memory, target| {
            let uses = indirect_uses(memory, target, &Cancel::new()).expect("not cancelled");
            uses.iter().map(|(_, one)| format!("{} {}", one.path, one.range.start)).collect::<Vec<_>>()
        });
        calls
    };
    let whole = "module.exports = Base;";
    for (exported, between, import) in [
        (whole, "module.exports = require('./base');", "const W = require('./between');"),
        (whole, "const B = require('./base');\nmodule.exports = B;", "const W = require('./between');"),
        (whole, "exports = module.exports = require('./base');", "const W = require('./between');"),
        (whole, "exports.Whole = require('./base');", "const { Whole: W } = require('./between');"),
        (whole, "exports.W = require('./base');", "const { W } = require('./between');"),
        (
            "exports.Base = Base;",
            "const { Base } = require('./base');\nmodule.exports = Base;",
            "const W = require('./between');",
        ),
        (
            "exports.Base = Base;",
            "module.exports = require('./base');",
            "const { Base: W } = require('./between');",
        ),
    ] {
        let fixture = format!(
            "//- base.js\nclass Base {{ $0constructor(a) {{}} }}\n{exported}\n//- between.js\n{between}\n\
            //- heir.js\n{import}\nclass Heir extends W {{ constructor() {{ super(2); }} }}\n"
        );
        let at = import.len() + "\nclass Heir extends W { constructor() { ".len();
        assert_eq!(calls(&fixture), [format!("heir.js {at}")], "{fixture}");
    }
}
