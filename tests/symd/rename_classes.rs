//! Renames of classes whose constructors have their name, and of files that must have a class's name, without a server.

use serde_json::json;

use crate::rename_stage::{Answers, play};

const RATIO: &str = "package a;

public final class Ratio implements Comparable<Ratio> {
    public static final Ratio ZERO = new Ratio(0, 1);

    private Ratio(int n, int d) {}

    Ratio(int n) {
        this(n, 1);
    }

    public Ratio add(Ratio other) {
        return new Ratio(2);
    }

    public int compareTo(Ratio other) {
        return 0;
    }
}
";

const MAIN: &str = "package a;

class Main {
    Ratio one = Ratio.ZERO.add(new Ratio(1));
    java.util.function.IntFunction<Ratio> make = Ratio::new;
}
";

#[test]
fn a_class_is_renamed_with_its_constructors_and_its_file() {
    let files: [(&str, &[u8]); 3] = [
        ("src/a/Ratio.java", RATIO.as_bytes()),
        ("src/a/Main.java", MAIN.as_bytes()),
        ("src/b/Use.kt", b"package b\n\nimport a.Ratio\n\nfun f(r: Ratio): Ratio = r.add(Ratio.ZERO)\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let before = stage.tree();
        // The class, or one of its constructors: both are one name.
        for wanted in ["Ratio", "Ratio/Ratio[1]"] {
            let wanted =
                json!({ "name_path": wanted, "relative_path": "src/a/Ratio.java", "new_name": "Fraction" });
            let done = stage.done("rename_symbol", wanted).await;
            assert!(done.contains("; complete]"), "{done}");
            let of = |text: &str| text.replace("Ratio", "Fraction");
            assert_eq!(stage.text("src/a/Fraction.java"), of(RATIO));
            assert_eq!(stage.text("src/a/Main.java"), of(MAIN));
            assert_eq!(stage.text("src/b/Use.kt"), of(std::str::from_utf8(files[2].1).unwrap()));
            assert!(!stage.tree().keys().any(|path| path.ends_with("Ratio.java")), "{done}");
            stage.undo().await;
            assert!(stage.tree() == before);
        }
    });
}

#[test]
fn a_class_is_not_renamed_where_its_file_cannot_be() {
    let files: [(&str, &[u8]); 2] =
        [("src/a/Ratio.java", RATIO.as_bytes()), ("src/a/Fraction.java", b"// Nothing is left here.\n")];
    play(&files, Answers::NoServer, async |stage| {
        let before = stage.tree();
        let wanted = json!({ "name_path": "/Ratio", "new_name": "Fraction" });
        let text = stage.refused("rename_symbol", wanted).await;
        assert!(
            text.contains("the class's file would become src/a/Fraction.java, which exists already"),
            "{text}"
        );
        assert!(stage.tree() == before);
    });
}

#[test]
fn a_class_in_a_file_of_another_name_leaves_the_file() {
    let files: [(&str, &[u8]); 1] =
        [("a/All.java", b"package a;\n\nclass One {\n    One next = new One();\n}\n")];
    play(&files, Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", json!({ "name_path": "One", "new_name": "First" })).await;
        assert!(done.contains("; complete]"), "{done}");
        assert_eq!(
            stage.text("a/All.java"),
            "package a;\n\nclass First {\n    First next = new First();\n}\n"
        );
    });
}

#[test]
fn without_a_server_csharp_and_cpp_rename_a_class_whole_or_not_at_all() {
    let sharp = "namespace A;\npublic class Money {\n    static Money zero = new Money(0);\n    Money(int n) {}\n    ~Money() {}\n}\n";
    let plus = "class Vec {\npublic:\n    Vec(int n);\n    ~Vec();\n    Vec twice() const { return Vec(2); }\n};\n\nVec::Vec(int n) {}\nVec::~Vec() {}\n";
    for (place, text, old) in [("Money.cs:2", sharp, "Money"), ("vec.cpp:1", plus, "Vec")] {
        let path = place.split(':').next().unwrap();
        play(&[(path, text.as_bytes())], Answers::NoServer, async |stage| {
            let wanted = json!({ "name_path": old, "relative_path": place, "new_name": "Other" });
            let done = stage.done("rename_symbol", wanted).await;
            assert!(done.contains("; complete]"), "{done}");
            assert_eq!(stage.text(path), text.replace(old, "Other"));
        });
    }
}
