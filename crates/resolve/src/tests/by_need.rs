//! The oracle of half-built indexes: what a question finds while files are unread, run again until it lacks nothing, is
//! what it finds in the complete index. The helpers of the other tests hold every answer against it.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::*;
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

/// Returns the files that the question about `$0` did not read.
fn unread(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
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

/// Returns the files that were not read to find what renaming the symbol at `$0` would break, and how much that is.
fn unread_by_rename(fixture: &str, new_name: &str) -> (Vec<String>, usize) {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let targets = [target(&memory, &path, at)];
    let found = |memory: &Memory| {
        let conflicts = find_conflicts(memory, &targets, new_name, &Cancel::new()).expect("not cancelled");
        let hazards = python_hazards(memory, &targets, new_name, &Cancel::new()).expect("not cancelled");
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
fn only_operators_are_searched_for_in_every_file() {
    let needs_all = |function: &str| {
        let fixture = format!(
            "//- A.kt\nopen class A {{ {function} = this }}\n//- B.kt\nval a = A() + A()\n//- C.kt\nval c = 1\n"
        );
        let (texts, (path, at)) = files(&fixture);
        let memory = memory(texts);
        let target = target(&memory, &path, at);
        let uses =
            |memory: &Memory| operator_uses(memory, &target, &Cancel::new()).expect("not cancelled").uses;
        (answered(&memory, Before::Nothing, &|memory| uses(memory).len()).1, uses(&memory).len())
    };
    assert_eq!(needs_all("operator fun $0plus(other: A): A"), (true, 1));
    assert_eq!(needs_all("override fun $0plus(other: A): A"), (true, 1));
    assert_eq!(needs_all("fun $0plus(other: A): A"), (false, 0));
    assert_eq!(needs_all("/** No operator. */ fun $0plus(other: A): A").1, 0);
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
