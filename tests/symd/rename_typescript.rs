//! Renames in TypeScript that a server's edit leaves half done: each case was once called complete, and broke the program.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;

/// Has tsc rename a symbol of lib.ts, in a project of this file and use.ts.
fn with_tsc(lib: &str, user: &str, check: impl AsyncFnOnce(&Stage)) {
    let Some(servers) = real_server("tsc") else { return };
    let config: &[u8] = b"{\"compilerOptions\":{\"strict\":true}}\n";
    let files = [("tsconfig.json", config), ("lib.ts", lib.as_bytes()), ("use.ts", user.as_bytes())];
    play(&files, Answers::Real(servers), check);
}

fn rename(name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": "lib.ts", "new_name": new_name, "wait": "ready" })
}

#[test]
fn a_property_that_a_shorthand_gave_keeps_the_name_of_the_variable() {
    let lib = "const size = 3;\nexport const box = { size };\n";
    let user = "import { box } from \"./lib\";\n\nexport const wide: number = box.size;\n";
    with_tsc(lib, user, async |stage| {
        let done = stage.done("rename_symbol", rename("size", "extent")).await;
        assert_eq!(
            stage.text("lib.ts"),
            "const extent = 3;\nexport const box = { size: extent };\n",
            "{done}"
        );
        assert_eq!(stage.text("use.ts"), user, "{done}");
    });
}

#[test]
fn a_rename_that_causes_an_error_is_not_complete() {
    // tsc links a class to an interface only if the class names it.
    let lib = "export interface Shape {\n  area(): number;\n}\n\nexport class Square {\n  area() {\n    return 4;\n  }\n}\n\nconst make = () => new Square();\n\nexport const shape: Shape = make();\n";
    let user = "import { shape } from \"./lib\";\n\nexport const wide = shape.area();\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.done("rename_symbol", rename("Square/area", "extent")).await;
        assert!(text.ends_with("incomplete: the new diagnostic is an error]"), "{text}");
        stage.undo().await;
        let mut ask = rename("Square/area", "extent");
        ask["format"] = json!("json");
        let done: Value = serde_json::from_str(&stage.done("rename_symbol", ask).await).unwrap();
        assert_eq!(done["complete"], false, "{done}");
    });
}

#[test]
fn an_error_in_a_file_that_imports_an_edited_one_is_told() {
    // Only lib.ts is edited; the class does not fit the interface any more where it is used as one.
    let lib = "export interface Shape {\n  area(): number;\n}\n\nexport class Square {\n  area() {\n    return 4;\n  }\n}\n\nexport const make = () => new Square();\n";
    let user = "import { make, Shape } from \"./lib\";\n\nexport const shape: Shape = make();\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.done("rename_symbol", rename("Square/area", "extent")).await;
        assert!(text.contains("new diagnostics:\nuse.ts\n"), "{text}");
        assert!(text.ends_with("incomplete: the new diagnostic is an error]"), "{text}");
    });
}

#[test]
fn what_reaches_a_member_without_its_name_is_told() {
    let lib = "export class Emitter {\n  on_open() {\n    return 1;\n  }\n}\n";
    let user = "import { Emitter } from \"./lib\";\n\nexport const fire = (e: Emitter, what: string) => (e as any)[\"on_\" + what]();\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.done("rename_symbol", rename("Emitter/on_open", "opened")).await;
        let note = "names that begin or end like 'on_open' are computed and looked up, and it may be one of them\n  use.ts:3: ";
        assert!(text.contains(note), "{text}");
        assert!(text.contains("incomplete: a note says what is in doubt"), "{text}");
    });
}

#[test]
fn a_class_that_is_used_as_an_interface_keeps_its_members() {
    let lib = "export interface Shape {\n  area(): number;\n}\n\nexport class Square {\n  area() {\n    return 4;\n  }\n}\n";
    let user = "import { Shape, Square } from \"./lib\";\n\nexport const shape: Shape = new Square();\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.refused("rename_symbol", rename("Square/area", "extent")).await;
        assert!(text.contains("Square fits the interface Shape by its members"), "{text}");
        assert!(text.contains("use.ts:3: export const shape: Shape = new Square();"), "{text}");
        assert_eq!(stage.text("lib.ts"), lib);
    });
}

#[test]
fn a_name_that_the_language_calls_is_refused() {
    let lib = "export class Job {\n  start() {\n    return 1;\n  }\n}\n";
    with_tsc(lib, "export {};\n", async |stage| {
        let text = stage.refused("rename_symbol", rename("Job/start", "then")).await;
        assert!(text.contains("`await` and promises call 'then' of any object that has it"), "{text}");
        assert_eq!(stage.text("lib.ts"), lib);
    });
}

#[test]
fn the_first_rename_after_the_start_is_complete() {
    let lib = "export function area(side: number) {\n  return side * side;\n}\n";
    let user = "import { area } from \"./lib\";\n\nexport const four = area(2);\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.done("rename_symbol", rename("area", "surface")).await;
        assert!(text.ends_with("; complete]"), "{text}");
        assert!(stage.text("use.ts").contains("surface(2)"), "{text}");
    });
}

#[test]
fn an_interface_of_the_library_declares_its_own_members_only() {
    let lib = "export class Range implements Iterable<number> {\n  steps = 2;\n  first() {\n    return this.steps;\n  }\n  *[Symbol.iterator](): Generator<number> {}\n}\n\nexport class Oops extends Error {\n  code = 1;\n}\n\nexport class Count implements Iterator<number> {\n  next() {\n    return { value: 1, done: false };\n  }\n}\n";
    with_tsc(lib, "export {};\n", async |stage| {
        for (name_path, new_name) in
            [("Range/steps", "pace"), ("Range/first", "begin"), ("Oops/code", "number")]
        {
            let text = stage.done("rename_symbol", rename(name_path, new_name)).await;
            assert!(text.ends_with("; complete]"), "{name_path}: {text}");
        }
        let text = stage.refused("rename_symbol", rename("Count/next", "step")).await;
        assert!(
            text.contains("'next' of Count is also declared by Iterator, which is outside the project"),
            "{text}"
        );
    });
}

/// Has tsc rename a symbol of lib.js, in a project of this file and use.js.
fn in_commonjs(lib: &str, user: &str, check: impl AsyncFnOnce(&Stage)) {
    let Some(servers) = real_server("tsc") else { return };
    let config: &[u8] = b"{\"compilerOptions\":{\"allowJs\":true,\"module\":\"nodenext\"}}\n";
    let files = [("tsconfig.json", config), ("lib.js", lib.as_bytes()), ("use.js", user.as_bytes())];
    play(&files, Answers::Real(servers), check);
}

#[test]
fn an_export_of_commonjs_keeps_its_name_for_other_files() {
    let user = "const lib = require(\"./lib\");\nconst { add } = require(\"./lib\");\nconsole.log(lib.add(1, 2), add(3, 4));\n";
    let function = "function add(a, b) {\n  return a + b;\n}\n";
    for (exported, expected) in [
        ("exports.add = add;\n", "exports.add = plus;\n"),
        ("exports[\"add\"] = add;\n", "exports[\"add\"] = plus;\n"),
        ("module.exports = { add };\n", "module.exports = { add: plus };\n"),
        ("module.exports = { add: add };\n", "module.exports = { add: plus };\n"),
    ] {
        in_commonjs(&format!("{function}{exported}"), user, async |stage| {
            let mut ask = rename("add", "plus");
            ask["relative_path"] = json!("lib.js");
            let text = stage.done("rename_symbol", ask).await;
            assert!(text.contains("the module keeps exporting it as 'add'"), "{text}");
            assert!(text.ends_with("; complete]"), "{text}");
            assert_eq!(stage.text("use.js"), user, "{text}");
            assert!(stage.text("lib.js").ends_with(expected), "{text}");
        });
    }
}

#[test]
fn a_function_that_is_put_into_an_object_keeps_its_key() {
    let lib = "function get(id: number) {\n  return id;\n}\n\nexport function api() {\n  return { get, all: 1 };\n}\n";
    let user = "import { api } from \"./lib\";\n\nexport const one = api().get(1);\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.done("rename_symbol", rename("get", "read")).await;
        assert!(text.ends_with("; complete]"), "{text}");
        assert!(stage.text("lib.ts").contains("{ get: read, all: 1 }"), "{text}");
        assert_eq!(stage.text("use.ts"), user, "{text}");
    });
}

#[test]
fn a_shorthand_of_a_renamed_member_is_no_doubt() {
    let lib = "export interface Failure {\n  error: string;\n}\n\nexport const fail = (error: string): Failure => ({ error });\n";
    with_tsc(lib, "export {};\n", async |stage| {
        let text = stage.done("rename_symbol", rename("Failure/error", "problem")).await;
        assert!(text.ends_with("; complete]"), "{text}");
        assert!(stage.text("lib.ts").contains("({ problem: error })"), "{text}");
    });
}

#[test]
fn strings_that_name_no_symbol_are_no_doubt() {
    let lib = "export interface timeout {\n  lib: number;\n}\n\nexport function lib(one: timeout) {\n  if (one.lib < 0) throw new Error(\"lib\");\n  return \"timeout\";\n}\n";
    let user = "import { lib } from \"./lib\";\n\nexport const one = lib({ lib: 1 });\n";
    with_tsc(lib, user, async |stage| {
        for (name_path, new_name) in [("timeout/lib", "limit"), ("timeout", "Timeout"), ("lib", "run")] {
            let text = stage.done("rename_symbol", rename(name_path, new_name)).await;
            assert!(text.ends_with("; complete]"), "{name_path}: {text}");
        }
    });
    let Some(servers) = real_server("tsc") else { return };
    let lib = b"export function camelcase() {\n  return 1;\n}\n";
    let lock = b"{ \"packages\": { \"node_modules/camelcase\": {} } }\n";
    let files: [(&str, &[u8]); 2] = [("lib.ts", lib), ("package-lock.json", lock)];
    play(&files, Answers::Real(servers), async |stage| {
        let text = stage.done("rename_symbol", rename("camelcase", "camelCase")).await;
        assert!(text.ends_with("; complete]"), "{text}");
    });
    let lib = "export class Game {\n  start() {\n    return 1;\n  }\n}\n";
    let user = "import { Game } from \"./lib\";\n\nexport const run = () => \"start,stop\".split(\",\").map((name) => (new Game() as any)[name]());\n";
    with_tsc(lib, user, async |stage| {
        let text = stage.done("rename_symbol", rename("Game/start", "begin")).await;
        assert!(text.ends_with("incomplete: a note says what is in doubt]"), "{text}");
    });
}

#[test]
fn a_value_that_a_function_gave_is_written_out_with_its_names() {
    let lib = "export interface Point {\n  x: number;\n}\n\nexport const make = (x: number): Point => ({ x });\n\nexport function tags() {\n  return [1];\n}\n";
    let user = |call: &str| {
        format!(
            "import {{ make, tags }} from \"./lib\";\n\nconst made = {call};\nexport const text = JSON.stringify(made);\nexport const all = [make, tags];\n"
        )
    };
    for (call, is_told) in [("make(1)", true), ("tags()", false)] {
        with_tsc(lib, &user(call), async |stage| {
            let text = stage.done("rename_symbol", rename("Point/x", "left")).await;
            assert_eq!(text.contains("an object's keys become data here"), is_told, "{call}: {text}");
            assert_eq!(text.ends_with("; complete]"), !is_told, "{call}: {text}");
        });
    }
}
