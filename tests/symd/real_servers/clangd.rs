//! clangd: its background index starts with the first document, and no earlier answer is reported as
//! complete.

use serde_json::json;

use super::{Real, places};

const FILES: usize = 24;

/// A header, its source, and sources that use it; all in the compilation database.
fn project() -> Option<Real> {
    let real = Real::new(&[("c", "clangd"), ("cpp", "clangd")])?;
    real.write(
        "shape.h",
        "#pragma once\nstruct Shape {\n  virtual ~Shape() = default;\n  virtual int area() const = 0;\n};\nint power(int x);\n",
    );
    real.write(
        "shape.cpp",
        "#include \"shape.h\"\nstruct Square : Shape {\n  int side = 2;\n  int area() const override { return power(side); }\n};\n\
         int power(int x) { return x * x; }\nint total(const Shape &shape) { return shape.area(); }\n",
    );
    let mut sources = vec!["shape.cpp".to_owned()];
    for number in 0..FILES {
        let name = format!("use{number:02}.cpp");
        real.write(
            &name,
            &format!("#include \"shape.h\"\nint use{number:02}() {{ return power({number}); }}\n"),
        );
        sources.push(name);
    }
    let directory = real.path("").canonicalize().unwrap();
    let entries: Vec<_> = sources
        .iter()
        .map(|file| json!({ "directory": directory, "file": file, "arguments": ["c++", "-std=c++17", "-c", file] }))
        .collect();
    real.write("compile_commands.json", &json!(entries).to_string());
    Some(real)
}

#[test]
fn the_first_answer_is_whole() {
    let Some(real) = project() else { return };
    let found = real.references("clangd", "total");
    assert_eq!(found, [""; 0], "the document that was opened says nothing of the others");
    let answer =
        real.ask("find_referencing_symbols", json!({ "name_path": "power", "relative_path": "shape.cpp" }));
    let uses = places(&answer["references"]);
    let of_others = uses.iter().filter(|place| place.starts_with("use")).count();
    assert_eq!(of_others, FILES, "{answer:#}");
    assert!(uses.contains(&"shape.cpp:4".to_owned()) && uses.contains(&"shape.h:6".to_owned()), "{uses:?}");
}

#[test]
fn one_that_comes_too_early_says_so() {
    let Some(real) = project() else { return };
    loop {
        let ask = json!({ "name_path": "power", "relative_path": "shape.cpp" });
        let answer = real.ask_now("find_referencing_symbols", ask);
        let of_others = places(&answer["references"]).iter().filter(|at| at.starts_with("use")).count();
        let says_so = answer["complete"] == false || answer["maybe_indexing"] == true;
        assert!(of_others == FILES || says_so, "{answer:#}");
        if answer["source"] == "clangd" && answer["maybe_indexing"] == false {
            assert_eq!(of_others, FILES, "{answer:#}");
            break;
        }
    }
}

#[test]
fn definitions_calls_and_types() {
    let Some(real) = project() else { return };
    let at = json!({ "relative_path": "use03.cpp", "line": 2, "name": "power" });
    assert_eq!(real.places("clangd", "find_definition", "definitions", at), ["shape.cpp:6"]);
    let callers = json!({ "name_path": "power", "relative_path": "shape.cpp" });
    let callers = real.places("clangd", "find_callers", "callers", callers);
    assert_eq!(callers.len(), FILES + 1, "{callers:?}");
    let down = json!({ "name_path": "Shape" });
    assert_eq!(real.places("clangd", "type_hierarchy", "subtypes", down), ["shape.cpp:2"]);
    let implementations = json!({ "name_path": "Shape" });
    assert_eq!(
        real.places("clangd", "find_implementations", "implementations", implementations),
        ["shape.cpp:2"]
    );
    let hover = real.ask("hover", json!({ "relative_path": "use03.cpp", "line": 2, "name": "power" }));
    assert!(hover["text"].as_str().unwrap().contains("int power(int x)"), "{hover:#}");
}
