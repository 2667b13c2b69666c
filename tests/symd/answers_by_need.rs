//! The first answer of a daemon that has read nothing yet, about uses, callers, types and definitions, is the one that it
//! gives when it has read everything.

use std::fmt::Write as _;

use crate::support::{User, write};

/// Files that have nothing to do with what is asked.
const OTHERS: usize = 400;

fn project() -> User {
    let user = User::new();
    // No server of this machine must be found: a question that may ask one waits for every file.
    let languages = ["python", "kotlin", "typescript"]
        .map(|name| format!("[[language]]\nname = \"{name}\"\nlanguage-servers = []\n"));
    write(&user.path("config/languages.toml"), &languages.join("\n"));
    let file = |path: &str, text: &str| {
        let path = user.path(&format!("project/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    };
    for number in 0..OTHERS {
        let mut text = format!("import os\nfrom .m{} import *\n\n\nclass Model{number}:\n", number / 2);
        for member in 0..30 {
            let _ =
                writeln!(text, "    def field_{member}(self, value):\n        return self.other(value)\n");
        }
        file(&format!("app/d{}/m{number}.py", number / 40), &text);
    }
    file("app/__init__.py", "from .core import *\n");
    file("app/core.py", "from .deep.base import Base\n\n\nclass Service(Base):\n    pass\n");
    file("app/deep/__init__.py", "");
    file(
        "app/deep/base.py",
        "class Base:\n    def validate(self, value):\n        return check(value)\n\n\ndef check(value):\n    return value\n",
    );
    file(
        "app/d1/uses.py",
        "from app import Service\nfrom app.deep.base import check as look\n\n\nclass Special(Service):\n    \
         def go(self):\n        self.validate(1)\n        return look(2)\n\n\ndef start(service: Service):\n    \
         service.validate(3)\n    Special().validate(4)\n",
    );
    let wide = "from app.deep.base import check\ncheck(5)\n".encode_utf16();
    let wide: Vec<u8> = std::iter::once(0xFEFF).chain(wide).flat_map(u16::to_le_bytes).collect();
    std::fs::write(user.path("project/app/d2/wide.py"), wide).unwrap();
    file(
        "k/Clock.kt",
        "package k\nclass Clock { companion object { fun now() = 1 } }\nfun `at noon`() = Clock.now()\n",
    );
    file(
        "k/b/Use.kt",
        "package k.b\nimport k.Clock\nimport k.`at noon`\nval x = Clock.now() + `at noon`()\n",
    );
    file("t/a.ts", "export function walk() { return 1; }\n");
    file("t/b.ts", "export { walk as run } from './a';\nexport * from './a';\n");
    file("t/c.ts", "import { run } from './b';\nimport { walk } from './b';\nrun() + walk();\n");
    user
}

const QUESTIONS: [&[&str]; 14] = [
    &["refs", "check"],
    &["refs", "Base/validate"],
    &["refs", "Service"],
    &["refs", "Companion/now"],
    &["refs", "at noon"],
    &["refs", "walk"],
    &["callers", "check", "--depth", "3"],
    &["callers", "Base/validate", "--depth", "2"],
    &["callees", "start"],
    &["callees", "Special/go", "--depth", "2"],
    &["def", "app/d1/uses.py:12", "validate"],
    &["def", "k/b/Use.kt:4", "now"],
    &["hover", "app/d1/uses.py:8", "look"],
    &["call", "type_hierarchy", "{\"name_path\": \"Base\", \"direction\": \"subtypes\", \"depth\": 3}"],
];

#[test]
fn a_daemon_that_has_read_nothing_answers_as_one_that_has_read_everything() {
    let user = project();
    let answers: Vec<String> = QUESTIONS
        .into_iter()
        .map(|question| {
            user.run(&["stop"]);
            let _ = std::fs::remove_dir_all(user.path("cache"));
            user.check(question, 0)
        })
        .collect();
    // Needs every file.
    user.check(&["impact", "check"], 0);
    assert_eq!(user.status()["ready"], true);
    for (question, first) in QUESTIONS.into_iter().zip(answers) {
        assert_eq!(first, user.check(question, 0), "{question:?}");
        assert!(!first.contains("0 references"), "{question:?}: {first}");
    }
}
