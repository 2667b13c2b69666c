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

/// Renames in one program each, and what is told: a part of a note, or nothing where the answer is complete.
fn check(cases: &[(&str, &str, &str, Option<&str>)]) {
    for (main, name_path, new_name, note) in cases {
        play(&[("Main.java", main.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename(name_path, new_name)).await;
            match note {
                Some(note) => assert!(text.contains(note) && text.ends_with(DOUBT), "{main}\n{text}"),
                None => assert!(text.ends_with("complete]") && !text.ends_with(DOUBT), "{main}\n{text}"),
            }
        });
    }
}

const MADE: &str = "a text is made here of a value of";

#[test]
fn values_become_texts_by_their_types() {
    check(&[
        // The key of a lambda over a map, whose type no name tells.
        (
            "import java.util.*;\n\nclass Main {\n    enum Kind { TOOL, TOY }\n\n    static void show(Map<Kind, Integer> all) {\n        \
             all.forEach((k, v) -> System.out.println(k + \"=\" + v));\n    }\n}\n",
            "Kind/TOOL",
            "DEVICE",
            Some(MADE),
        ),
        // The type argument that is not the last one.
        (
            "import java.util.*;\n\nclass Main {\n    record Point(int x, int y) {\n    }\n\n    Map<Point, String> grid = new HashMap<>();\n\n    \
             String show() {\n        return grid.toString();\n    }\n}\n",
            "Point",
            "Pos",
            Some(MADE),
        ),
        (
            "import java.util.*;\n\nclass Main {\n    enum Day { MON, TUE }\n\n    static void all() {\n        \
             System.out.println(Arrays.asList(Day.values()));\n    }\n}\n",
            "Day/MON",
            "MONDAY",
            Some(MADE),
        ),
        (
            "class Main {\n    enum Level { LOW, HIGH }\n\n    static <E extends Enum<E>> E of(Class<E> c, String s) {\n        \
             return Enum.valueOf(c, s);\n    }\n\n    static Level low(String s) {\n        return of(Level.class, s);\n    }\n}\n",
            "Level/LOW",
            "MINOR",
            Some(MADE),
        ),
        // What is printed is a number, a name of its own, or a value of another type.
        (
            "import java.util.*;\n\nclass Main {\n    enum Day { MON, TUE }\n\n    static void all(Map<String, Integer> counts, Day day) {\n        \
             System.out.println(Day.values().length + day.ordinal());\n        System.out.println(\"n \" + counts + (day == Day.MON));\n    }\n}\n",
            "Day/MON",
            "MONDAY",
            None,
        ),
        (
            "class Main {\n    record Point(int x, int y) {\n        @Override\n        public String toString() {\n            \
             return \"(\" + x + \", \" + y + \")\";\n        }\n    }\n\n    static void show(Point p) {\n        System.out.println(p);\n    }\n}\n",
            "Point/x",
            "left",
            None,
        ),
    ]);
}

#[test]
fn the_names_of_exceptions_and_classes_become_texts() {
    let thrown =
        "class Outage extends RuntimeException {\n    Outage() {\n        super(\"db\");\n    }\n}\n\n";
    let logged = format!(
        "{thrown}class Main {{\n    static void log(String m, Throwable t) {{\n        System.out.println(m + t);\n    }}\n}}\n"
    );
    let caused = format!(
        "{thrown}class Main {{\n    static void run() {{\n        throw new RuntimeException(new Outage());\n    }}\n}}\n"
    );
    let of_message = format!(
        "{thrown}class Main {{\n    static String run(Outage e) {{\n        return \"no \" + e.getMessage();\n    }}\n}}\n"
    );
    let one_of_two = format!(
        "{thrown}class Main {{\n    static void run(Runnable r) {{\n        try {{\n            r.run();\n        }} catch (Outage | \
         IllegalStateException e) {{\n            System.out.println(e);\n        }}\n    }}\n}}\n"
    );
    check(&[
        (&logged, "Outage", "Downtime", Some(MADE)),
        (&caused, "Outage", "Downtime", Some(MADE)),
        (&of_message, "Outage", "Downtime", None),
        (&one_of_two, "Outage", "Downtime", Some(MADE)),
        (
            "class Main {\n    static class Red {\n    }\n\n    static String key(Object o) {\n        return o.getClass().getName();\n    }\n\n    \
             static String red() {\n        return key(new Red());\n    }\n}\n",
            "Red",
            "Blue",
            Some("code here reads, or makes, the class name 'Red' as a text"),
        ),
        (
            "import java.util.*;\n\nclass Main {\n    public static class Texts {\n    }\n\n    static Object texts() {\n        \
             return ResourceBundle.getBundle(\"Main$Texts\");\n    }\n}\n",
            "Texts",
            "Words",
            Some("code here reads, or makes, the class name 'Texts' as a text"),
        ),
    ]);
}
