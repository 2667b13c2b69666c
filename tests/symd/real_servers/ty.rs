//! ty: every request that symd sends to it, on a small Python project, and answers that stay up to date with
//! the files.

use serde_json::json;

use super::{Real, demo, places};
use crate::support::call;

const PROJECT: &str = "\
//- lib.py
class Shape:
    def area(self) -> int:
        return 0


class Square(Shape):
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return square(self.side)


def square(x: int) -> int:
    \"\"\"The second power.\"\"\"
    return x * x
//- main.py
import lib
from lib import Shape, Square, square as power


def total(shapes: list[Shape]) -> int:
    return sum(shape.area() for shape in shapes) + power(1)


def main() -> None:
    print(total([Square(2)]), lib.square(3))
";

fn project() -> Option<Real> {
    Some(Real::new(&[("python", "ty")])?.with(PROJECT))
}

#[test]
fn references_definition_and_hover() {
    let Some(real) = project() else { return };
    // ty does not report the uses under an alias: symd reports the import under that alias.
    assert_eq!(real.references("ty", "square"), ["lib.py:11", "main.py:2", "main.py:10"]);
    let answer = real.ask("find_referencing_symbols", json!({ "name_path": "square" }));
    assert_eq!(answer["renamed"], json!([{ "as": "power", "path": "main.py" }]), "{answer:#}");
    assert_eq!((&answer["complete"], &answer["missing"]), (&json!(false), &json!(0)), "{answer:#}");
    assert_eq!(real.references("ty", "Shape/area"), ["main.py:6"]);
    let at = json!({ "relative_path": "main.py", "line": 6, "name": "power" });
    assert_eq!(real.places("ty", "find_definition", "definitions", at), ["lib.py:14"]);
    let at = json!({ "relative_path": "main.py", "line": 6, "name": "shape", "which": "type_definition" });
    assert_eq!(real.places("ty", "find_definition", "definitions", at), ["lib.py:1"]);
    let hover = real.ask("hover", json!({ "relative_path": "main.py", "line": 10, "name": "square" }));
    assert_eq!(hover["source"], "ty");
    let text = hover["text"].as_str().unwrap();
    assert!(text.contains("square(x: int) -> int") && text.contains("The second power."), "{text}");
}

#[test]
fn its_first_answer_is_complete() {
    let Some(real) = project() else { return };
    // Asked as the first question of a new daemon: the start of the server leaves no doubts.
    let answer = real.ask("find_referencing_symbols", json!({ "name_path": "Square" }));
    assert_eq!((&answer["source"], &answer["complete"]), (&json!("ty"), &json!(true)), "{answer:#}");
    let plan = real.ask("rename", json!({ "name_path": "Square", "new_name": "Quad", "dry_run": true }));
    assert_eq!(plan["complete"], true, "{plan:#}");
}

/// ty lists none of these uses: an object without a type, and what a subclass assigns, which it takes for another attribute.
#[test]
fn what_it_leaves_out_is_listed() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    let real = real.with(
        "//- shop.py\nclass Shop:\n    code = 0\n\n    def close(self): ...\n\n\nclass Till(Shop):\n    def shut(self):\n        self.code = 1\n        self.code = self.next\n\n\n\
         def opened():\n    return Till()\n\n\nclass Street:\n    def __init__(self):\n        self.shop = None\n\n    def open(self):\n        self.shop = opened()\n\n    \
         def night(self):\n        self.shop.close()\n",
    );
    assert_eq!(real.all_references("ty", "Shop/code"), ["shop.py:9", "shop.py:10"]);
    assert_eq!(real.all_references("ty", "Shop/close"), ["shop.py:25"]);
}

#[test]
fn calls_and_types() {
    let Some(real) = project() else { return };
    let callers = real.ask("find_callers", json!({ "name_path": "square", "depth": 2 }));
    assert_eq!(callers["source"], "ty");
    let names = |key: &str, answer: &serde_json::Value| -> Vec<String> {
        let all = answer[key].as_array().unwrap();
        all.iter().map(|one| format!("{} {}", one["depth"], one["name_path"].as_str().unwrap())).collect()
    };
    let found = names("callers", &callers);
    for caller in ["1 Square/area", "1 total", "1 main", "2 main"] {
        assert!(found.iter().any(|one| one == caller), "{caller}: {callers:#}");
    }
    let callees = real.ask("find_callees", json!({ "name_path": "total" }));
    assert_eq!(callees["source"], "ty", "{callees:#}");
    let found = names("callees", &callees);
    assert!(
        found.contains(&"1 square".to_owned()) && found.contains(&"1 Shape/area".to_owned()),
        "{found:?}"
    );
    let down = json!({ "name_path": "Shape" });
    assert_eq!(real.places("ty", "type_hierarchy", "subtypes", down), ["lib.py:6"]);
    let up = json!({ "name_path": "Square", "direction": "supertypes" });
    let up = real.places("ty", "type_hierarchy", "supertypes", up);
    assert_eq!(up.first().map(String::as_str), Some("lib.py:1"), "{up:?}");
    // ty has no textDocument/implementation: symd uses the headers of classes.
    let implementations = real.ask("find_implementations", json!({ "name_path": "Shape" }));
    assert_eq!(places(&implementations["implementations"]), ["lib.py:6"]);
    let implementations = real.ask("find_implementations", json!({ "name_path": "Shape/area" }));
    assert_eq!(places(&implementations["implementations"]), ["lib.py:10"]);
}

#[test]
fn diagnostics_of_a_file_and_of_the_project() {
    let Some(real) = project() else { return };
    real.write("wrong.py", "from lib import square\n\nsquare(\"two\")\n");
    let of_file = real.ask("diagnostics", json!({ "relative_path": "wrong.py" }));
    assert_eq!(places(&of_file["diagnostics"]), ["wrong.py:3"], "{of_file:#}");
    assert_eq!(of_file["diagnostics"][0]["code"], "invalid-argument-type");
    let fine = real.ask("diagnostics", json!({ "relative_path": "main.py" }));
    assert_eq!(places(&fine["diagnostics"]), [""; 0]);
    let of_project = real.ask("diagnostics", json!({}));
    assert_eq!(of_project["sources"], json!(["ty"]));
    assert!(places(&of_project["diagnostics"]).contains(&"wrong.py:3".to_owned()), "{of_project:#}");
    // Fixed by a write that the server is not told of.
    real.write("wrong.py", "from lib import square\n\nsquare(2)\n");
    let mended = real.ask("diagnostics", json!({ "relative_path": "wrong.py" }));
    assert_eq!(places(&mended["diagnostics"]), [""; 0], "{mended:#}");
    let all = real.ask("diagnostics", json!({}));
    assert_eq!((places(&all["diagnostics"]).len(), &all["complete"]), (0, &json!(true)), "{all:#}");
}

#[test]
fn the_next_answer_knows_what_was_written() {
    let Some(real) = project() else { return };
    assert_eq!(real.references("ty", "square").len(), 3);
    real.write("new.py", "from lib import square\n\nprint(square(4))\n");
    assert_eq!(
        real.references("ty", "square"),
        ["lib.py:11", "main.py:2", "main.py:10", "new.py:1", "new.py:3"]
    );
    // main.py is open in the server only if a question was about it, as now.
    real.ask("hover", json!({ "relative_path": "main.py", "line": 10, "name": "square" }));
    real.write("main.py", "# moved\nfrom lib import square\nprint(square(5))\n");
    assert_eq!(
        real.all_references("ty", "square"),
        ["lib.py:11", "main.py:2", "main.py:3", "new.py:1", "new.py:3"]
    );
    std::fs::remove_file(real.path("new.py")).unwrap();
    assert_eq!(real.all_references("ty", "square"), ["lib.py:11", "main.py:2", "main.py:3"]);
    // The declaring file itself, which is open.
    real.write("lib.py", "\n\ndef square(x: int) -> int:\n    return x * x\n\n\nsquare(6)\n");
    assert_eq!(real.all_references("ty", "square"), ["lib.py:7", "main.py:2", "main.py:3"]);
    std::fs::rename(real.path("main.py"), real.path("other.py")).unwrap();
    assert_eq!(real.all_references("ty", "square"), ["lib.py:7", "other.py:2", "other.py:3"]);
}

#[test]
fn characters_outside_the_plane_and_all_line_ends() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    real.write("lib.py", "𝛼, 𝔟 = 1, 2; text = \"🦀🦀\"; value = 3\r\nprint(text, value)\r\n");
    real.write(
        "main.py",
        "# 🦀\r\nfrom lib import value\r\nx = \"🦀é漢\" + str(value); y = (\"🦀\", value)\r\n",
    );
    let answer = real.ask("find_referencing_symbols", json!({ "name_path": "value" }));
    assert_eq!(answer["source"], "ty");
    assert_eq!(places(&answer["references"]), ["lib.py:2", "main.py:2", "main.py:3", "main.py:3"]);
    assert_eq!(answer["dropped"], json!({ "outside_text": 0, "not_the_name": 0 }), "{answer:#}");
    let at = json!({ "relative_path": "main.py", "line": 3, "name": "value" });
    assert_eq!(real.places("ty", "find_definition", "definitions", at), ["lib.py:1"]);
}

#[test]
fn the_demos_python() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    real.copy(&demo());
    assert_eq!(
        real.references_in("bookshop/catalog.py", "ty", "OutOfStock"),
        ["bookshop/catalog.py:58", "bookshop/cli.py:6", "bookshop/cli.py:25"],
        "the Kotlin class of that name aside"
    );
}

#[test]
fn two_clients_at_once_have_one_server() {
    let Some(real) = project() else { return };
    let mut clients = [real.user.connect(), real.user.connect()];
    for client in &mut clients {
        client.initialize();
    }
    for (number, client) in clients.iter_mut().enumerate() {
        for turn in 0..20 {
            let name = if (turn + number) % 2 == 0 { "square" } else { "Square" };
            let arguments =
                json!({ "name_path": name, "wait": "ready", "deadline_seconds": 120, "format": "json" });
            client.send(&call(turn, "find_referencing_symbols", arguments));
        }
    }
    for (number, client) in clients.iter_mut().enumerate() {
        let mut answered = Vec::new();
        for _ in 0..20 {
            let answer = client.receive().unwrap();
            let turn = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            let found: serde_json::Value = serde_json::from_str(text).unwrap();
            let name = if (turn + number) % 2 == 0 { "square" } else { "Square" };
            assert_eq!((&found["symbol"]["name_path"], &found["source"]), (&json!(name), &json!("ty")));
            assert_eq!(places(&found["references"]).len(), if name == "square" { 3 } else { 2 }, "{found:#}");
            answered.push(turn);
        }
        answered.sort_unstable();
        assert!(answered.into_iter().eq(0..20));
    }
    assert_eq!(real.status("ty")["starts"], 1);
}
