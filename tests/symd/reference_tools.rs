//! References, callers, callees, definitions and the rest through the real daemon without a language server:
//! the answers from syntax, and what is said about them.

use serde_json::Value;

use crate::support::{User, write};

const SHAPES: &str = "class Shape:\n    \"\"\"A shape.\"\"\"\n\n    def area(self):\n        return 0\n\n\n\
    class Square(Shape):\n    def area(self):\n        return square(self.side)\n\n\n\
    def square(x):\n    return x * x\n";
const MAIN: &str = "from shapes import Square, square\n\n\ndef total(shapes):\n    \
    return sum(shape.area() for shape in shapes) + square(1)\n\n\ndef main():\n    \
    callback = square\n    print(total([Square()]), callback(2))\n    main()\n";

fn project() -> User {
    let user = User::new();
    // No server of this machine must be found: this tests the answers from syntax.
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/shapes.py"), SHAPES);
    write(&user.path("project/main.py"), MAIN);
    user
}

/// Splits an answer into the text without its last line, and the last line.
fn parts(text: &str) -> (&str, &str) {
    text.trim_end().rsplit_once('\n').unwrap()
}

#[test]
fn references_say_where_and_from_what() {
    let user = project();
    let text = user.check(&["refs", "square"], 0);
    let (list, footer) = parts(&text);
    assert_eq!(
        list,
        "main.py\n 1: from shapes import Square, square\n 5 in total: return sum(shape.area() for shape in shapes) + \
         square(1)\n 9 in main: callback = square\nshapes.py:10 in Square/area: return square(self.side)"
    );
    assert!(footer.starts_with("[4 references in 2 files; syntax (python: no language server: "), "{footer}");
    assert!(footer.ends_with("; complete]"), "{footer}");
    let of_functions = user.check(&["refs", "square", "--kind", "function"], 0);
    assert!(of_functions.contains("[2 references in 1 file;"), "{of_functions}");
    let of_files = user.check(&["refs", "square", "--kind", "file"], 0);
    assert!(of_files.starts_with("main.py:1: from shapes"), "{of_files}");
}

#[test]
fn how_to_get_a_server_is_said_in_few_words() {
    let user = project();
    let languages = "[language-server.ty]\ncommand = \"no-such-ty\"\n\n[[language]]\nname = \"python\"\nlanguage-servers = \
                     [\"ty\"]\n";
    write(&user.path("config/languages.toml"), languages);
    let text = user.check(&["refs", "square"], 0);
    assert!(text.contains("; syntax (no server; `symd install python`); complete]"), "{text}");
    let json = user.check(&["call", "references", r#"{"name_path": "square", "format": "json"}"#], 0);
    assert!(
        json.contains("python: no language server: ty is not installed (there is no no-such-ty); "),
        "{json}"
    );
}

#[test]
fn references_in_members_of_one_class_stand_beneath_it() {
    let user = project();
    let tests = "from shapes import square\n\n\nclass TestOfSquares:\n    def test_one(self):\n        square(1)\n\n    \
                 def test_two(self):\n        square(2)\n\n\ndef test_many_of_them():\n    square(3)\n    square(4)\n";
    write(&user.path("project/test_squares.py"), tests);
    let text = user.check(&["refs", "square"], 0);
    let (list, _) = parts(&text);
    let of_tests = list.split("test_squares.py\n").nth(1).unwrap();
    assert_eq!(
        of_tests,
        " 1: from shapes import square\n in TestOfSquares/\n  6 test_one: square(1)\n  9 test_two: square(2)\n \
         in test_many_of_them\n  13: square(3)\n  14: square(4)"
    );
}

#[test]
fn a_tree_writes_a_directory_that_all_are_in_once() {
    let user = project();
    let path = "src/main/python/squares/of/many";
    std::fs::create_dir_all(user.path("project").join(path)).unwrap();
    write(
        &user.path("project").join(path).join("a.py"),
        "def alone(x):\n    return x\n\n\ndef first(x):\n    return alone(x)\n",
    );
    let more = "from .a import first\n\n\ndef second(x):\n    return first(x)\n";
    write(&user.path("project").join(path).join("b.py"), more);
    let text = user.check(&["callers", "alone", "--depth", "2"], 0);
    let (tree, _) = parts(&text);
    assert_eq!(tree, format!("{path}/\n a.py:5 function first @ 6\n  b.py:4 function second @ 5"));
}

#[test]
fn what_syntax_cannot_tell_is_marked() {
    let user = project();
    let text = user.check(&["refs", "Shape/area"], 0);
    assert!(text.starts_with("main.py:5? in total: "), "{text}");
    assert!(text.contains("; unchecked: 1 marked ?"), "{text}");
    let json = r#"{"name_path": "Shape/area", "format": "json"}"#;
    let json: serde_json::Value =
        serde_json::from_str(&user.check(&["call", "find_referencing_symbols", json], 0)).unwrap();
    assert_eq!((&json["complete"], &json["unchecked"]), (&false.into(), &1.into()), "{json}");
    assert_eq!(json["references"][0]["likely"], false, "{json}");
    assert_eq!(json["source"], "syntax", "{json}");
}

#[test]
fn a_symbol_must_be_the_only_one() {
    let user = project();
    let several = user.check(&["refs", "area"], 1);
    assert_eq!(
        several.trim_end(),
        "2 symbols match 'area'; give the name path of one, and its file (or file:line) with --in:\n\
         shapes.py:4-5 method Shape/area(self)\nshapes.py:9-10 method Square/area(self)"
    );
    let none = user.check(&["callers", "sqare"], 1);
    assert_eq!(none.trim_end(), "No symbol matching 'sqare' found. Similar names: Square, square");
    let elsewhere = user.check(&["refs", "square", "--in", "main.py"], 1);
    assert!(
        elsewhere.ends_with("Symbols with this name elsewhere:\nshapes.py:13-14 function square\n"),
        "{elsewhere}"
    );
    let nowhere = user.check(&["refs", "square", "--in", "nowhere.py"], 1);
    assert_eq!(nowhere.trim_end(), "Path does not exist: nowhere.py");
}

#[test]
fn uses_under_another_name_are_not_promised() {
    let user = project();
    write(&user.path("project/alias.py"), "from shapes import square as quad\n\nquad(2)\n");
    let text = user.check(&["refs", "square"], 0);
    assert!(text.contains("; unchecked: alias.py imports it as quad; "), "{text}");
    assert!(!text.contains("complete]"), "{text}");
}

#[test]
fn symbols_that_share_file_and_name_path_are_told_apart_by_line() {
    let user = project();
    write(
        &user.path("project/a.ts"),
        "export interface Size { w: number }\n\nexport const Size = { w: 1 };\n",
    );
    let several = user.check(&["hover", "Size"], 1);
    assert!(several.contains("a.ts:1 interface Size\na.ts:3 const Size"), "{several}");
    let constant = user.check(&["hover", "Size", "--in", "a.ts:3"], 0);
    assert!(constant.contains("const Size = { w: 1 }"), "{constant}");
    let interface = user.check(&["hover", "Size", "--in", "a.ts:1"], 0);
    assert!(interface.contains("interface Size"), "{interface}");
    let neither = user.check(&["hover", "Size", "--in", "a.ts:2"], 1);
    assert!(neither.starts_with("No symbol matching 'Size' found"), "{neither}");
}

#[test]
fn callers_are_a_tree_without_cycles() {
    let user = project();
    let text = user.check(&["callers", "square", "--depth", "5"], 0);
    let (tree, footer) = parts(&text);
    assert_eq!(
        tree,
        "main.py:4 function total @ 5\n :8 function main @ 10\n  function main @ 11 (cycle)\n\
         shapes.py:9 method Square/area @ 10\n function total @ 5 ? (shown above)"
    );
    assert!(footer.contains("; 1 other use is not a call;"), "{footer}");
    let shallow = user.check(&["callers", "square"], 0);
    assert!(shallow.contains("main.py:4 function total @ 5 +\n"), "{shallow}");
    assert!(shallow.contains("; +: raise --depth"), "{shallow}");
}

#[test]
fn callees_lead_to_their_declarations() {
    let user = project();
    let text = user.check(&["callees", "total"], 0);
    assert!(text.contains("shapes.py:13 function square @ 5\n"), "{text}");
    assert!(text.contains("outside the project or unknown: sum"), "{text}");
}

#[test]
fn definitions_are_found_from_a_name_on_a_line() {
    let user = project();
    let text = user.check(&["def", "main.py:10", "Square"], 0);
    assert!(text.starts_with("shapes.py:8-10 class Square(Shape)\n[1 definition; syntax ("), "{text}");
    let no_name = user.check(&["def", "main.py:10", "absent"], 1);
    assert!(
        no_name.contains("line 10 of main.py does not hold the name \"absent\"; it reads: print("),
        "{no_name}"
    );
    let no_line = user.check(&["def", "main.py:99", "Square"], 1);
    assert!(no_line.contains("main.py has 11 lines, there is no line 99"), "{no_line}");
    assert!(user.fails(&["def", "main.py:10"], 2).contains("which name on that line?"));
    // Syntax knows nothing about types.
    user.check(&["def", "main.py:10", "Square", "--type"], 4);
}

#[test]
fn heads_of_classes_make_a_hierarchy() {
    let user = project();
    let text = user.check(&["impls", "Shape"], 0);
    assert!(text.starts_with("shapes.py:8-10 class Square(Shape)\n[1 implementation;"), "{text}");
    let text = user.check(&["impls", "Shape/area"], 0);
    assert!(text.starts_with("shapes.py:9-10 method Square/area(self)\n[1 implementation;"), "{text}");
    let up = r#"{"name_path": "Square", "direction": "supertypes"}"#;
    let up = user.check(&["call", "type_hierarchy", up], 0);
    assert!(up.starts_with("shapes.py:1 class Shape\n[1 supertype;"), "{up}");
    let no_type = user.check(&["call", "type_hierarchy", r#"{"name_path": "square"}"#], 1);
    assert!(no_type.contains("square is a function, not a type"), "{no_type}");
}

#[test]
fn hover_shows_the_declaration() {
    let user = project();
    let text = user.check(&["hover", "main.py:10", "Square"], 0);
    assert!(text.starts_with("shapes.py:8\nclass Square(Shape):\n[hover; syntax ("), "{text}");
    assert!(user.check(&["hover", "Shape"], 0).contains("\"\"\"A shape.\"\"\""));
}

#[test]
fn what_needs_a_server_says_so() {
    let user = project();
    let text = user.check(&["diagnostics", "main.py"], 4);
    assert!(text.starts_with("No language server answered.\n"), "{text}");
    assert!(text.contains("incomplete: python: no language server"), "{text}");
    write(&user.path("project/broken.py"), "def f(:\n");
    let text = user.check(&["diagnostics"], 4);
    assert!(text.contains("syntax errors in:\n broken.py\n"), "{text}");
    user.check(&["call", "list_code_actions", r#"{"relative_path": "main.py", "start_line": 1}"#], 4);
    write(&user.path("project/notes.txt"), "a note\n");
    let asked = r#"{"relative_path": "notes.txt", "format": "json"}"#;
    let answer: Value = serde_json::from_str(&user.check(&["call", "diagnostics", asked], 4)).unwrap();
    assert_eq!(answer["complete"], false, "no server knows the language: {answer}");
}

#[test]
fn serenas_references_in_the_contracts_shape() {
    let user = project();
    let ask = |arguments: &str| {
        let all = ["call", "--toolset", "serena", "find_referencing_symbols", arguments];
        let output = user.run(&all);
        (output.status.code(), String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned())
    };
    let (exit, text) =
        ask(r#"{"name_path": "square", "relative_path": "shapes.py", "include_kinds": [1, 6]}"#);
    assert_eq!(exit, Some(0));
    assert_eq!(
        text,
        r#"[{"name_path": "main", "relative_path": "main.py", "kind": 1, "content_around_reference": "  >   0:from shapes import Square, square\n...   1:"}, {"name_path": "Square/area", "relative_path": "shapes.py", "kind": 6, "content_around_reference": "...   8:    def area(self):\n  >   9:        return square(self.side)\n...  10:"}]"#
    );
    let (exit, text) = ask(r#"{"name_path": "absent", "relative_path": "shapes.py"}"#);
    assert_eq!((exit, text.as_str()), (Some(1), "Error: No symbol matching 'absent' found"));
    let (exit, text) = ask(r#"{"name_path": "area", "relative_path": "shapes.py"}"#);
    assert_eq!(exit, Some(1));
    assert!(
        text.starts_with(
            "Error: Found multiple 2 symbols matching 'area'. They are: \n[\n  {\n    \"name_path\": \"Shape/area\",\n"
        ),
        "{text}"
    );
    let (_, text) = ask(r#"{"name_path": "square", "relative_path": "../x"}"#);
    assert_eq!(text, "Path validation failed: Path is outside the project: ../x");
    let (_, text) = ask(r#"{"name_path": "square"}"#);
    assert_eq!(text, "Error: Missing required parameter 'relative_path' (expected a string)");
    let (_, text) = ask(r#"{"name_path": "square", "relative_path": "shapes.py", "max_answer_chars": 5}"#);
    assert!(text.starts_with("The answer is too long ("), "{text}");
}
