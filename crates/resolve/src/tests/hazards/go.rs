//! Effects of renames in Go that no use of the name shows.

use super::check;

const MAIN: &str = "//- main.go\npackage main\n";

#[test]
fn fields_that_encoders_read() {
    let json = "//- a.go\npackage m\nimport \"encoding/json\"\ntype Inner struct { $0Street string }\ntype Outer struct { In []*Inner }\n\
        func load() *Outer { return nil }\nfunc dump() { json.Marshal(load()) }\nfunc other(n int) { json.Marshal(n) }\n";
    check("Road", json, &["doubt a.go:6"]);
    check("Road", &json.replace("Street string", "Street string `json:\"street\"`"), &[]);
    check("road", &json.replace("Street string", "Street string `json:\"street\"`"), &["doubt a.go:6"]);
    check("road", &json.replace("$0Street", "$0street"), &[]);
    check("Road", &json.replace("encoding/json", "example.org/lines"), &[]);
    let forwarded = "//- a.go\npackage m\nimport \"encoding/json\"\nfunc save(v any) { json.Marshal(v) }\n\
        //- b.go\npackage m\ntype Inner struct { $0Street string }\nfunc f(x Inner) { save(x) }\nfunc g(n int) { save(n) }\n";
    check("Road", forwarded, &["doubt b.go:3"]);
    let interface = forwarded
        .replace("v any", "v Sized")
        .replace("package m\ntype", "package m\ntype Sized interface{ Size() int }\ntype");
    check("Road", &interface, &["doubt b.go:4"]);
}

#[test]
fn fields_and_types_that_are_printed() {
    let print = |what: &str, verb: &str| {
        format!(
            "{MAIN}import \"fmt\"\n{what}\nfunc f(p Page, err error) {{ fmt.Printf(\"{verb}\\n\", p) }}\n\
            func g(p Page, err error) {{ fmt.Printf(\"{verb}\", err) }}\nfunc h(n int) {{ fmt.Printf(\"{verb}\", n) }}\n"
        )
    };
    let field = "type Page struct { $0title string }";
    check("name", &print(field, "%+v"), &["doubt main.go:4"]);
    check("name", &print(field, "%#v"), &["doubt main.go:4"]);
    check("name", &print(field, "%v"), &[]);
    check("name", &print(field, ") %+v"), &["doubt main.go:4 main.go:5"]);
    check("Leaf", &print("type $0Page struct { title string }", "%T"), &["doubt main.go:4"]);
    let switch = format!(
        "{MAIN}type $0Page struct{{}}\nfunc f(x any) {{\n switch x.(type) {{\n case Page:\n default:\n  panic(fmt.Sprintf(\"%T\", x))\n }}\n}}\n"
    );
    check("Leaf", &switch, &[]);
}

#[test]
fn names_that_reflect_reads() {
    let fixture = |kind: &str| {
        format!(
            "{MAIN}import \"reflect\"\ntype Page struct {{ Title string }}\nfunc (p Page) $0Show() {{}}\n\
            func f(p Page) {{ reflect.ValueOf(p).{kind}(\"S\" + \"how\") }}\n"
        )
    };
    check("Tell", &fixture("MethodByName"), &["doubt main.go:5"]);
    check("Tell", &fixture("FieldByName"), &[]);
    let frames =
        format!("{MAIN}import \"runtime\"\nfunc $0work() {{ runtime.Caller(0) }}\nfunc rest() {{}}\n");
    check("toil", &frames, &["doubt main.go:3"]);
}

#[test]
fn methods_that_the_library_asks_for() {
    let becomes = format!("{MAIN}type P int\nfunc (p P) $0Text() string {{ return \"\" }}\n");
    check("String", &becomes, &["doubt main.go:3"]);
    check("Label", &becomes, &[]);
    check("String", &becomes.replace("() string", "(n int) string"), &[]);
    let flag = format!(
        "{MAIN}import \"flag\"\ntype list []string\nfunc (l *list) String() string {{ return \"\" }}\nfunc (l *list) $0Set(s string) error {{ return nil }}\n"
    );
    check("Put", &flag, &["breaks main.go:5"]);
    check("Put", &flag.replace("\"flag\"", "\"os\""), &[]);
    check("Put", &flag.replace("String()", "Text()"), &[]);
}

#[test]
fn interfaces_that_values_are_asked_for() {
    let fixture = format!(
        "{MAIN}type Runner interface {{ Run() string }}\ntype A struct{{}}\nfunc (A) $0Go() string {{ return \"\" }}\n\
        func try(x any) {{ r, ok := x.(Runner) }}\n"
    );
    check("Run", &fixture, &["doubt main.go:5"]);
    check("Walk", &fixture, &[]);
    check("Run", &fixture.replace("Run() string }", "Run() string; Stop() }"), &[]);
}

#[test]
fn structs_that_are_converted() {
    let fixture = format!(
        "{MAIN}type A struct {{ $0Len int }}\ntype B struct {{ Len int }}\nfunc f(a A) B {{ return B(a) }}\n"
    );
    check("Size", &fixture, &["doubt main.go:4"]);
    check("Size", &fixture.replace("B struct { Len int", "B struct { Len int; More int"), &[]);
}

#[test]
fn names_of_packages_and_of_tests() {
    let global = format!("{MAIN}var $0words = 1\n//- b.go\npackage main\nimport \"strings\"\n");
    check("strings", &global, &["breaks b.go:2"]);
    check("strings", &global.replace("//- b.go\npackage main", "//- b.go\npackage main_test"), &[]);
    check("init", &format!("{MAIN}func $0setup() {{}}\n"), &["breaks"]);
    let test = "//- a_test.go\npackage m\nimport \"testing\"\nfunc $0check(t *testing.T, n int) {}\n";
    check("TestHelper", test, &["breaks"]);
    check("Testify", test, &[]);
    let example = "//- a.go\npackage m\nfunc $0Reverse() {}\n//- a_test.go\npackage m\nfunc ExampleReverse() {}\n\
        func ExampleReverse_twice() {}\nfunc ExampleReversed() {}\n";
    check("Turn", example, &["doubt a_test.go:2 a_test.go:3"]);
}

#[test]
fn types_that_structs_embed() {
    let fixture = format!(
        "{MAIN}import \"encoding/json\"\ntype $0Base map[string]int\ntype D struct {{\n\tBase\n\tM int\n}}\nfunc f(d D) {{ json.Marshal(d) }}\n"
    );
    check("Core", &fixture, &["doubt main.go:8"]);
    check("Core", &fixture.replace("map[string]int", "struct { n int }"), &[]);
    check("core", &fixture.replace("map[string]int", "struct { n int }"), &["doubt main.go:8"]);
}
