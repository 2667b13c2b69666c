//! Tests: the imports of each language, as read back from the packed form.

use super::*;
use crate::{Grammar, outline};
use symd_base::Cancel;

/// Returns one text per import: `kind module.name as alias`.
fn imports(grammar: &str, text: &str) -> Vec<String> {
    let grammar = Grammar::named(grammar).expect("is there");
    let outline = outline(grammar, text, &Cancel::new()).expect("not cancelled");
    assert!(!outline.has_errors, "{grammar:?}: {text}");
    let mut shown = Vec::new();
    for import in outline.imports.unpack().iter() {
        let statement = &text[import.statement.as_range()];
        assert_eq!(statement, statement.trim(), "{grammar:?}: {statement:?}");
        let name = match import.imported {
            Imported::Module => String::new(),
            Imported::Everything => " *".to_owned(),
            Imported::Name(name) => format!(" {name}"),
        };
        let alias = import.alias.map(|alias| format!(" as {alias}")).unwrap_or_default();
        let kind = format!("{:?}", import.kind).to_lowercase();
        shown.push(format!("{kind} {}{name}{alias}", import.module));
    }
    shown
}

#[test]
fn python() {
    let text = "import os, a.b as c\nfrom . import x\nfrom ..p.q import (\n    y as z,  # why\n    w,\n)\n\
                from m import *\ndef f():\n    from late import v\nif TYPE_CHECKING:\n    from t import T\n";
    assert_eq!(
        imports("python", text),
        [
            "import os",
            "import a.b as c",
            "import . x",
            "import ..p.q y as z",
            "import ..p.q w",
            "import m *",
            "import late v",
            "import t T"
        ]
    );
}

#[test]
fn python_with_crlf_and_astral_characters() {
    let text = "s = '\u{1F600}'\r\nfrom a import (b,\r\n  c)\r\n";
    let grammar = Grammar::named("python").expect("is there");
    let outline = outline(grammar, text, &Cancel::new()).expect("not cancelled");
    let found: Vec<&str> =
        outline.imports.unpack().iter().map(|import| &text[import.statement.as_range()]).collect();
    assert_eq!(found, ["from a import (b,\r\n  c)"; 2]);
}

#[test]
fn kotlin_and_java() {
    let text = "package a.b\n\nimport c.D\nimport c.*\nimport c.`fun` as e\nimport c.D as `the d`\nimport top\n\nclass X\n";
    assert_eq!(
        imports("kotlin", text),
        [
            "package a.b",
            "import c D",
            "import c *",
            "import c fun as e",
            "import c D as the d",
            "import  top"
        ]
    );
    let text = "package a.b;\nimport c.D;\nimport static c.D.e;\nimport c.*;\nclass X {}\n";
    assert_eq!(imports("java", text), ["package a.b", "import c D", "import c.D e", "import c *"]);
}

#[test]
fn ecma_script() {
    let text = "import d, { a, b as c } from './m';\nimport * as n from \"../n.js\";\nimport './side';\n\
                export { x as y, z } from './z';\nexport * from './s';\nexport * as t from './t';\n\
                export { d };\nexport default a;\nconst q = require('q');\nconst { r, s: u } = require('./r');\n\
                const v = other('w');\n";
    let expected = [
        "import ./m default as d",
        "import ./m a",
        "import ./m b as c",
        "import ../n.js as n",
        "export ./z x as y",
        "export ./z z",
        "export ./s *",
        "export ./t as t",
        "export  d",
        "export  a as default",
        "import q as q",
        "import ./r r",
        "import ./r s as u",
    ];
    for grammar in ["javascript", "typescript", "tsx"] {
        assert_eq!(imports(grammar, text), expected, "{grammar}");
    }
    let text = "import type { A } from './a';\nimport e = require('e');\nexport default class B {}\n\
                export default function f() {}\n";
    assert_eq!(
        imports("typescript", text),
        ["import ./a A", "import e as e", "export  B as default", "export  f as default"]
    );
}

#[test]
fn rust_and_go() {
    let text = "use a::{b, c::{self, D as E}};\npub use super::f::*;\nuse g;\nextern crate h as i;\n";
    assert_eq!(
        imports("rust", text),
        [
            "import a b",
            "import a::c",
            "import a::c D as E",
            "import super::f *",
            "import  g",
            "import h as i"
        ]
    );
    let text = "package p\n\nimport (\n\t\"fmt\"\n\tx \"a.org/b/c\"\n\t. \"d\"\n\t_ \"e\"\n)\n";
    assert_eq!(
        imports("go", text),
        ["package p", "import fmt", "import a.org/b/c as x", "import d *", "import e"]
    );
}

#[test]
fn csharp_and_c() {
    let text = "using A.B;\nusing static A.C;\nusing X = A.D;\nnamespace N.M { class E {} }\n";
    assert_eq!(imports("csharp", text), ["import A.B *", "import A.C *", "import A D as X", "package N.M"]);
    let text = "#include \"a/b.h\"\n#include <stdio.h>\n";
    assert_eq!(imports("c", text), ["import a/b.h *", "import stdio.h *"]);
    assert_eq!(imports("cpp", text), ["import a/b.h *", "import stdio.h *"]);
}

#[test]
fn what_is_damaged_is_left_out() {
    let text = "import os\nfrom größe import a, b as c\nfrom größer.d import *\n";
    let sound =
        outline(Grammar::named("python").expect("is there"), text, &Cancel::new()).expect("not cancelled");
    let packed = sound.imports.as_bytes();
    assert_eq!(Imports::from_packed(packed).unpack().iter().count(), 4);
    for cut in 0..packed.len() {
        let list = Imports::from_packed(&packed[..cut]).unpack();
        assert!(list.iter().count() <= 4);
    }
    for at in 0..packed.len() {
        for flip in 0..8 {
            let mut damaged = packed.to_vec();
            damaged[at] ^= 1 << flip;
            let imports = Imports::from_packed(&damaged);
            imports.unpack().iter().for_each(drop);
            imports.statements().for_each(drop);
        }
    }
}

#[test]
fn statements_can_be_had_alone() {
    let text = "import os\n\n\nfrom a import (b,\n    c)\nif x:\n    import d.e as f; import g\n";
    let outline =
        outline(Grammar::named("python").expect("is there"), text, &Cancel::new()).expect("not cancelled");
    let list = outline.imports.unpack();
    let from_list: Vec<_> = list.iter().map(|import| import.statement).collect();
    assert_eq!(outline.imports.statements().collect::<Vec<_>>(), from_list);
    let texts: Vec<&str> = from_list.iter().map(|statement| &text[statement.as_range()]).collect();
    let from = "from a import (b,\n    c)";
    assert_eq!(texts, ["import os", from, from, "import d.e as f", "import g"]);
    assert!(!outline.imports.has_stars());
}

#[test]
fn imports_of_the_square_of_a_texts_length_are_cut_which_is_told() {
    let names: Vec<String> = (0..5_000).map(|number| format!("n{number}")).collect();
    let text = |module: usize| format!("from {} import {}\n", "m".repeat(module), names.join(", "));
    let python = Grammar::named("python").expect("is there");
    let kept = |module: usize| {
        let outline = outline(python, &text(module), &Cancel::new()).expect("not cancelled");
        let list = outline.imports.unpack();
        let bytes: usize = list.iter().map(|import| import.module.len()).sum();
        assert!(bytes <= MAX_IMPORTED_BYTES, "{bytes}");
        (list.iter().count(), outline.has_errors)
    };
    assert_eq!(kept(1_000), (5_000, false));
    let (count, is_told) = kept(5_000);
    assert!(count < 5_000 && is_told, "{count}");
}
