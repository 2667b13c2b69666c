//! Renames in Go of names that encoders, the library and `go test` read: each case was once called complete, and broke the program.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

const DOUBT: &str = "incomplete: a note says what is in doubt]";

fn rename(name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": "main.go", "new_name": new_name })
}

#[test]
fn a_field_that_is_written_out_under_its_name_is_told() {
    let main = "package main\n\nimport \"encoding/json\"\n\ntype User struct {\n\tName string\n\tAge  int `json:\"age\"`\n}\n\n\
        func dump(u User) []byte {\n\tb, _ := json.Marshal(u)\n\treturn b\n}\n";
    play(&[("main.go", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("User/Name", "Label")).await;
        let note = "code here may read the name 'Name' of the field from the type of a value\n  main.go:11: ";
        assert!(text.contains(note) && text.ends_with(DOUBT), "{text}");
        stage.undo().await;
        let text = stage.done("rename_symbol", rename("User/Age", "Years")).await;
        assert!(text.ends_with("complete]") && !text.ends_with(DOUBT), "{text}");
    });
}

#[test]
fn a_method_by_which_a_type_is_a_flag_keeps_its_name() {
    let main = "package main\n\nimport \"flag\"\n\ntype list []string\n\nfunc (l *list) String() string { return \"\" }\n\n\
        func (l *list) Set(s string) error { return nil }\n\nvar all list\n\nfunc add() { flag.Var(&all, \"x\", \"\") }\n";
    play(&[("main.go", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("Set", "Put")).await;
        assert!(text.contains("'list' satisfies flag.Value, which asks for 'Set'"), "{text}");
    });
}

#[test]
fn a_name_that_another_file_of_the_package_imports_is_taken() {
    let other =
        "package main\n\nimport \"strings\"\n\nfunc up(s string) string { return strings.ToUpper(s) }\n";
    let files: [(&str, &[u8]); 2] =
        [("main.go", b"package main\n\nvar words = 1\n"), ("other.go", other.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("words", "strings")).await;
        assert!(
            text.contains("a file of the package imports 'strings'") && text.contains("other.go:3"),
            "{text}"
        );
    });
}

#[test]
fn a_constant_of_the_language_is_not_hidden() {
    let main = "package main\n\nvar zero = 0\n\nfunc is(p *int) bool { return p == nil }\n";
    play(&[("main.go", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("zero", "nil")).await;
        assert!(text.contains("'nil' of the language is used here, and would be hidden"), "{text}");
    });
}

#[test]
fn an_error_that_is_written_out_is_told() {
    let main = "package main\n\nimport \"encoding/json\"\n\ntype fault struct {\n\tCode int\n}\n\nfunc (f fault) Error() string { return \"\" }\n\n\
        func get() (int, error) { return 0, fault{Code: 4} }\n\nfunc main() {\n\tn, err := get()\n\tb, _ := json.Marshal(err)\n\t_, _ = b, n\n}\n";
    for (written, is_told) in [("err", true), ("n", false)] {
        let main = main.replace("Marshal(err)", &format!("Marshal({written})"));
        play(&[("main.go", main.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename("fault/Code", "Status")).await;
            assert_eq!(
                text.contains("an error is written out here, with the field 'Code'"),
                is_told,
                "{text}"
            );
            assert_eq!(text.ends_with(DOUBT), is_told, "{text}");
        });
    }
}

#[test]
fn a_value_that_is_written_out_as_an_interface_is_told() {
    let main = "package main\n\nimport \"encoding/json\"\n\ntype shape interface{ Area() int }\n\ntype square struct {\n\tSide int\n}\n\n\
        func (s square) Area() int { return s.Side }\n\nfunc write(s shape) []byte {\n\tb, _ := json.Marshal(s)\n\treturn b\n}\n";
    play(&[("main.go", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.done("rename_symbol", rename("square/Side", "Edge")).await;
        assert!(text.contains("code here may read the name 'Side'") && text.ends_with(DOUBT), "{text}");
    });
}
