//! Renames in Rust of names that macros, derives and documentation read: each case was once called complete, and broke the program.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

const DOUBT: &str = "incomplete: a note says what is in doubt]";

fn rename(name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": "src/lib.rs", "new_name": new_name })
}

#[test]
fn links_and_examples_in_documentation_follow() {
    let lib = "//! See [`double`] and [this](crate::double); to double is simple.\n\n/// ```\n/// assert_eq!(m::double(2), 4);\n/// ```\n\
        pub fn double(n: i32) -> i32 {\n    n * 2\n}\n";
    let cargo: &[u8] = b"[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    play(&[("Cargo.toml", cargo), ("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("double", "twice")).await;
        let expected = "//! See [`twice`] and [this](crate::twice); to double is simple.\n\n/// ```\n/// assert_eq!(m::twice(2), 4);\n/// ```\n\
            pub fn twice(n: i32) -> i32 {\n    n * 2\n}\n";
        assert_eq!(stage.text("src/lib.rs"), expected, "{text}");
        assert!(text.ends_with("complete]") && !text.ends_with(DOUBT), "{text}");
    });
}

#[test]
fn a_name_that_a_derive_prints_is_told() {
    let lib = "#[derive(Debug)]\npub enum Color {\n    Green,\n}\n\npub fn show(c: &Color) -> String {\n    format!(\"{c:?}\")\n}\n";
    play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("Color/Green", "Teal")).await;
        assert!(
            text.contains(
                "'Green' is printed here, if the value is, or holds, one of 'Color'\n  src/lib.rs:7: "
            ),
            "{text}"
        );
        assert!(text.ends_with(DOUBT), "{text}");
    });
}

#[test]
fn a_name_that_a_pattern_binds_is_taken_for_a_constant() {
    let lib = "const LIMIT: i32 = 3;\n\npub fn f(n: i32) -> i32 {\n    match n {\n        other => other + LIMIT,\n    }\n}\n";
    play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("LIMIT", "other")).await;
        assert!(text.contains("src/lib.rs:5"), "{text}");
    });
}

#[test]
fn a_method_of_a_trait_is_not_hidden() {
    let lib = "pub trait Len {\n    fn len(&self) -> i32 {\n        7\n    }\n}\n\npub struct Bag;\n\nimpl Len for Bag {}\n\n\
        impl Bag {\n    pub fn size(&self) -> i32 {\n        1\n    }\n}\n";
    play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("Bag/size", "len")).await;
        assert!(text.contains("'Bag' has a method 'len' of a trait, which this one would hide"), "{text}");
    });
}

#[test]
fn an_error_that_leaves_main_is_printed() {
    let error = "use std::error::Error;\n\n#[derive(Debug)]\nstruct Fail {\n    row: u8,\n}\n\nimpl std::fmt::Display for Fail {\n    \
        fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {\n        write!(f, \"{}\", self.row)\n    }\n}\n\nimpl Error for Fail {}\n\n";
    let any = "fn main() -> Result<(), Box<dyn Error>> {\n    Ok(())\n}\n";
    let none = "fn main() {\n    println!(\"{}\", Fail { row: 1 });\n}\n";
    // An error of any type, printed by a function that does not know which.
    let shown = "fn run() -> Result<(), Box<dyn Error>> {\n    Err(Box::new(Fail { row: 1 }))\n}\n\n\
        fn go() {\n    if let Err(e) = run() {\n        eprintln!(\"{e:?}\");\n    }\n}\n";
    for (rest, is_told) in [(any, true), (shown, true), (none, false)] {
        let lib = format!("{error}{rest}");
        play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename("Fail", "Broken")).await;
            assert_eq!(text.contains("'Fail' is printed here"), is_told, "{text}");
            assert_eq!(text.ends_with(DOUBT), is_told, "{text}");
        });
    }
}

#[test]
fn the_text_of_a_panic_counts_where_it_is_caught() {
    let caught = "\npub fn run() -> bool {\n    std::panic::catch_unwind(|| ()).is_ok()\n}\n";
    for (rest, is_told) in [(caught, true), ("", false)] {
        let lib = format!(
            "fn fine(n: i32) -> bool {{\n    n > 1\n}}\n\npub fn go(n: i32) {{\n    assert!(fine(n));\n}}\n{rest}"
        );
        play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename("fine", "good")).await;
            assert_eq!(text.contains("turns 'fine' into a text here"), is_told, "{text}");
        });
    }
}

#[test]
fn a_text_of_a_type_that_calls_debug_is_told() {
    let lib = "use std::fmt;\n\n#[derive(Debug)]\npub enum Level {\n    Info,\n}\n\nimpl fmt::Display for Level {\n    \
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        fmt::Debug::fmt(self, f)\n    }\n}\n";
    play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("Level/Info", "Note")).await;
        assert!(text.contains("'Info' is printed here") && text.ends_with(DOUBT), "{text}");
    });
}

#[test]
fn a_macro_that_prints_what_it_is_given_is_told() {
    let level = "#[derive(Debug)]\npub enum Level {\n    Info,\n}\n\n";
    let show = "macro_rules! show {\n    ($x:expr) => {\n        println!(\"{:?}\", $x)\n    };\n}\n\n";
    let log = "macro_rules! log {\n    ($text:expr, $x:expr) => {{\n        println!($text);\n        show!($x)\n    }};\n}\n\n";
    let printed = "fn printed<T: std::fmt::Debug>(one: T) {\n    show! { one }\n}\n\n";
    let own = "macro_rules! info {\n    () => {\n        println!(\"{:?}\", Level::Info)\n    };\n}\n";
    for (rest, is_told) in [
        (format!("{show}pub fn work() {{\n    show!(Level::Info);\n}}\n"), true),
        (format!("{show}{log}pub fn work() {{\n    log![\"n\", Level::Info];\n}}\n"), true),
        (format!("{show}{printed}pub fn work() {{\n    printed(Level::Info);\n}}\n"), true),
        (own.to_owned(), true),
        // The macro is given something else.
        (format!("{show}pub fn work(_: Level) {{}}\n\npub fn other(n: u8) {{\n    show!(n);\n}}\n"), false),
        // A function of the macro's name.
        (format!("{show}fn show(_: Level) {{}}\n\npub fn work() {{\n    show(Level::Info);\n}}\n"), false),
    ] {
        let lib = format!("{level}{rest}");
        play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename("Level/Info", "Note")).await;
            assert_eq!(text.contains("'Info' is printed here"), is_told, "{lib}{text}");
            assert_eq!(text.ends_with(DOUBT), is_told, "{lib}{text}");
        });
    }
}

#[test]
fn what_an_assertion_compares_is_printed_and_a_condition_is_not() {
    let caught = "#[derive(Debug, PartialEq)]\npub enum Level {\n    Info,\n}\n\npub fn run() -> bool {\n    \
        std::panic::catch_unwind(|| go(Level::Info)).is_ok()\n}\n\n";
    for (check, is_told) in [
        ("assert!(matches!(one, Level::Info))", false),
        ("assert_eq!(one, Level::Info)", true),
        ("assert!(one == Level::Info, \"{one:?}\")", true),
    ] {
        let lib = format!("{caught}fn go(one: Level) {{\n    {check};\n}}\n");
        play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename("Level/Info", "Note")).await;
            assert_eq!(text.contains("'Info' is printed here"), is_told, "{lib}{text}");
        });
    }
}
