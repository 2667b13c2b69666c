//! What a rename must change in addition: imports and re-exports, `__all__`, annotations in quotes,
//! templates; and what it must not change: the other side of an alias, strings that are only text.

use serde_json::json;

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;
use crate::support::{User, write};

const INIT: &str = "from .app import Flask as Flask\nfrom .app import helper as aid\nfrom .app import Other\n\n\
    __all__ = [\n    \"Flask\",\n    \"aid\",\n    \"Other\",\n]\n";
const APP: &str = "import typing as t\n\n__all__ = (\"Flask\", \"helper\")\n\n\n\
    def helper(app: \"Flask\") -> \"t.Optional[Flask]\":\n    return app\n\n\n\
    class Flask:\n    def make(self) -> \"Flask\":\n        others: t.List[\"Flask\"] = [Flask()]\n        return others[0]\n\n\n\
    class Other:\n    pass\n";
const USE: &str = "import pkg\nfrom pkg import Flask, aid\n\napp = pkg.Flask()\nsame: \"pkg.Flask | None\" = aid(app)\n\
    text = f\"{Flask.__module__} is no Flask\"\nassert isinstance(same, Flask)\n";
const PYTHON: [(&str, &[u8]); 4] = [
    ("pyproject.toml", b"[project]\nname = \"pkg\"\nversion = \"1\"\n"),
    ("pkg/__init__.py", INIT.as_bytes()),
    ("pkg/app.py", APP.as_bytes()),
    ("use.py", USE.as_bytes()),
];

fn using() -> String {
    USE.replace("Flask", "Vial").replace("is no Vial", "is no Flask")
}

async fn all_follows(stage: &Stage) {
    let before = stage.tree();
    let class = json!({ "name_path": "Flask", "relative_path": "pkg/app.py", "new_name": "Vial" });
    let done = stage.done("rename_symbol", class).await;
    assert_eq!(stage.text("pkg/__init__.py"), INIT.replace("Flask", "Vial"), "{done}");
    assert_eq!(stage.text("pkg/app.py"), APP.replace("Flask", "Vial"), "{done}");
    assert_eq!(stage.text("use.py"), using(), "{done}");
    assert!(done.contains("1 mention in strings left as it is") && !done.contains("in doubt"), "{done}");
    stage.undo().await;
    assert!(stage.tree() == before);
    // An alias keeps its name, and so do its occurrences.
    let function = json!({ "name_path": "helper", "relative_path": "pkg/app.py", "new_name": "support" });
    let done = stage.done("rename_symbol", function).await;
    assert_eq!(stage.text("pkg/__init__.py"), INIT.replace("helper", "support"), "{done}");
    assert_eq!(stage.text("pkg/app.py"), APP.replace("helper", "support"), "{done}");
    assert_eq!(stage.text("use.py"), USE, "{done}");
    assert!(!done.contains("in doubt"), "{done}");
}

#[test]
fn without_a_server_all_follows_in_python() {
    play(&PYTHON, Answers::NoServer, all_follows);
}

#[test]
fn through_ty_all_follows() {
    let Some(servers) = real_server("ty") else { return };
    play(&PYTHON, Answers::Real(servers), all_follows);
}

#[test]
fn through_basedpyright_all_follows() {
    let Some(servers) = real_server("basedpyright") else { return };
    play(&PYTHON, Answers::ForPython(servers, "basedpyright"), all_follows);
}

const HELPERS: &str = "import typing as t\n\nfrom .app import App\n\n\n\
    def url_for(app: App, name: str) -> str:\n    return app.url_for(name)\n";
const OWN: &str = "import typing as t\n\nfrom . import helpers\n\n\nclass App:\n    def url_for(self, name: str) -> str:\n        \
    return name\n\n    def values(self) -> dict[str, t.Any]:\n        return dict(url_for=self.url_for, other=helpers.url_for)\n";
const CALLS: &str = "from web import App, url_for\n\n\ndef show(unknown):\n    unknown.url_for(\"a\")\n    return url_for(App(), \"b\")\n";
const WEB: [(&str, &[u8]); 5] = [
    ("pyproject.toml", b"[project]\nname = \"web\"\nversion = \"1\"\n"),
    ("web/__init__.py", b"from .app import App as App\nfrom .helpers import url_for as url_for\n"),
    ("web/app.py", OWN.as_bytes()),
    ("web/helpers.py", HELPERS.as_bytes()),
    ("calls.py", CALLS.as_bytes()),
];

/// Every reference that `find_referencing_symbols` reports is renamed, and the declaration; possible further
/// ones are reported.
async fn serena_renames_what_it_reports(stage: &Stage) {
    for (name_path, path, in_doubt) in
        [("url_for", "web/helpers.py", ""), ("App/url_for", "web/app.py", "calls.py:4:")]
    {
        let wanted = json!({ "name_path": name_path, "relative_path": path });
        let reported = stage.serena("find_referencing_symbols", wanted.clone()).await.text;
        let reported: serde_json::Value = serde_json::from_str(&reported).unwrap();
        let count = reported.as_array().unwrap().len() + 1;
        let mut renamed = wanted;
        renamed["new_name"] = json!("link_to");
        let told = stage.serena("rename_symbol", renamed).await.text;
        let done = format!("Successfully renamed '{name_path}' to 'link_to' ({count} changes applied)");
        assert!(told.starts_with(&done), "{told}\n{reported}");
        assert_eq!(told == done, in_doubt.is_empty(), "{told}");
        assert!(told.contains(in_doubt), "{told}");
        let calls = if in_doubt.is_empty() {
            CALLS
                .replace("import App, url_for", "import App, link_to")
                .replace("return url_for", "return link_to")
        } else {
            CALLS.to_owned()
        };
        assert_eq!(stage.text("calls.py"), calls);
        stage.undo().await;
    }
}

#[test]
fn through_ty_serena_renames_what_it_reports() {
    let Some(servers) = real_server("ty") else { return };
    play(&WEB, Answers::Real(servers), serena_renames_what_it_reports);
}

#[test]
fn through_basedpyright_serena_renames_what_it_reports() {
    let Some(servers) = real_server("basedpyright") else { return };
    play(&WEB, Answers::ForPython(servers, "basedpyright"), serena_renames_what_it_reports);
}

#[test]
fn what_a_server_says_nothing_of_follows_where_it_stands_in_quotes() {
    let lib = "__all__ = [\"run\"]\n\n\ndef run() -> \"int\":\n    return 1\n";
    let range = json!({ "start": { "line": 3, "character": 4 }, "end": { "line": 3, "character": 7 } });
    let edits = json!([{ "range": range, "newText": "go" }]);
    let changes = json!([{ "textDocument": { "uri": "{root}/lib.py", "version": null }, "edits": edits }]);
    let script = json!({
        "capabilities": { "renameProvider": true, "definitionProvider": true },
        "on": {
            "textDocument/rename": [{ "answer": { "documentChanges": changes } }],
            "textDocument/definition": [{ "answer": null }],
        },
    });
    play(&[("lib.py", lib.as_bytes())], Answers::Fake(script, ""), async |stage| {
        let done = stage.done("rename_symbol", json!({ "name_path": "run", "new_name": "go" })).await;
        assert_eq!(stage.text("lib.py"), lib.replace("run", "go"), "{done}");
        let note = "note: 1 occurrence that fake omitted and that refers to 'run', renamed too\n  lib.py:1: ";
        assert!(done.contains(note), "{done}");
    });
}

const TYPESCRIPT: [(&str, &[u8]); 4] = [
    ("tsconfig.json", b"{}\n"),
    ("lib.ts", b"export class Flask {\n  size = 1;\n}\nexport { Flask as Vessel };\n"),
    ("index.ts", b"export { Flask } from \"./lib\";\nexport { Flask as Jar } from \"./lib\";\n"),
    (
        "use.ts",
        b"import { Flask, Jar } from \"./index\";\n\nexport const text = `${new Flask().size} of a Flask, ${new Jar().size}`;\n",
    ),
];

async fn exports_follow(stage: &Stage) {
    let class = json!({ "name_path": "Flask", "relative_path": "lib.ts", "new_name": "Vial" });
    let done = stage.done("rename_symbol", class).await;
    for (path, text) in TYPESCRIPT {
        let text = std::str::from_utf8(text).unwrap();
        let text = text.replace("Flask", "Vial").replace("of a Vial", "of a Flask");
        assert_eq!(stage.text(path), text, "{path}\n{done}");
    }
}

#[test]
fn without_a_server_exports_follow_in_typescript() {
    play(&TYPESCRIPT, Answers::NoServer, exports_follow);
}

#[test]
fn through_tsc_exports_follow() {
    let Some(servers) = real_server("tsc") else { return };
    play(&TYPESCRIPT, Answers::Real(servers), exports_follow);
}

#[test]
fn the_command_line_says_what_followed() {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    std::fs::create_dir_all(user.path("project/pkg")).unwrap();
    for (path, text) in PYTHON {
        write(&user.path(&format!("project/{path}")), std::str::from_utf8(text).unwrap());
    }
    let refs = user.check(&["refs", "Flask", "--in", "pkg/app.py"], 0);
    let import = "  1: from .app import Flask as Flask\n";
    let start = format!("pkg/\n __init__.py\n{import}{import}  6 in __all__: \"Flask\",\n app.py\n");
    assert!(refs.starts_with(&start), "{refs}");
    assert!(
        refs.contains("\n  6 in helper: def helper(app: \"Flask\")") && refs.contains("; complete]"),
        "{refs}"
    );
    let done = user.check(&["rename", "Flask", "Vial", "--in", "pkg/app.py"], 0);
    assert!(done.contains("pkg/__init__.py: 3\npkg/app.py: 7\nuse.py: 5\n"), "{done}");
    assert!(done.contains("; complete]"), "{done}");
    assert_eq!(std::fs::read_to_string(user.path("project/use.py")).unwrap(), using());
}
