//! Effects of renames in Python that no use of the name shows.

use super::{check, hazards};

#[test]
fn keywords_of_a_name_that_is_bound_again() {
    let text = "//- a.py\ndef g(size): ...\n\ndef h($0size): ...\n\ng = h\ng(size=1)\n";
    check("width", text, &["doubt a.py:6"]);
    let called = "//- a.py\ndef g(size): ...\n\ndef h($0size): ...\n\nk = h\ng(size=1)\n";
    check("width", called, &[]);
}

#[test]
fn keywords_that_a_method_of_a_base_hands_to_the_constructor() {
    let base = "class Base:\n    @classmethod\n    def make(cls, **kw):\n        return cls(**kw)\n\n";
    let user = "class A(Base):\n    def __init__(self, $0size): ...\n\nA.make(size=1)\n";
    let found = hazards("width", &format!("//- a.py\n{base}{user}"));
    assert!(found.iter().any(|one| one.contains("a.py:9")), "{found:?}");
    let other = "class A:\n    def __init__(self, $0size): ...\n\nBase.make(size=1)\n";
    check("width", &format!("//- a.py\n{base}{other}"), &[]);
}

#[test]
fn what_an_f_string_prints_counts_where_it_changes() {
    let text = "//- a.py\ndef f():\n    $0size = 1\n    return f\"{size=}\"\n";
    check("width", text, &["doubt a.py:3"]);
}

#[test]
fn names_that_are_listed_and_picked_by_a_part() {
    let own = "//- a.py\ndef $0handle_open(): ...\n\nALL = {k.removeprefix(\"handle_\"): v for k, v in list(globals().items())\n\
        \x20   if k.startswith(\"handle_\")}\nlines = [one for one in texts if one.startswith(\"handle_\")]\n";
    check("on_open", own, &["doubt a.py:3 a.py:4"]);
    let far = "//- a.py\ndef $0handle_open(): ...\n\ndef f(x):\n    return x.startswith(\"handle_\")\n\ndef g():\n    return globals()\n";
    check("on_open", far, &[]);
    let class = "//- a.py\nclass A:\n    def $0do_open(self): ...\n\n    def all(self):\n        return [n for n in dir(self) if n.startswith(\"do_\")]\n\n\
        class B:\n    def all(self):\n        return [n for n in dir(self) if n.startswith(\"do_\")]\n";
    check("on_open", class, &["doubt a.py:5"]);
    let module = "//- a.py\ndef $0do_open(): ...\n//- b.py\nimport a\nimport c\n\ndef f():\n    return [n for n in dir(a) if n.startswith('do_')]\n\n\
        def g():\n    return [n for n in dir(c) if n.startswith('do_')]\n//- c.py\nx = 1\n";
    check("on_open", module, &["doubt b.py:5"]);
}

#[test]
fn attributes_that_are_given_away_with_their_names() {
    let fixture = "//- a.py\nclass A:\n    def __init__(self):\n        self.$0host = 1\n\n    def copy(self):\n        other = A()\n\
        \x20       other.__dict__.update(self.__dict__)\n        return other\n\n    def dump(self):\n        return dumps(self.__dict__)\n\n\
        def f(a):\n    return dumps(vars(a))\n\ndef g(a):\n    return vars(a)['x'], a.__dict__ == a.__dict__\n\
        //- b.py\ndef f(a):\n    return dumps(vars(a))\n";
    check("name", fixture, &["doubt a.py:11 a.py:14"]);
    let taken = "//- a.py\nclass A:\n    def __init__(self, **kw):\n        self.$0host = 1\n        self.__dict__.update(kw)\n\n\
        \x20   def __setstate__(self, state):\n        self.__dict__.update(state)\n";
    check("name", taken, &["doubt a.py:4"]);
    check("name", &fixture.replace("$0host", "host").replace("def dump", "def $0dump"), &[]);
}

#[test]
fn a_variable_that_another_module_sets_to_an_object_of_another_class() {
    let shop = "//- shop.py\nclass Till:\n    def $0ring(self): ...\n\nclass Fake:\n    def ring(self): ...\n\ntill = Till()\n\n\
        def sell():\n    till.ring()\n";
    for (user, expected) in [
        ("import shop\n\nshop.till = shop.Fake()\n", &["doubt main.py:3"][..]),
        ("import shop as s\n\nfake = s.Fake()\ns.till = fake\n", &["doubt main.py:4"]),
        ("import shop\n\nshop.till = shop.Till()\n", &[]),
        ("import shop\n\nprint(shop.till == shop.Fake())\n", &[]),
        ("import shop\n\nshop.till = shop.Fake() if shop.x('#') else shop.Till()\n", &["doubt main.py:3"]),
        ("import shop\n\nshop.till = (\n    # fake\n    shop.Fake()\n)\n", &["doubt main.py:3"]),
        ("import shop\n\nshop.till = shop.Till(\"#\")  # not shop.Fake()\n", &[]),
        ("import shop\n\nsetattr(shop, \"till\", shop.Fake())\n", &["doubt main.py:3"]),
        ("import shop\n\nsetattr(shop, \"till\", shop.Till())\n", &[]),
        ("import shop\n\nsetattr(shop, \"other\", shop.Fake())\n", &[]),
        (
            "import shop\n\ndef test(monkeypatch):\n    monkeypatch.setattr(\"shop.till\", shop.Fake())\n",
            &["doubt main.py:4"],
        ),
        (
            "import shop\nfrom unittest import mock\n\nwith mock.patch.object(shop, \"till\", new=shop.Fake()):\n    shop.sell()\n",
            &["doubt main.py:4"],
        ),
        (
            "import shop\nfrom unittest.mock import patch\n\n@patch(\"shop.till\", shop.Fake())\ndef test(): shop.sell()\n",
            &["doubt main.py:4"],
        ),
        (
            "import shop\nfrom unittest.mock import patch\n\n@patch(\"shop.till\")\ndef test(fake): shop.sell()\n",
            &[],
        ),
        // Another object's attribute, and one of an object that is no module.
        ("import shop\n\nshop.other = shop.Fake()\n", &[]),
        ("class A:\n    def f(self):\n        self.till = shop.Fake()\n", &[]),
    ] {
        check("pop", &format!("{shop}//- main.py\n{user}"), expected);
    }
    for (user, expected) in [
        // Objects from outside, or of a class of which nothing is known.
        ("import shop\nfrom collections import deque\n\nshop.till = deque()\n", &[][..]),
        ("import shop\nimport types\n\nshop.till = types.SimpleNamespace(x=1)\n", &["doubt main.py:4"]),
        ("import shop\nimport lib\n\nshop.till = lib.make()\n", &["doubt main.py:4"]),
        ("import shop\nfrom unittest import mock\n\nshop.till = mock.Mock()\n", &[]),
        ("import shop\n\nshop.till = None\nshop.till = 1\nshop.till = \"\"\n", &[]),
        // Other ways to set it.
        ("import shop\n\nshop.till: object = shop.Fake()\n", &["doubt main.py:3"]),
        ("import shop\n\nshop.till, x = shop.Fake(), shop.Till()\n", &["doubt main.py:3"]),
        ("import shop\n\nx, shop.till = shop.Fake(), shop.Till()\n", &[]),
        (
            "import shop\nfrom typing import cast\n\nshop.till = cast(\"shop.Till\", shop.Fake())\n",
            &["doubt main.py:4"],
        ),
        (
            "from importlib import import_module\nfrom shop import Fake\n\nimport_module(\"shop\").till = Fake()\n",
            &["doubt main.py:4"],
        ),
        ("import sys\nfrom shop import Fake\n\nsys.modules[\"shop\"].till = Fake()\n", &["doubt main.py:4"]),
        (
            "from importlib import import_module\nfrom shop import Fake\n\ns = import_module(\"shop\")\ns.till = Fake()\n",
            &["doubt main.py:5"],
        ),
        ("import shop\n\nshop.make().till = shop.Fake()\n", &[]),
        (
            "import shop\nfrom unittest.mock import patch\n\n@patch.multiple(\"shop\", till=shop.Fake())\ndef test(): shop.sell()\n",
            &["doubt main.py:4"],
        ),
        (
            "import shop\n\ndef test(monkeypatch):\n    monkeypatch.setattr(target=shop, name=\"till\", value=shop.Fake())\n",
            &["doubt main.py:4"],
        ),
    ] {
        check("pop", &format!("{shop}//- main.py\n{user}"), expected);
    }
    // A list has `append`, and so has what a function returns.
    let lists = shop.replace("ring", "append");
    for (user, expected) in [
        ("import shop\n\nshop.till = []\n", &["doubt main.py:3"][..]),
        ("import shop\nfrom collections import deque\n\nshop.till = deque([1])\n", &["doubt main.py:4"]),
        (
            "import shop\n\ndef make(x):\n    if x:\n        return None\n    return sorted(x)\n\nshop.till = make(1)\n",
            &["doubt main.py:8"],
        ),
        ("import shop\n\nfake = list()\nshop.till = fake\n", &["doubt main.py:4"]),
        ("import shop\n\nshop.till = {}\n", &[]),
    ] {
        check("pop", &format!("{lists}//- main.py\n{user}"), expected);
    }
    // The module's own object is the other one.
    let other = shop.replace("till = Till()", "till = Fake()");
    check(
        "pop",
        &format!("{other}//- main.py\nimport shop\n\nshop.till = shop.Till()\n"),
        &["doubt main.py:3"],
    );
    check("pop", &format!("{other}//- main.py\nimport shop\n\nshop.till = None\n"), &[]);
    let nothing = shop.replace("till = Till()", "till = None");
    check("pop", &format!("{nothing}//- main.py\nimport shop\n\nshop.till = shop.Till()\n"), &[]);
    let read = shop.replace("    till.ring()", "    getattr(import_module(\"shop\"), \"till\").ring()");
    check(
        "pop",
        &format!("{read}//- main.py\nimport shop\n\nshop.till = shop.Fake()\n"),
        &["doubt main.py:3"],
    );
    let outside = "from lib import Base\nimport shop\n\nclass Odd(Base): ...\n\nshop.till = Odd()\n";
    check("pop", &format!("{shop}//- main.py\n{outside}"), &["doubt main.py:6"]);
    let bare = outside.replace("from lib import Base", "from abc import ABC as Base");
    check("pop", &format!("{shop}//- main.py\n{bare}"), &[]);
    let heir = shop.replace("class Fake:", "class Fake(Till):");
    check("pop", &format!("{heir}//- main.py\nimport shop\n\nshop.till = shop.Fake()\n"), &[]);
}

#[test]
fn a_variable_that_never_holds_an_object_of_the_class() {
    let cache = "//- cache.py\nclass Cache:\n    def $0get(self, k): ...\n\nclass Other: ...\n\nclass Fake:\n    def get(self, k): ...\n";
    let main = "//- main.py\nimport app\n\ndef test(monkeypatch, x):\n    monkeypatch.setattr(app, \"CONFIG\", {\"a\": 1})\n";
    let app = |home: &str| {
        format!("//- app.py\nfrom cache import Cache, Other, Fake, make\n{home}\nCONFIG.get(\"x\")\n")
    };
    for (home, set, expected) in [
        ("CONFIG = {}", "", &[][..]),
        ("CONFIG = dict(a=1)", "", &[]),
        ("CONFIG: object = None", "", &[]),
        ("CONFIG = Other()", "", &[]),
        ("CONFIG = {}", "app.CONFIG = app.Fake()", &[]),
        ("CONFIG = Cache()", "", &["doubt main.py:4"]),
        ("CONFIG = make()", "", &["doubt main.py:4"]),
        ("CONFIG: Cache", "", &["doubt main.py:4"]),
        ("CONFIG = {}\nfor CONFIG in make(): ...", "", &["doubt main.py:4"]),
        ("CONFIG = {}", "app.CONFIG = app.Cache()", &["doubt main.py:4 main.py:5"]),
        ("CONFIG = {}", "app.CONFIG = x", &["doubt main.py:4"]),
    ] {
        check("take", &format!("{cache}{}{main}    {set}\n", app(home)), expected);
    }
    // Another module's variable, and one that a module has from another.
    let shop = app("CONFIG = Cache()").replace("app.py", "shop.py");
    check("take", &format!("{cache}{}//- app.py\nx = 1\n{main}", shop), &[]);
    check("take", &format!("{cache}{}{}{main}", shop, app("CONFIG = {}")), &[]);
    check("take", &format!("{cache}{}//- app.py\nfrom shop import *\n{main}", shop), &["doubt main.py:4"]);
}

#[test]
fn what_values_may_be_is_looked_for_once_for_each_name_and_not_without_end() {
    let shop = "//- shop.py\nclass Till:\n    def $0append(self): ...\n\ntill = Till()\n\ntill.append()\n//- main.py\nimport shop\n\n";
    // Each of the values is the variable again: followed each time, they were more than are looked at, and one of them might be one.
    let again = format!("def f(data, x):\n{}    shop.till = data\n", "    data = data or x\n".repeat(400));
    check("pop", &format!("{shop}{again}"), &[]);
    let many: String = (0..1_100).map(|at| format!("    data = x{at}\n")).collect();
    check("pop", &format!("{shop}def f(data):\n{many}    shop.till = data\n"), &["doubt main.py:1104"]);
}

#[test]
fn names_of_classes_and_functions_that_the_program_reads() {
    let base = "class Base:\n    known = {}\n    def __init_subclass__(cls):\n        cls.known[cls.__name__.lower()] = cls\n\n\
        \x20   def check(self):\n        raise TypeError(type(self).__name__)\n\n";
    check("Q", &format!("//- a.py\n{base}class $0P(Base): ...\n"), &["doubt a.py:4"]);
    check("Q", &format!("//- a.py\n{base}class $0P: ...\n"), &[]);
    let own = "//- a.py\nclass $0P:\n    def __repr__(self):\n        return f\"<{type(self).__name__}>\"\n\ndef f(o):\n    return type(o).__name__\n";
    check("Q", &own.replace("__repr__", "label"), &["doubt a.py:3"]);
    check("Q", own, &[]);
    let failing = own.replace("__repr__", "label").replace(
        "return f\"<{type(self).__name__}>\"",
        "raise E(\n            \"%s\" % (\n                type(self).__name__,\n            )\n        )",
    );
    check("Q", &failing, &[]);
    let held = own.replace("__repr__", "label").replace("type(self)", "self.part.__class__");
    check("Q", &held, &[]);
    let of_value = "//- a.py\ndef name(o):\n    return type(o).__name__\n\nclass $0P: ...\n\nname(P)\n";
    check("Q", of_value, &[]);
    let direct = "//- a.py\nclass $0P: ...\n//- b.py\nfrom a import P as R\nimport a\nx = {R.__name__: 1, a.P.__qualname__: 2}\ny = a.S.__name__\n";
    check("Q", direct, &["doubt b.py:3 b.py:3"]);
    let kit = "KNOWN = {}\n\ndef fixture(f):\n    KNOWN[f.__name__] = f\n    return f\n\ndef traced(f):\n    log.info(f.__name__)\n    return f\n\n";
    check("g", &format!("//- a.py\n{kit}@fixture\ndef $0f(): ...\n"), &["doubt a.py:4"]);
    check("g", &format!("//- a.py\n{kit}@traced\ndef $0f(): ...\n"), &[]);
    check("g", &format!("//- a.py\n{kit}def $0f(): ...\n\nfixture(f)\n"), &["doubt a.py:4"]);
    check("g", &format!("//- a.py\n{kit}def $0f(): ...\n\nfixture(f())\n"), &[]);
}

#[test]
fn functions_that_are_given_a_class_or_function_and_read_its_name() {
    // More of them than are looked at, and more that read no name.
    let many = |count: usize, body: &str| -> String {
        (0..count).map(|at| format!("def a{at:04}(f):\n    {body}\n\na{at:04}(g)\n")).collect()
    };
    let of = |others: &str| {
        format!(
            "//- a.py\ndef $0g(): ...\n\ndef zz(f):\n    K[f.__name__] = f\n\nzz(g)\n//- b.py\nfrom a import g\n{others}"
        )
    };
    check("h", &of(&many(300, "return f")), &["doubt a.py:4"]);
    let all = hazards("h", &of(&many(300, "log.info(f.__name__)")));
    assert_eq!(all.last().map(String::as_str), Some("doubt"));
    let own =
        "class $0User: ...\n\nclass Base:\n    def __init__(self, model): self.name = model.__name__\n\n";
    for (user, expected) in [
        ("class View(Base):\n    def f(self):\n        super().__init__(User)\n", &["doubt a.py:4"][..]),
        ("class View:\n    def f(self):\n        super().__init__(User)\n", &[]),
        // What `super()` leads to is not the class's own, and may be of a class beside it.
        (
            "class View(Base):\n    def __init__(self, one):\n        K[one.__name__] = 1\n        super().__init__(User)\n",
            &["doubt a.py:4"],
        ),
        (
            "class View(Base):\n    def __init__(self, one):\n        K[one.__name__] = 1\n        super(View, self).__init__(User)\n",
            &["doubt a.py:4"],
        ),
        (
            "class View(Base):\n    def __init__(self, one):\n        K[one.__name__] = 1\n        Base.__init__(self, User)\n",
            &["doubt a.py:4"],
        ),
        (
            "class View(Base):\n    def __init__(self, one):\n        K[one.__name__] = 1\n        self.__init__(User)\n",
            &["doubt a.py:4 a.py:8"],
        ),
        (
            "class V:\n    def f(self):\n        self.__init__(User)\n\nclass W(V, Base): ...\n",
            &["doubt a.py:4"],
        ),
        (
            "class Mixin:\n    def f(self):\n        super().__init__(User)\n\nclass View(Mixin, Base): ...\n",
            &["doubt a.py:4"],
        ),
        ("Base(User)\n", &["doubt a.py:4"]),
        ("def append(f):\n    K[f.__name__] = f\n\nmade().append(User)\n", &[]),
        ("class L:\n    def append(f):\n        K[f.__name__] = f\n\nmade.append(User)\n", &["doubt a.py:8"]),
        (
            "import os\n\nclass L:\n    def append(f):\n        K[f.__name__] = f\n\nos.path.append(User)\n",
            &[],
        ),
        ("append(User)\n//- b.py\ndef append(f):\n    K[f.__name__] = f\n", &[]),
        (
            "from b import *\nappend(User)\n//- b.py\ndef append(f):\n    K[f.__name__] = f\n",
            &["doubt b.py:2"],
        ),
        (
            "from b import append as add\nadd(User)\n//- b.py\nfrom c import append\n//- c.py\ndef append(f):\n    K[f.__name__] = f\n",
            &["doubt c.py:2"],
        ),
        (
            "import b as kit\nkit.append(User)\n//- b.py\ndef append(f):\n    K[f.__name__] = f\n",
            &["doubt b.py:2"],
        ),
    ] {
        check("Q", &format!("//- a.py\n{own}{user}"), expected);
    }
}

#[test]
fn registries_that_read_names() {
    let class = "K = {}\n\nclass command:\n    def __init__(self, f):\n        K[f.__name__] = f\n\n";
    check("g", &format!("//- a.py\n{class}@command\ndef $0f(): ...\n"), &["doubt a.py:5"]);
    check(
        "g",
        &format!("//- a.py\n{class}class A:\n    @command\n    def $0f(self): ...\n"),
        &["doubt a.py:5"],
    );
    check("g", &format!("//- a.py\n{class}class A:\n    def $0f(self): ...\n\nf = 1\ncommand(f)\n"), &[]);
    check(
        "g",
        &format!("//- a.py\n{class}class A:\n    def $0f(self): ...\n\ncommand(A.f)\n"),
        &["doubt a.py:5"],
    );
    let renamed =
        format!("//- reg.py\n{class}//- a.py\nfrom reg import command as cmd\n\n@cmd\ndef $0f(): ...\n");
    check("g", &renamed, &["doubt reg.py:5"]);
    for (user, expected) in [
        ("K = {f.__name__: f for f in (deploy, other)}\n", &["doubt a.py:3"][..]),
        ("for f in [other, deploy]:\n    K[f.__name__] = f\n", &["doubt a.py:4"]),
        ("def g():\n    for f in {deploy}: K[f.__name__] = f\n", &["doubt a.py:4"]),
        ("def g(f): return f.__name__\n\nL = [deploy]\n", &[]),
        ("K = {f.__name__: f for f in (deploy(), x[deploy])}\n", &[]),
        ("K = [f.__name__ for f in x if isinstance(f, (deploy, A))]\n", &[]),
    ] {
        check("g", &format!("//- a.py\ndef $0deploy(): ...\n\n{user}"), expected);
    }
}

#[test]
fn members_of_enumerations_that_are_asked_for_by_computed_keys() {
    for (asked, expected) in [
        ("cls[text.upper()]", &["doubt a.py:9"][..]),
        ("cls.__members__[text]", &["doubt a.py:9"]),
        ("cls.__members__.get(text)", &["doubt a.py:9"]),
        ("Color.__members__[text]", &["doubt a.py:9"]),
        ("cls(text)", &[]),
        ("cls.__members__.get(\"GREEN\")", &[]),
        ("len(cls.__members__)", &[]),
    ] {
        let text = format!(
            "//- a.py\nfrom enum import Enum\n\nclass Color(Enum):\n    $0RED = 1\n    GREEN = 2\n\n    @classmethod\n    def of(cls, text):\n        return {asked}\n"
        );
        check("CRIMSON", &text, expected);
        // A method is no member of the enumeration.
        check("make", &text.replace("$0RED", "RED").replace("def of", "def $0of"), &[]);
    }
}

#[test]
fn members_that_the_library_calls_of_what_it_is_given() {
    let class = "//- a.py\nclass W:\n    def $0close(self): ...\n    def write(self, text): ...\n\nclass Other: ...\n";
    for (user, expected) in [
        (
            "from contextlib import closing\nfrom a import W\n\nw = W()\nwith closing(w): ...\n",
            &["doubt b.py:5"][..],
        ),
        ("import contextlib\nfrom a import W\n\nwith contextlib.closing(W()): ...\n", &["doubt b.py:4"]),
        ("from contextlib import closing\nfrom a import Other\n\nwith closing(Other()): ...\n", &[]),
        ("from kit import closing\nfrom a import W\n\nwith closing(W()): ...\n", &[]),
    ] {
        check("shut", &format!("{class}//- b.py\n{user}"), expected);
    }
    let writing = class.replace("$0close", "close").replace("def write", "def $0write");
    for (user, expected) in [
        ("import json\nfrom a import W\n\nw = W()\njson.dump([], w)\njson.dumps(w)\n", &["doubt b.py:5"][..]),
        ("from a import W\n\nw = W()\nprint(1, file=w)\nprint(2)\n", &["doubt b.py:4"]),
        ("import sys\nfrom a import W\n\nsys.stdout = W()\nsys.stderr = None\n", &["doubt b.py:4"]),
        ("import kit\nfrom a import W\n\nkit.stdout = W()\n", &[]),
        ("import pickle\nfrom a import W\n\nprint(W(), 1)\npickle.dump(W(), f)\n", &[]),
        (
            "import json\nfrom a import W\n\nw = W()\njson.dump(*args, w)\njson.dump(w, fp=f)\n",
            &["doubt b.py:5"],
        ),
        (
            "import shutil\nfrom a import W\n\nshutil.copyfileobj(W(), f)\nshutil.copyfileobj(f, fdst=W())\n",
            &["doubt b.py:5"],
        ),
        ("import sys\n\nclass V:\n    def f(self):\n        sys.stdout = self\n", &[]),
        (
            "import sys\nfrom a import W\n\nclass V(W):\n    def f(self):\n        sys.stdout = self\n        print(1, file=self)\n",
            &["doubt b.py:6 b.py:7"],
        ),
        ("import sys\nfrom a import W\n\nmonkeypatch.setattr(sys, \"stdout\", W())\n", &["doubt b.py:4"]),
        ("from a import W\n\nwith patch(\"sys.stdout\", new_callable=W): ...\n", &["doubt b.py:3"]),
        ("import sys\nfrom a import W\n\npatch.multiple(\"sys\", stdin=1, stderr=W())\n", &["doubt b.py:4"]),
        ("from a import W\n\nwith patch(\"kit.stdout\", new_callable=W): ...\n", &[]),
        ("from a import Other\n\nwith patch(\"sys.stdout\", Other()): ...\n", &[]),
    ] {
        check("put", &format!("{writing}//- b.py\n{user}"), expected);
    }
    let base = "//- a.py\nimport sys\n\nclass Base:\n    def __enter__(self):\n        sys.stdout = self\n\nclass W(Base):\n    def $0write(self, text): ...\n";
    check("put", base, &["doubt a.py:5"]);
}

#[test]
fn members_that_are_reached_by_computed_names_of_known_objects() {
    let class = "//- a.py\nclass Till:\n    def __init__(self):\n        self.$0speed = 1\n\n    def ring(self): ...\n\n";
    let method = class.replace("$0speed", "speed").replace("def ring", "def $0ring");
    for (user, field, of_method) in [
        ("def f(till: Till, key):\n    setattr(till, key, 1)\n", &["doubt b.py:4"][..], &[][..]),
        (
            "def f(key):\n    till = Till()\n    return getattr(till, key)\n",
            &["doubt b.py:5"],
            &["doubt b.py:5"],
        ),
        ("def f(till: Till, key):\n    till.__dict__[key] = 1\n", &["doubt b.py:4"], &[]),
        ("def f(till: Till, key):\n    return vars(till)[key]\n", &["doubt b.py:4"], &[]),
        ("def f(till: Till, key):\n    return till.__dict__.get(key)\n", &["doubt b.py:4"], &[]),
        ("def f(key):\n    return Till.__dict__[key]\n", &["doubt b.py:4"], &["doubt b.py:4"]),
        (
            "class Heir(Till): ...\n\ndef f(heir: Heir, key):\n    return getattr(heir, key)\n",
            &["doubt b.py:6"],
            &["doubt b.py:6"],
        ),
        ("def f(till: Till, key):\n    return getattr(till, f\"s{key}d\")\n", &["doubt b.py:4"], &[]),
        // Of the objects that are not known any may be meant, and of names that are written out none.
        ("def f(it, key):\n    setattr(it, key, 1)\n    return it.__dict__[key], vars(it)[key]\n", &[], &[]),
        ("def f(till: Till):\n    for key in (\"a\", \"b\"):\n        setattr(till, key, 1)\n", &[], &[]),
        (
            "KEYS = [\"a\", \"b\"]\n\ndef f(till: Till):\n    return {key: getattr(till, key) for key in KEYS}\n",
            &[],
            &[],
        ),
        ("def f(till: Till):\n    for key in x.__dict__:\n        setattr(till, key, 1)\n", &[], &[]),
        ("def f(till: Till):\n    key = \"a\"\n    setattr(till, key, 1)\n", &[], &[]),
        (
            "def f(till: Till, key):\n    return getattr(till, f\"{key}_it\"), till.__dict__[\"a\"]\n",
            &[],
            &[],
        ),
    ] {
        let user = format!("//- b.py\nfrom a import Till\n\n{user}");
        check("pace", &format!("{class}{user}"), field);
        check("chime", &format!("{method}{user}"), of_method);
    }
    for (body, expected) in [
        ("    def load(self, key): self.__dict__[key] = 1\n", &["doubt a.py:7"][..]),
        ("    def load(self, key): object.__setattr__(self, key, 1)\n", &["doubt a.py:7"]),
        ("    def load(self, key): super().__setattr__(key, 1)\n", &["doubt a.py:7"]),
        ("    def __setattr__(self, key, value): self.__dict__[key] = value\n", &[]),
        ("    def load(self, other, key): other.__dict__[key] = 1\n", &[]),
    ] {
        check("pace", &format!("{class}{body}"), expected);
    }
}

#[test]
fn what_a_module_has_that_is_looked_up_by_computed_names() {
    for (user, expected) in [
        ("def run(name):\n    return globals()[name]()\n", &["doubt a.py:4"][..]),
        ("def run(name):\n    return getattr(sys.modules[__name__], name)()\n", &["doubt a.py:4"]),
        ("def run(name):\n    globals()[name] = 1\n", &[]),
        ("def run(name):\n    return vars()[name]\n", &[]),
        ("def run():\n    return [globals()[name] for name in (\"a\", \"b\")]\n", &[]),
        ("//- b.py\nimport a\n\ndef run(name):\n    return getattr(a, name)()\n", &["doubt b.py:4"]),
        (
            "//- b.py\nimport a\n\ndef run(name):\n    return vars(a)[name], a.__dict__[name]\n",
            &["doubt b.py:4 b.py:4"],
        ),
        ("//- b.py\nfrom a import sell\n\ndef run(name):\n    return globals()[name]()\n", &["doubt b.py:4"]),
        (
            "//- b.py\nimport c\n\ndef run(name):\n    return globals()[name](), getattr(c, name)\n//- c.py\nx = 1\n",
            &[],
        ),
        ("//- b.py\nimport a\n\ndef run(x, name):\n    return getattr(x, name)\n", &[]),
    ] {
        check("buy", &format!("//- a.py\ndef $0sell(): ...\n\n{user}"), expected);
    }
    let set = "//- a.py\n$0rate = 1\n\ndef put(name):\n    globals()[name] = 2\n";
    check("pace", set, &["doubt a.py:4"]);
}
