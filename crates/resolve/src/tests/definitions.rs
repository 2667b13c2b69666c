//! Goto-definition.

use super::defined;

#[test]
fn python() {
    let base = "//- a.py\ndef f(size): return size\nclass A:\n    def m(self): pass\n//- p/__init__.py\nfrom a import f, A\n";
    let at = |text: &str| defined(&format!("{base}//- b.py\nimport os\nfrom p import f, A\n{text}\n"));
    assert_eq!(at("$0f(1)"), ["a.py:1"]);
    assert_eq!(at("f($0size=1)"), ["a.py:1"]);
    assert_eq!(at("class B(A):\n    def n(self): self.$0m()"), ["a.py:3"]);
    assert_eq!(at("def g(x): x.$0m()"), ["a.py:3 ?"]);
    assert_eq!(at("def g(f): return $0f"), ["b.py:3"]);
    assert_eq!(at("os.$0path"), [""; 0]);
    assert_eq!(at("'$0f'"), [""; 0]);
    assert_eq!(at("f$0(1)"), ["a.py:1"]);
    assert_eq!(at("$0unknown"), [""; 0]);
    assert_eq!(defined("//- a.py\ndef f(): pass\n//- b.py\nfrom a import $0f\n"), ["a.py:1"]);
    assert_eq!(defined("//- a.py\ndef $0f(): pass\n"), ["a.py:1"]);
}

#[test]
fn several_declarations_the_fitting_first() {
    let fixture = "//- a.py\ndef save(): pass\n//- b.py\nclass B:\n    def save(self): pass\n\
        //- c.py\ndef f(x): x.$0save()\n";
    assert_eq!(defined(fixture), ["b.py:2 ?", "a.py:1 ?"]);
}

#[test]
fn kotlin_and_typescript() {
    let kotlin = "//- p/A.kt\npackage p\nclass A(val size: Int)\n//- q/B.kt\npackage q\nimport p.A\n";
    assert_eq!(defined(&format!("{kotlin}val a = $0A(1)\n")), ["p/A.kt:2"]);
    assert_eq!(defined(&format!("{kotlin}val a = A($0size = 1)\n")), ["p/A.kt:2"]);
    assert_eq!(defined(&format!("{kotlin}fun f(A: Int) = $0A\n")), [""; 0]);
    let fixture = "//- a.ts\nexport function f() {}\n//- index.ts\nexport { f } from './a';\n\
        //- b.ts\nimport { f } from '.';\n$0f();\n";
    assert_eq!(defined(fixture), ["a.ts:1"]);
}

#[test]
fn contracts_of_other_files_show_the_type_of_a_value() {
    let base = "//- shapes/Shapes.kt\npackage shapes\nopen class Shape\n\
        class Circle : Shape() { val radius = 1 }\n\
        class Square : Shape() { val radius = 2 }\n\
        //- shapes/Checks.kt\npackage shapes\n\
        fun Shape.requireCircle() { contract { returns() implies (this@requireCircle is Circle) } }\n\
        fun requireSquare(shape: Shape) { contract { returns() implies (shape is Square) } }\n\
        class Checks { fun mustBeCircle(shape: Shape) { contract { returns() implies (shape is Circle) } } }\n\
        //- shapes/Silent.kt\npackage shapes\nfun requireNothing(shape: Shape) { println(shape) }\n";
    let within = |import: &str, call: &str| {
        defined(&format!(
            "{base}//- Use.kt\nimport shapes.*\n{import}\nfun use(shape: Shape) {{ {call}; shape.$0radius }}\n"
        ))
    };
    assert_eq!(within("", "shape.requireCircle()"), ["shapes/Shapes.kt:3"]);
    assert_eq!(within("", "requireSquare(shape)"), ["shapes/Shapes.kt:4"]);
    assert_eq!(within("", "Checks().mustBeCircle(shape)"), ["shapes/Shapes.kt:3"]);
    assert_eq!(within("import shapes.requireSquare as must", "must(shape)"), ["shapes/Shapes.kt:4"]);
    assert_ne!(within("", "requireNothing(shape)"), ["shapes/Shapes.kt:3"]);
    assert_ne!(within("", "requireNothing(shape)"), ["shapes/Shapes.kt:4"]);
}
