//! Classes that stand in for modules.

use super::*;

fn is_mirrored(fixture: &str) -> bool {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let targets = [target];
    everywhere(&memory, |memory| {
        mirrored_call(memory, &targets, &Cancel::new()).expect("not cancelled").is_some()
    })
}

#[test]
fn two_methods_that_call_their_namesakes_make_a_class_stand_for_a_module() {
    let class = "class A:\n    def $0loads(self, s): return json.loads(s)\n    def dumps(self, o):\n        return json.dumps(o)\n";
    assert!(is_mirrored(&format!("//- a.py\nimport json\n{class}")));
    assert!(is_mirrored(&format!("//- a.py\nimport ujson as json\n{class}")));
    // A module of the project is renamed together with its callers.
    assert!(!is_mirrored(&format!("//- a.py\nimport json\n{class}//- json.py\ndef loads(s): pass\n")));
    let one = "class A:\n    def $0run(self): return subprocess.run([])\n    def stop(self): json.stop()\n    def other(self): f.other()\n";
    assert!(!is_mirrored(&format!("//- a.py\nimport subprocess, json\n{one}")));
}
