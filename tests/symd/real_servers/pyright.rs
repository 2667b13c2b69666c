//! basedpyright: it runs the project's interpreter, so it waits for trust; and its early answers, from open
//! files alone, are not reported as complete.

use serde_json::json;

use super::{Real, places};

const FILES: usize = 300;

fn project() -> Option<Real> {
    let real = Real::new(&[("python", "basedpyright")])?;
    real.write("lib.py", "def run() -> None:\n    pass\n");
    for number in 0..FILES {
        real.write(&format!("use/m{number:03}.py"), "from lib import run\n\nrun()\n");
    }
    Some(real)
}

#[test]
fn it_is_not_started_without_trust() {
    let Some(real) = project() else { return };
    let answer = real.ask("find_referencing_symbols", json!({ "name_path": "run" }));
    assert_eq!(answer["source"], "syntax");
    assert_eq!(places(&answer["references"]).len(), 2 * FILES);
    let why = answer["no_server"]["why"].as_str().unwrap();
    assert!(
        why.contains("basedpyright is not started: it runs the project's Python interpreter")
            && why.contains("`symd trust`"),
        "{why}"
    );
    assert_eq!(real.status("basedpyright")["starts"], 0);
    real.trust();
    assert_eq!(real.all_references("basedpyright", "run").len(), 2 * FILES);
}

#[test]
fn an_early_answer_is_not_passed_off_as_whole() {
    let Some(real) = project() else { return };
    real.trust();
    let mut from_syntax = 0;
    loop {
        let answer = real.ask_now("find_referencing_symbols", json!({ "name_path": "run" }));
        let count = places(&answer["references"]).len();
        assert!(count == 2 * FILES || answer["complete"] == false, "{count} called complete: {answer}");
        if answer["source"] == "basedpyright" {
            assert_eq!(count, 2 * FILES, "{}", answer["no_server"]);
            break;
        }
        from_syntax += 1;
    }
    assert!(from_syntax > 0, "the first question comes before it has started");
}

#[test]
fn its_answers() {
    let Some(real) = Real::new(&[("python", "basedpyright")]) else { return };
    let real = real.with(
        "//- lib.py\nclass Base:\n    def go(self) -> None: ...\n\n\nclass Derived(Base):\n    def go(self) -> None: ...\n\
         //- use.py\nfrom lib import Base\n\n\ndef start(base: Base) -> None:\n    base.go()\n\n\nstart(1)\n",
    );
    real.trust();
    let found = real.references("basedpyright", "Base");
    assert_eq!(found, ["lib.py:5", "use.py:1", "use.py:4"]);
    let at = json!({ "relative_path": "use.py", "line": 5, "name": "go" });
    assert_eq!(real.places("basedpyright", "find_definition", "definitions", at), ["lib.py:2"]);
    let callers = json!({ "name_path": "Base/go" });
    assert_eq!(real.places("basedpyright", "find_callers", "callers", callers), ["use.py:4"]);
    let wrong = real.ask("diagnostics", json!({ "relative_path": "use.py", "min_severity": "error" }));
    assert_eq!(places(&wrong["diagnostics"]), ["use.py:8"], "{wrong:#}");
    real.write("use.py", "from lib import Base\n\n\nprint(Base)\n");
    assert_eq!(real.references("basedpyright", "Base"), ["lib.py:5", "use.py:1", "use.py:4"]);
}
