//! Other effects of a new name in Python: each case was once accepted and called complete, and broke the
//! program.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;

const PROJECT: (&str, &[u8]) = ("pyproject.toml", b"[project]\nname = \"lib\"\nversion = \"1\"\n");

fn rename(name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": "lib.py", "new_name": new_name, "wait": "ready" })
}

/// Runs `check` without a server, and with ty.
fn each(lib: &str, user: &str, check: impl AsyncFn(&Stage) + Copy) {
    let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
    play(&files, Answers::NoServer, check);
    if let Some(servers) = real_server("ty") {
        play(&files, Answers::Real(servers), check);
    }
}

fn refuses(lib: &str, user: &str, (name_path, new_name): (&str, &str), why: &str) {
    each(lib, user, async |stage| {
        let mut ask = rename(name_path, new_name);
        // Uses that cannot be checked must not be a reason to reject the rename.
        ask["include"] = json!(["unchecked"]);
        let refused = stage.refused("rename_symbol", ask).await;
        assert!(refused.contains(why), "{refused}");
    });
}

#[test]
fn a_star_import_leaves_out_what_begins_with_an_underscore() {
    let lib = "def foo():\n    return 1\n\n\ndef bar():\n    return 2\n";
    let user = "from lib import *\n\nprint(foo())\n";
    refuses(
        lib,
        user,
        ("foo", "_foo"),
        "`import *` omits '_foo' because of its underscore, but 'foo' is used through",
    );
    each(lib, user, async |stage| {
        let done = stage.done("rename_symbol", rename("bar", "_bar")).await;
        assert!(!done.contains("leaves out"), "{done}");
    });
}

#[test]
fn a_name_that_the_class_makes_its_own_is_not_used_outside() {
    let lib = "class A:\n    def q(self):\n        return 1\n\n    def __priv(self):\n        return self.q()\n\n\ndef top(x: A):\n    return x.q()\n";
    let user = "from lib import A\n\nprint(A()._A__priv())\n";
    refuses(lib, user, ("A/q", "__zz"), "Python makes '__zz' private to the class");
    refuses(
        lib,
        user,
        ("A/__priv", "zz"),
        "it is used outside its class by the mangled name that Python gives '__priv'",
    );
}

#[test]
fn a_member_does_not_come_to_override_a_librarys() {
    let lib = "import threading\n\n\nclass W(threading.Thread):\n    def work(self):\n        return 1\n";
    let why = "'run' would override the member of threading.Thread, which is outside the project";
    refuses(lib, "from lib import W\n\nW().work()\n", ("W/work", "run"), why);
}

#[test]
fn a_class_that_meets_a_protocol_keeps_its_members() {
    let lib = "from typing import Protocol\n\n\nclass P(Protocol):\n    def go(self) -> int: ...\n\n\nclass Impl:\n    def go(self) -> int:\n        return 1\n";
    let user = "from lib import Impl, P\n\n\ndef f(x: P):\n    return x.go()\n\n\nf(Impl())\n";
    refuses(
        lib,
        user,
        ("Impl/go", "zz"),
        "its class meets the protocol P, which has 'go' too, without naming it as a base",
    );
}

#[test]
fn a_parameter_does_not_take_a_keyword_that_is_passed_to_others() {
    let lib = "def f(a, b=2, **kw):\n    return a, b, kw\n";
    refuses(lib, "from lib import f\n\nf(1, c=3)\n", ("f/b", "c"), "calls already pass 'c' by keyword");
}

#[test]
fn keywords_that_no_call_names_keep_a_parameter_from_being_complete() {
    for user in [
        "from lib import f\n\nf(**{\"key\": 4})\n",
        "from functools import partial\nfrom lib import f\n\npartial(f, key=5)()\n",
    ] {
        each("def f(*, key=1):\n    return key\n", user, async |stage| {
            let mut ask = rename("f/key", "zz");
            ask["include"] = json!(["unchecked"]);
            let done = stage.done("rename_symbol", ask).await;
            assert!(done.contains("calls may pass 'key' by keyword without naming it in the call"), "{done}");
            assert!(done.contains("incomplete: "), "{done}");
        });
    }
}

#[test]
fn a_parameter_of_a_linked_method_keeps_its_name_and_is_told() {
    let lib = "class A:\n    def go(self, name):\n        return name\n\n\nclass B(A):\n    def go(self, name):\n        return name * 2\n";
    let user = "from lib import A, B\n\n\ndef f(x: A):\n    return x.go(name=1)\n\n\nf(B())\n";
    let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        let done = stage.done("rename_symbol", rename("A/go/name", "zz")).await;
        assert!(done.contains("methods linked by overriding keep 'name' as a parameter"), "{done}");
        assert!(done.contains("incomplete: ") && done.contains("lib.py:7"), "{done}");
    });
}

#[test]
fn what_a_string_is_filled_with_by_name_is_in_doubt() {
    let lib = "def k():\n    val = 1\n    return \"{val}\".format(**locals())\n";
    each(lib, "", async |stage| {
        let refused = stage.refused("rename_symbol", rename("k/val", "zz")).await;
        assert!(refused.contains("lib.py:3: return \"{val}\""), "{refused}");
    });
}

#[test]
fn a_class_that_reads_the_global_before_it_binds_the_name_is_no_other_symbol() {
    let lib = "zap = 1\n\n\nclass K:\n    zap = zap + 1\n\n    other = zap\n";
    let Some(servers) = real_server("ty") else { return };
    play(&[PROJECT, ("lib.py", lib.as_bytes())], Answers::Real(servers), async |stage| {
        let refused = stage.refused("rename_symbol", rename("/zap", "zip_")).await;
        assert!(refused.contains("class bodies use 'zap' and bind it later"), "{refused}");
        assert!(refused.contains("lib.py:5: zap = zap + 1") && !refused.contains("lib.py:7"), "{refused}");
    });
}

#[test]
fn a_test_double_follows_and_is_told() {
    let lib = "class Stats:\n    def inc(self):\n        return 1\n\n    def get(self):\n        return 2\n\n    def close(self):\n        return 3\n\n\ndef use(stats: Stats):\n    return stats.inc()\n";
    let test = "from lib import use\n\n\ndef test_use():\n    class Double:\n        def inc(self):\n            return 4\n\n        def get(self):\n            return 5\n\n        def close(self):\n            return 6\n\n    assert use(Double()) == 4\n";
    let files = [PROJECT, ("lib.py", lib.as_bytes()), ("test_lib.py", test.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        let done = stage.done("rename_symbol", rename("Stats/inc", "add")).await;
        assert_eq!(stage.text("test_lib.py"), test.replace("inc", "add"), "{done}");
        assert_eq!(stage.text("lib.py"), lib.replace("inc", "add"), "{done}");
        assert!(done.contains("1 member of test doubles") && done.contains("incomplete: "), "{done}");
    });
}

#[test]
fn what_a_test_expects_to_be_shown_of_an_exception_follows() {
    let lib = "class BadRequest(Exception):\n    pass\n";
    let user = "import traceback\nfrom lib import BadRequest\n\n\ndef test_shown():\n    assert \"BadRequest: no page\" in traceback.format_exception_only(BadRequest(\"no page\"))[0]\n    assert \"a BadRequest\" != \"\"\n";
    each(lib, user, async |stage| {
        let done = stage.done("rename_symbol", rename("BadRequest", "Refused")).await;
        assert_eq!(
            stage.text("user.py"),
            user.replace("BadRequest", "Refused").replace("a Refused", "a BadRequest")
        );
        assert!(done.contains("1 place in a string renamed too") && done.contains("incomplete: "), "{done}");
    });
}

#[test]
fn a_diagnostic_that_names_the_member_is_no_new_one() {
    let lib = "class A:\n    def go(self):\n        return self.go.missing\n";
    let Some(servers) = real_server("ty") else { return };
    play(&[PROJECT, ("lib.py", lib.as_bytes())], Answers::Real(servers), async |stage| {
        let wrong = stage.done("diagnostics", json!({ "path": "lib.py", "wait": "ready" })).await;
        assert!(wrong.contains("Self@go.go()") && wrong.contains("`missing`"), "{wrong}");
        let done = stage.done("rename_symbol", rename("A/go", "run")).await;
        assert!(done.contains("no new diagnostics (ty)"), "{done}");
    });
}

#[test]
fn a_parameter_is_renamed_in_the_stub_and_in_the_overloads() {
    let lib = "def f(key=1, other=2):\n    return key\n";
    let stub = "from typing import overload\n\n@overload\ndef f(key: int = 1) -> int: ...\n@overload\ndef f(key: int = 1, other: int = 2) -> int: ...\n";
    let user = "from lib import f\n\nf(key=3)\nf(key=3, other=4)\n";
    let files =
        [PROJECT, ("lib.py", lib.as_bytes()), ("lib.pyi", stub.as_bytes()), ("user.py", user.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        let done = stage.done("rename_symbol", rename("f/key", "zz")).await;
        for (path, text) in [("lib.py", lib), ("lib.pyi", stub), ("user.py", user)] {
            assert_eq!(stage.text(path), text.replace("key", "zz"), "{done}");
        }
    });
}

#[test]
fn keywords_that_may_reach_a_parameter_by_another_name_are_told() {
    for (lib, user, place) in [
        (
            "def f(*, key=1):\n    return key\n",
            "from lib import f\n\n\ndef call(g):\n    return g(key=2)\n\n\ncall(f)\n",
            "user.py:5",
        ),
        (
            "def f(*, key=1):\n    return key\n",
            "from lib import f\n\n\ndef call(all):\n    return all[0](key=2)\n\n\ncall([f])\n",
            "user.py:5",
        ),
    ] {
        each(lib, user, async |stage| {
            let mut ask = rename("f/key", "zz");
            ask["include"] = json!(["unchecked"]);
            let done = stage.done("rename_symbol", ask).await;
            assert!(done.contains("'key' is passed by keyword to what may be this function"), "{done}");
            assert!(done.contains(place) && done.contains("incomplete: "), "{done}");
        });
    }
}

#[test]
fn keywords_in_the_heads_of_classes_are_told() {
    let Some(servers) = real_server("ty") else { return };
    for (lib, name_path) in [
        (
            "class A:\n    def __init_subclass__(cls, key=1):\n        cls.k = key\n",
            "A/__init_subclass__/key",
        ),
        (
            "class M(type):\n    def __new__(mcs, name, bases, ns, key=1):\n        return super().__new__(mcs, name, bases, ns)\n\n\nclass A(metaclass=M):\n    pass\n",
            "M/__new__/key",
        ),
    ] {
        let user = b"from lib import A\n\n\nclass B(A, key=2):\n    pass\n";
        play(
            &[PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user)],
            Answers::Real(servers.clone()),
            async |stage| {
                let done = stage.done("rename_symbol", rename(name_path, "zz")).await;
                assert!(done.contains("'key' is passed by keyword to what may be this function"), "{done}");
                assert!(done.contains("user.py:4") && done.contains("incomplete: "), "{done}");
            },
        );
    }
}

#[test]
fn keywords_that_a_constructor_passes_on_are_told() {
    let lib = "class A:\n    def __init__(self, *, key=1):\n        self.k = key\n";
    let user = "from lib import A\n\n\nclass B(A):\n    def __init__(self, **kw):\n        super().__init__(**kw)\n\n\nB(key=2)\n";
    let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        let done = stage.done("rename_symbol", rename("A/__init__/key", "zz")).await;
        assert!(done.contains("calls may pass 'key' by keyword without naming it in the call"), "{done}");
        assert!(done.contains("user.py:6") && done.contains("incomplete: "), "{done}");
    });
}

#[test]
fn a_class_is_not_renamed_while_its_private_members_are_used_by_their_mangled_names() {
    let lib = "class A:\n    def __init__(self):\n        self.__own = 1\n";
    let user = "from lib import A\n\nprint(A()._A__own)\n";
    refuses(lib, user, ("/A", "B"), "private members of 'A' are used by the mangled names");
}

#[test]
fn names_of_which_the_beginning_is_written_are_in_doubt() {
    let lib = "def visit_name():\n    return 1\n\n\nclass V:\n    def do_get(self):\n        return 2\n";
    let user = "import lib\n\n\ndef look(kind, v: lib.V):\n    getattr(v, \"do_\" + kind)()\n    return getattr(lib, f\"visit_{kind}\")()\n";
    each(lib, user, async |stage| {
        for (name_path, place) in [("visit_name", "user.py:6"), ("V/do_get", "user.py:5")] {
            let done = stage.done("rename_symbol", rename(name_path, "zz")).await;
            assert!(done.contains("are computed and looked up, and it may be one of them"), "{done}");
            assert!(done.contains(place) && done.contains("incomplete: "), "{done}");
            assert_eq!(done.matches("user.py:").count(), 1, "{done}");
            stage.undo().await;
        }
    });
}

#[test]
fn attributes_that_getattr_answers_for_are_told() {
    let lib = "class Call:\n    def __call__(self) -> int:\n        return 1\n\n\nclass Relay:\n    def __init__(self, one):\n        self.one = one\n\n    def __getattr__(self, name: str) -> Call:\n        return getattr(self.one, name)\n\n\nclass Manager:\n    def __init__(self, one):\n        self.hook = Relay(one)\n\n\nclass Named(Relay):\n    size = 5\n";
    let user = "import lib\nimport plugin\nfrom lib import Manager, Named\n\n\ndef use(manager: Manager, named: Named):\n    relay = manager.hook\n    found = manager.hook.size()\n    found += relay.size()\n    return found + named.size\n\n\nprint(plugin.Plugin().size(), plugin.top())\nManager(plugin).hook.top()\n";
    let plugin = "class Plugin:\n    def size(self):\n        return 3\n\n    def other(self):\n        return 4\n\n\ndef top():\n    return 1\n";
    let files =
        [PROJECT, ("lib.py", lib.as_bytes()), ("plugin.py", plugin.as_bytes()), ("user.py", user.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        let of = |name_path: &str| {
            let mut ask = rename(name_path, "zz");
            ask["relative_path"] = "plugin.py".into();
            ask
        };
        let told = "`__getattr__` or `__getattribute__` of a class answers for";
        let places = [("Plugin/size", &["user.py:8", "user.py:9"][..]), ("top", &["user.py:14"])];
        for (name_path, places) in places {
            let done = stage.done("rename_symbol", of(name_path)).await;
            assert!(done.contains(told) && done.contains("incomplete: "), "{done}");
            assert!(places.iter().all(|place| done.contains(place)), "{done}");
            assert_eq!(done.matches("user.py:").count(), places.len() + 1, "{done}");
            stage.undo().await;
        }
        let done = stage.done("rename_symbol", of("Plugin/other")).await;
        assert!(!done.contains(told), "{done}");
    });
}

#[test]
fn keywords_that_give_a_double_the_member_are_told() {
    let lib = "class K:\n    def __init__(self):\n        self.size = 3\n\n\ndef top():\n    return 1\n";
    let user = "from types import SimpleNamespace\nfrom unittest import mock\nimport lib\n\n\ndef use(k: lib.K):\n    return k.size\n\n\nuse(SimpleNamespace(size=8))\nwith mock.patch.multiple(lib, top=print):\n    lib.top()\n";
    let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        for (name_path, place) in [("K/size", "user.py:10"), ("top", "user.py:11")] {
            let done = stage.done("rename_symbol", rename(name_path, "zz")).await;
            assert!(
                done.contains("objects that may be used in its place, or replace it, are given"),
                "{done}"
            );
            assert!(done.contains(place) && done.contains("incomplete: "), "{done}");
            stage.undo().await;
        }
    });
}

#[test]
fn a_local_class_with_the_member_alone_may_be_used_in_its_place() {
    let lib = "class K:\n    def size(self):\n        return 3\n\n    def other(self):\n        return 4\n\n\ndef use(k: K):\n    return k.size()\n";
    let test = "from lib import K, use\n\n\ndef test_use():\n    class Fake:\n        def size(self):\n            return 4\n\n    assert use(Fake()) == 4 and use(K()) == 3\n";
    let files = [PROJECT, ("lib.py", lib.as_bytes()), ("test_lib.py", test.as_bytes())];
    let Some(servers) = real_server("ty") else { return };
    play(&files, Answers::Real(servers), async |stage| {
        for (name_path, path, place) in
            [("K/size", "lib.py", "test_lib.py:6"), ("test_use/Fake/size", "test_lib.py", "lib.py:2")]
        {
            let mut ask = rename(name_path, "zz");
            ask["relative_path"] = json!(path);
            let done = stage.done("rename_symbol", ask).await;
            assert!(
                done.contains("1 member keeps this name in classes that inherit from none of these"),
                "{done}"
            );
            assert!(done.contains(place) && done.contains("incomplete: "), "{done}");
            stage.undo().await;
        }
    });
}

#[test]
fn examples_in_documentation_follow() {
    let lib = "def add(a, count=1):\n    \"\"\"Adds; add more.\n\n    >>> add(1, count=2)\n    3\n    >>> x.add(1)\n    4\n    \"\"\"\n    return a + count\n";
    each(lib, "", async |stage| {
        let done = stage.done("rename_symbol", rename("add", "plus")).await;
        assert!(done.contains("1 use in an example of documentation renamed too"), "{done}");
        // What else stands in an example may be run by tests.
        assert!(done.contains("lib.py:6: >>> x.add(1)") && done.contains("incomplete: "), "{done}");
        let text = lib.replace("def add", "def plus").replace(">>> add", ">>> plus");
        assert_eq!(stage.text("lib.py"), text);
        stage.undo().await;
        let done = stage.done("rename_symbol", rename("add/count", "n")).await;
        assert_eq!(stage.text("lib.py"), lib.replace("count", "n"), "{done}");
        assert!(done.contains("; complete]"), "{done}");
    });
}

#[test]
fn a_string_that_attributes_fill_by_name_is_in_doubt() {
    let lib =
        "class K:\n    def __init__(self):\n        self.size = 3\n\n\nprint(\"%(size)d\" % vars(K()))\n";
    each(lib, "", async |stage| {
        let done = stage.done("rename_symbol", rename("K/size", "zz")).await;
        assert!(done.contains("1 mention in strings") && done.contains("incomplete: "), "{done}");
    });
}

#[test]
fn keywords_reach_a_parameter_by_an_imports_other_name_a_dict_an_heir_or_the_class_itself() {
    let function = "def f(*, key=1):\n    return key\n";
    let class = "class A:\n    def __init__(self, *, key=1):\n        self.k = key\n\n    @classmethod\n    def make(cls):\n        return build(cls)\n\n\n\
        class B(A):\n    pass\n\n\ndef build(k):\n    return k(key=1)\n";
    for (lib, name_path, user) in [
        (
            function,
            "f/key",
            "from functools import partial\nfrom lib import f as g\n\nassert partial(g, key=2)() == 2\n",
        ),
        (
            function,
            "f/key",
            "from threading import Thread\nfrom lib import f\n\nThread(target=f, kwargs=dict(key=2)).start()\n",
        ),
        (&class[..class.find("    @class").unwrap()], "A/__init__/key", "from lib import *\n"),
        (class, "A/__init__/key", "from lib import A\n\nA.make()\n"),
    ] {
        let heir = "\n\nclass C(A):\n    pass\n\n\nC(**{\"key\": 1})\n";
        let lib = if lib.contains("make") || name_path == "f/key" {
            lib.to_owned()
        } else {
            format!("{lib}{heir}")
        };
        each(&lib, user, async |stage| {
            let mut ask = rename(name_path, "zz");
            ask["include"] = json!(["unchecked"]);
            let done = stage.done("rename_symbol", ask).await;
            assert!(done.contains("incomplete: "), "{user}\n{done}");
            assert!(
                done.contains("key' by keyword") || done.contains("'key' is passed by keyword"),
                "{done}"
            );
        });
    }
}

#[test]
fn parentheses_of_type_parameters_are_not_those_of_the_parameters() {
    let lib = "def pick[T: (int, str)](key: T) -> T:\n    return key\n";
    each(lib, "from lib import pick\n\npick(key=1)\n", async |stage| {
        let done = stage.done("rename_symbol", rename("pick/key", "zz")).await;
        assert!(stage.text("user.py").contains("pick(zz=1)"), "{done}");
    });
}

#[test]
fn a_variable_that_another_module_sets_may_hold_an_object_of_another_class() {
    let Some(servers) = real_server("ty") else { return };
    let lib = "class Till:\n    def open_drawer(self):\n        return 1\n\n\nclass Fake:\n    def open_drawer(self):\n        return 2\n\n\n\
        current = Till()\n\n\ndef ring():\n    return current.open_drawer()\n";
    for (user, is_told) in [
        ("import lib\n\nlib.current = lib.Fake()\nlib.ring()\n", true),
        ("import lib\n\nlib.current = lib.Till()\nlib.ring()\n", false),
    ] {
        let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
        play(&files, Answers::Real(servers.clone()), async |stage| {
            let done = stage.done("rename_symbol", rename("Till/open_drawer", "pop")).await;
            let why = "may hold objects of this class and of another one that has 'open_drawer' too";
            assert_eq!(done.contains(why), is_told, "{user}\n{done}");
            assert_eq!(done.contains("incomplete: "), is_told, "{user}\n{done}");
        });
    }
}
