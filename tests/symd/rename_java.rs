//! Renames in Java of names that are printed, reflected, serialized or linked: each case was once called complete, and broke the
//! program.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

const DOUBT: &str = "incomplete: a note says what is in doubt]";

fn rename(name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": "Main.java", "new_name": new_name })
}

#[test]
fn a_constant_whose_name_becomes_a_text_is_told() {
    let main = "enum Color { GREEN, RED }\n\nclass Main {\n    static void show(Color c) {\n        System.out.println(c);\n    }\n\n\
        \x20   static int rank() {\n        return Color.GREEN.ordinal();\n    }\n}\n";
    play(&[("Main.java", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("Color/GREEN", "TEAL")).await;
        assert!(
            text.contains("a text is made here of a value of 'Color'") && text.contains("Main.java:5: "),
            "{text}"
        );
        assert!(text.ends_with(DOUBT), "{text}");
    });
}

#[test]
fn links_of_javadoc_follow() {
    let main = "/** Uses {@link Pair#twice(int)}. */\nclass Main {\n    int four() {\n        return Pair.twice(2);\n    }\n}\n\n\
        class Pair {\n    /** Doubles; see {@link #twice}. */\n    static int twice(int n) {\n        return n * 2;\n    }\n}\n";
    play(&[("Main.java", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("Pair/twice", "both")).await;
        assert_eq!(stage.text("Main.java"), main.replace("twice", "both"), "{text}");
        assert!(text.ends_with("complete]") && !text.ends_with(DOUBT), "{text}");
    });
}

#[test]
fn a_method_that_an_heir_would_have_twice_is_refused() {
    let main = "interface Op {\n    default int act() {\n        return 1;\n    }\n}\n\nclass Base {\n    public int work() {\n        return 2;\n    }\n}\n\n\
        class Both extends Base implements Op {\n}\n";
    play(&[("Main.java", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("Base/work", "act")).await;
        assert!(text.contains("a class that inherits from 'Base' has 'act' too"), "{text}");
    });
}

#[test]
fn what_serialization_reads_keeps_its_name() {
    let main = "class Main implements java.io.Serializable {\n    private static final long serialVersionUID = 1L;\n    int count;\n}\n";
    play(&[("Main.java", main.as_bytes())], Answers::NoServer, async |stage| {
        stage.refused("rename_symbol", rename("Main/serialVersionUID", "VERSION")).await;
        let text = stage.done("rename_symbol", rename("Main/count", "number")).await;
        assert!(text.contains("data that Java has serialized holds the field's name 'count'"), "{text}");
    });
}
