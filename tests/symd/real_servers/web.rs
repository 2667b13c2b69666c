//! TypeScript 7's own server: .ts, .tsx and .js of one project.

use serde_json::json;

use super::Real;
use crate::servers::real_program;

const PROJECT: &str = r#"
//- tsconfig.json
{ "compilerOptions": { "allowJs": true, "checkJs": true, "jsx": "preserve", "module": "esnext", "moduleResolution": "bundler", "strict": true, "noEmit": true } }
//- src/lib.ts
export interface Shape {
    area(): number;
}

export class Square implements Shape {
    constructor(private side: number) {}

    area(): number {
        return square(this.side);
    }
}

export function square(x: number): number {
    return x * x;
}
//- src/view.tsx
import { Shape, square as power } from "./lib";

export function View(props: { shape: Shape }) {
    return power(props.shape.area());
}
//- src/old.js
import { Square, square } from "./lib";

export function old() {
    return square(new Square(2).area());
}
"#;

const LANGUAGES: [(&str, &str); 2] = [("typescript", "tsc"), ("javascript", "tsc")];

fn project() -> Option<Real> {
    if !real_program("node") {
        return None;
    }
    Some(Real::new(&LANGUAGES)?.with(PROJECT))
}

#[test]
fn references_across_its_languages() {
    let Some(real) = project() else { return };
    assert_eq!(
        real.all_references("tsc", "square"),
        [
            "src/lib.ts:9",
            "src/old.js:1",
            "src/old.js:4",
            "src/view.tsx:1",
            "src/view.tsx:1",
            "src/view.tsx:4"
        ],
        "the name it is imported under, too"
    );
    assert_eq!(real.references("tsc", "Shape"), ["src/lib.ts:5", "src/view.tsx:1", "src/view.tsx:3"]);
    // From a symbol of the JavaScript file.
    real.write("src/more.ts", "import { old } from \"./old\";\n\nold();\n");
    assert_eq!(real.all_references("tsc", "old"), ["src/more.ts:1", "src/more.ts:3"]);
    std::fs::remove_file(real.path("src/more.ts")).unwrap();
    assert_eq!(real.references("tsc", "old"), [""; 0]);
}

#[test]
fn definitions_calls_and_implementations() {
    let Some(real) = project() else { return };
    let at = json!({ "relative_path": "src/view.tsx", "line": 4, "name": "power" });
    assert_eq!(real.places("tsc", "find_definition", "definitions", at), ["src/lib.ts:13"]);
    let callers = real.ask("find_callers", json!({ "name_path": "square" }));
    assert_eq!(callers["source"], "tsc", "{callers:#}");
    let mut names: Vec<&str> =
        callers["callers"].as_array().unwrap().iter().map(|one| one["name_path"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Square/area", "View", "old"], "{callers:#}");
    let callees = json!({ "name_path": "old" });
    let callees = real.places("tsc", "find_callees", "callees", callees);
    assert!(callees.contains(&"src/lib.ts:13".to_owned()), "{callees:?}");
    let implementations = json!({ "name_path": "Shape" });
    assert_eq!(
        real.places("tsc", "find_implementations", "implementations", implementations),
        ["src/lib.ts:5"]
    );
    let wrong = json!({ "relative_path": "src/wrong.ts" });
    real.write("src/wrong.ts", "import { square } from \"./lib\";\n\nsquare(\"two\");\n");
    let wrong = real.ask("diagnostics", wrong);
    assert_eq!(super::places(&wrong["diagnostics"]), ["src/wrong.ts:3"], "{wrong:#}");
}
