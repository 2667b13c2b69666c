//! Renames in C and C++ of names that macros, the compiler, the library and templates read: each case was once called complete, and
//! broke the program.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

const DOUBT: &str = "incomplete: a note says what is in doubt]";

fn rename(file: &str, name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": file, "new_name": new_name })
}

/// Renames in one program each, and what is told: a part of a note, or nothing where the answer is complete.
fn check(file: &str, cases: &[(&str, &str, &str, Option<&str>)]) {
    for (main, name_path, new_name, note) in cases {
        play(&[(file, main.as_bytes())], Answers::NoServer, async |stage| {
            let text = stage.done("rename_symbol", rename(file, name_path, new_name)).await;
            match note {
                Some(note) => assert!(text.contains(note) && text.ends_with(DOUBT), "{main}\n{text}"),
                None => assert!(text.ends_with("complete]") && !text.ends_with(DOUBT), "{main}\n{text}"),
            }
        });
    }
}

#[test]
fn names_that_macros_and_the_compiler_spell_are_told() {
    let turned = Some("turns 'worker' into a text here");
    check(
        "main.c",
        &[
            (
                "#define CHECK(c) if (!(c)) puts(#c)\n#define VERIFY(c) CHECK(c)\nint puts(const char *);\nstatic int worker(void) { return 1; }\n\
                 int main(void) { VERIFY(worker()); return 0; }\n",
                "worker",
                "runner",
                turned,
            ),
            (
                "#define LOG() puts(__func__)\nint puts(const char *);\nstatic void worker(void) { LOG(); }\nint main(void) { worker(); return 0; }\n",
                "worker",
                "runner",
                turned,
            ),
            // The macro gets another name, and pastes what it is given.
            (
                "#define CHECK(c) if (!(c)) puts(#c)\n#define JOIN(a, b) a##b\nint puts(const char *);\nstatic int worker(void) { return 1; }\n\
                 int main(void) { int n = worker(); CHECK(n); return JOIN(n, ); }\n",
                "worker",
                "runner",
                None,
            ),
        ],
    );
}

#[test]
fn a_function_of_an_included_header_is_not_declared_again() {
    let main = "#include <stdio.h>\n\nstatic void show(const char *s) { printf(\"<%s>\", s); }\n\nint main(void) { show(\"a\"); return 0; }\n";
    play(&[("main.c", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("main.c", "show", "puts")).await;
        assert!(text.contains("<stdio.h> declares a function 'puts'") && text.contains("main.c:1"), "{text}");
        // The header of that one is not included, and the function is the file's own.
        let text = stage.done("rename_symbol", rename("main.c", "show", "floor")).await;
        assert!(text.ends_with("complete]") && !text.ends_with(DOUBT), "{text}");
    });
    let main = "int log_it(int x) { return x; }\n\nint main(void) { return log_it(0); }\n";
    play(&[("main.c", main.as_bytes())], Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", rename("main.c", "log_it", "abs")).await;
        assert!(text.contains("which this one would replace for the whole program"), "{text}");
    });
}

#[test]
fn names_that_the_linker_is_asked_for_are_told() {
    let main = "#include <dlfcn.h>\n\nint plugin_init(void) { return 4; }\n\nchar *joined(const char *, const char *);\n\n\
        int main(void) { return dlsym(0, joined(\"plugin\", \"_init\")) != 0; }\n";
    let computed = main.replace("dlsym(0, joined(\"plugin\", \"_init\"))", "find()")
        + "void *find(void) { char *name = joined(\"plugin\", \"_init\"); return dlsym(0, name); }\n";
    check(
        "main.c",
        &[(&computed, "plugin_init", "plugin_start", Some("a name that is put together is looked up here"))],
    );
}

#[test]
fn names_that_the_language_and_templates_call_are_told() {
    let swap = "#include <utility>\n\nnamespace lib {\nstruct M {\n    int c;\n};\n\nvoid exchange(M &a, M &b) {\n    a.c = b.c;\n}\n}\n\n\
        template <class T> void turn(T &a, T &b) {\n    using std::swap;\n    swap(a, b);\n}\n";
    let range = "struct Range {\n    int lo, hi;\n\n    int *begin() const { return nullptr; }\n    int *end() const { return nullptr; }\n};\n\n\
        int sum(const Range &r) {\n    int s = 0;\n    for (int x : r) s += x;\n    return s;\n}\n";
    let typed =
        "#include <typeinfo>\n\nstruct Widget {};\n\nconst char *name() { return typeid(Widget).name(); }\n";
    let asked = "#include <utility>\n\nstruct C {\n    void store() {}\n};\n\ntemplate <class T> using saved = decltype(std::declval<T &>().save());\n";
    check(
        "main.cpp",
        &[
            (swap, "lib/exchange", "swap", Some("this call may mean the function under its new name 'swap'")),
            (swap, "lib/exchange", "trade", None),
            (range, "Range/begin", "first", Some("a loop over a range calls 'begin' of what it loops over")),
            (typed, "Widget", "Gadget", Some("turns 'Widget' into a text here")),
            (asked, "C/store", "save", Some("types are asked here for a member")),
            (asked, "C/store", "keep", None),
        ],
    );
}
