//! The life cycle of ty: killed, stopped, abandoned.

use serde_json::json;

use super::Real;
use crate::lsp_stage::Watched;

fn project() -> Option<Real> {
    let real = Real::new(&[("python", "ty")])?;
    Some(real.with("//- lib.py\ndef run():\n    pass\n//- use.py\nfrom lib import run\nrun()\n"))
}

/// Repeats the question until ty answers: one that is asked before a crash is noticed fails, and syntax
/// answers it.
#[track_caller]
fn all_told_by_ty(real: &Real) {
    loop {
        let answer = real.ask("find_referencing_symbols", json!({ "name_path": "run" }));
        assert_eq!(super::places(&answer["references"]), ["use.py:1", "use.py:2"], "{answer:#}");
        if answer["source"] == "ty" {
            return;
        }
        let why = answer["no_server"]["why"].as_str().unwrap();
        assert!(why.contains("ask again: it is being restarted"), "{why}");
    }
}

#[test]
fn killed_it_is_started_anew() {
    let Some(real) = project() else { return };
    all_told_by_ty(&real);
    let all = real.processes("ty");
    all[1].kill();
    all.iter().for_each(Watched::assert_ends);
    all_told_by_ty(&real);
    let all = real.processes("ty");
    all[0].kill();
    all.iter().for_each(Watched::assert_ends);
    all_told_by_ty(&real);
    assert_eq!(real.status("ty")["starts"], 3);
}

#[test]
fn what_was_written_while_it_was_dead_is_known() {
    let Some(real) = project() else { return };
    all_told_by_ty(&real);
    let all = real.processes("ty");
    all[1].kill();
    real.write("use.py", "from lib import run\n\nprint()\nrun()\n");
    all.iter().for_each(Watched::assert_ends);
    let answer = real.ask("find_referencing_symbols", json!({ "name_path": "run" }));
    assert_eq!(super::places(&answer["references"]), ["use.py:1", "use.py:4"], "{answer:#}");
}

#[test]
fn stop_leaves_nothing() {
    let Some(real) = project() else { return };
    all_told_by_ty(&real);
    let all = real.processes("ty");
    real.user.check(&["stop"], 0);
    all.iter().for_each(Watched::assert_ended);
}

#[test]
fn stopped_by_hand_it_stays_so() {
    let Some(real) = project() else { return };
    all_told_by_ty(&real);
    let all = real.processes("ty");
    real.user.check(&["server", "stop", "ty"], 0);
    all.iter().for_each(Watched::assert_ended);
    let answer = real.ask("find_referencing_symbols", json!({ "name_path": "run" }));
    assert_eq!(answer["source"], "syntax");
    assert!(answer["no_server"]["why"].as_str().unwrap().contains("stopped by hand"), "{answer:#}");
    real.user.check(&["server", "restart", "ty"], 0);
    all_told_by_ty(&real);
}

#[test]
fn the_daemons_sigkill_leaves_nothing() {
    let Some(real) = project() else { return };
    for _ in 0..3 {
        all_told_by_ty(&real);
        let all = real.processes("ty");
        let daemon = Watched::new(i32::try_from(real.user.pid()).unwrap());
        daemon.kill();
        daemon.assert_ends();
        all.iter().for_each(Watched::assert_ends);
    }
}
