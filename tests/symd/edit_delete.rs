//! What safe_delete deletes together, and what it counts as a use, through the real daemon.

use serde_json::json;

use super::edit_agent::{Agent, put, text_of};
use crate::support::User;

const SETS: &str = "from typing import overload\n\n\nclass F:\n    @overload\n    def g(self, a: int) -> int: ...\n\n    @overload\n    def g(self, a: str) -> str: ...\n\n    def g(self, a):\n        return a\n\n    @property\n    def v(self):\n        return 1\n\n    def kept(self):\n        pass\n\n    @v.setter\n    def v(self, value):\n        pass\n\n    @v.deleter\n    def v(self):\n        pass\n\n\nclass Only:\n    @property\n    def w(self):\n        return 1\n\n    @w.setter\n    def w(self, value):\n        pass\n";

#[test]
fn declarations_that_are_one_thing_are_deleted_together() {
    let user = User::new();
    put(&user, "sets.py", SETS);
    put(
        &user,
        "over.ts",
        "export function over(a: number): number;\nexport function over(a: string): string;\nexport function over(a: any): any { return a }\n\nexport class C {\n  get p() { return 1 }\n  set p(v) {}\n  n() {}\n}\n",
    );
    put(
        &user,
        "Shop.java",
        "class Shop {\n    int size(int a) { return 1; }\n    int size() { return 2; }\n}\n",
    );
    let mut agent = Agent::new(&user, "native");
    for one in ["F/g[0]", "F/g[2]", "F/v[1]"] {
        let told = agent.refused("safe_delete", json!({ "name_path": one }));
        assert!(told.starts_with(&format!("{one} in sets.py is still used; ")), "{told}");
    }
    let told = agent.refused("safe_delete", json!({ "name_path": "Shop/size" }));
    assert!(told.starts_with("2 symbols match 'Shop/size'; "), "{told}");
    let told = agent.refused("safe_delete", json!({ "name_path": "Only/w" }));
    assert!(told.starts_with("'Only/w[0]' is the only statement of its block at sets.py:31"), "{told}");
    // A use outside the set.
    put(&user, "use.py", "from sets import F\n\nF().g(1)\n");
    let told = agent.refused("safe_delete", json!({ "name_path": "F/g" }));
    assert!(told.contains("is still used; ") && told.contains("use.py"), "{told}");
    std::fs::remove_file(user.path("project/use.py")).unwrap();
    let told = agent.done("safe_delete", json!({ "name_path": "F/g" }));
    assert!(told.starts_with("sets.py +0 -9\n[operation "), "{told}");
    let set = SETS.find("    @overload").unwrap()..SETS.find("    @property").unwrap();
    let mut expected = SETS.to_owned();
    expected.replace_range(set, "");
    assert_eq!(text_of(&user, "sets.py"), expected);
    // Other members are between its parts.
    agent.done("safe_delete", json!({ "name_path": "F/v" }));
    let class = "class F:\n    def kept(self):\n        pass\n\n\nclass Only";
    assert!(text_of(&user, "sets.py").contains(class), "{}", text_of(&user, "sets.py"));
    agent.done("safe_delete", json!({ "name_path": "over" }));
    agent.done("safe_delete", json!({ "name_path": "C/p" }));
    assert_eq!(text_of(&user, "over.ts"), "export class C {\n  n() {}\n}\n");
    for _ in 0..4 {
        agent.done("undo", json!({}));
    }
    assert_eq!(text_of(&user, "sets.py"), SETS);
    agent.done("safe_delete", json!({ "name_path": "F/v", "force": true }));
    assert!(!text_of(&user, "sets.py").contains("def v("));
}

#[test]
fn a_declaration_and_its_definition_go_together() {
    let user = User::new();
    put(&user, "a.h", "int alone(int n);\nint kept(void);\n");
    put(
        &user,
        "a.c",
        "#include \"a.h\"\n\nint alone(int n)\n{\n    return n;\n}\n\nint kept(void) { return 1; }\n",
    );
    let mut agent = Agent::new(&user, "native");
    agent.done("safe_delete", json!({ "name_path": "alone" }));
    assert_eq!(text_of(&user, "a.h"), "int kept(void);\n");
    assert_eq!(text_of(&user, "a.c"), "#include \"a.h\"\n\nint kept(void) { return 1; }\n");
}

#[test]
fn what_another_language_reaches_by_an_accessor_is_used() {
    let user = User::new();
    let kotlin = "package p\n\nclass B {\n    var flag = true\n\n    @get:JvmName(\"size\")\n    val count = 1\n\n    val spare = 2\n}\n\nval lone = 1\n\nval free = 2\n\nfun f(j: J) = j.width\n";
    let java = "package p;\nclass J {\n    int x(B b) {\n        b.setFlag(true);\n        return b.size() + AKt.getLone();\n    }\n\n    int getWidth() { return 1; }\n\n    int getSpare() { return 2; }\n}\n";
    put(&user, "A.kt", kotlin);
    put(&user, "J.java", java);
    let mut agent = Agent::new(&user, "native");
    for (name, place) in
        [("B/flag", "J.java:4"), ("B/count", "J.java:5"), ("lone", "J.java:5"), ("J/getWidth", "A.kt:16")]
    {
        let told = agent.refused("safe_delete", json!({ "name_path": name }));
        assert!(told.contains(" is still used; nothing was written; "), "{name}: {told}");
        // What declared types tell is a use; what they do not is told apart.
        assert!(told.contains(&format!("\n{place}")), "{name}: {told}");
    }
    // A declaration elsewhere with the same name is not a use.
    agent.done("safe_delete", json!({ "name_path": "B/spare" }));
    agent.done("safe_delete", json!({ "name_path": "free" }));
    agent.done("safe_delete", json!({ "name_path": "B/flag", "force": true }));
    assert!(!text_of(&user, "A.kt").contains("flag") && !text_of(&user, "A.kt").contains("spare"));
}

#[test]
fn what_computes_names_or_counts_positions_is_told() {
    let user = User::new();
    put(&user, "a.rs", "enum E {\n    A,\n    B,\n}\n\nfn f() -> u8 {\n    E::B as u8\n}\n");
    put(
        &user,
        "a.go",
        "package a\n\ntype B struct{}\n\ntype S struct {\n\tX int\n\tY int\n\tB\n}\n\nvar s = []S{{1, 2, B{}}}\n",
    );
    put(
        &user,
        "a.py",
        "import ast\n\n\nclass C:\n    def run(self, x):\n        return getattr(self, f\"do_{x}\")()\n\n    def do_help(self):\n        return 1\n\n    def other(self):\n        return 1\n\n\nclass V(ast.NodeVisitor):\n    def visit_Num(self, node):\n        return 2\n",
    );
    let mut agent = Agent::new(&user, "native");
    for (name, why) in [
        ("E/A", "which 'E::B as u8' at a.rs:7 reads"),
        ("S/Y", "'var s = []S{{1, 2, B{}}}' at a.go:11 gives the fields by position"),
        ("S/B", "it embeds its type, "),
        ("C/do_help", "its class reaches members by computed names, "),
        ("V/visit_Num", "ast.NodeVisitor finds it by its name"),
    ] {
        let told = agent.refused("safe_delete", json!({ "name_path": name }));
        assert!(told.contains(" counts as used: ") && told.contains(why), "{name}: {told}");
    }
    agent.done("safe_delete", json!({ "name_path": "C/other" }));
}

#[test]
fn what_holds_members_that_are_reached_past_it_is_used_by_them() {
    let user = User::new();
    let companions = "interface Factory { fun create(): Int }\n\nclass Made {\n    companion object {\n        fun of() = 1\n    }\n}\n\n\
        class Given {\n    companion object : Factory {\n        override fun create() = 2\n    }\n}\n\n\
        class Marked {\n    companion object\n}\n\nfun Marked.Companion.mark() = 3\n\n\
        class Idle {\n    companion object Unused {\n        fun of() = of2()\n        private fun of2() = 4\n    }\n}\n\n\
        fun use(factory: Factory) = factory.create() + Made.of()\n\nval used = use(Given)\n";
    put(&user, "A.kt", companions);
    put(
        &user,
        "a.rs",
        "struct Size;\n\nimpl Size {\n    fn area(&self) -> u8 { 1 }\n}\n\nimpl Default for Size {\n    fn default() -> Size { Size }\n}\n\n\
            struct Bare;\n\nimpl Bare {\n    fn lone() -> u8 { 2 }\n}\n\nfn f() -> u8 { Size.area() }\n",
    );
    let mut agent = Agent::new(&user, "native");
    for (holder, user) in [
        ("Made/Companion", "Made/Companion/of in A.kt is still used; "),
        ("Given/Companion", "Given/Companion in A.kt is still used; "),
        ("Marked/Companion", "Marked/Companion in A.kt is still used; "),
        ("impl Size", "impl Size/area in a.rs is still used; "),
        ("impl Default for Size", "impl Default for Size in a.rs counts as used: it implements Default, "),
    ] {
        let told = agent.refused("safe_delete", json!({ "name_path": holder }));
        assert!(told.starts_with(user), "{told}");
    }
    let uses = agent.done("find_referencing_symbols", json!({ "name_path": "Given/Companion" }));
    assert!(uses.starts_with("A.kt:30 in used: val used = use(Given)\n"), "{uses}");
    let told = agent.refused("rename_symbol", json!({ "name_path": "Made/Companion", "new_name": "Named" }));
    assert_eq!(told, "Made/Companion in A.kt has no name in the text; give it one there, then rename that");
    agent.done("safe_delete", json!({ "name_path": "Idle/Unused" }));
    agent.done("safe_delete", json!({ "name_path": "impl Bare" }));
}
