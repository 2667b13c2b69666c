//! Renames of Python's locals and parameters: without a server they are accepted where two readings of the scopes agree; what
//! else reads their names is told.

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

/// Checks that the rename is complete and leaves these texts.
fn renames(lib: (&str, &str), user: (&str, &str), (name_path, new_name): (&str, &str)) {
    let files = [PROJECT, ("lib.py", lib.0.as_bytes()), ("user.py", user.0.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", rename(name_path, new_name)).await;
        assert_eq!(
            (stage.text("lib.py").as_str(), stage.text("user.py").as_str()),
            (lib.1, user.1),
            "{done}"
        );
        assert!(!done.contains("incomplete"), "{done}");
    });
}

#[test]
fn other_declarations_of_the_name_do_not_matter_to_a_local() {
    let lib = "size = 1\n\n\ndef f(size):\n    rows = [size for size in range(size)]\n\n    def g(rows):\n        return rows, size\n\n    return rows, g(rows=1), size\n\n\nclass A:\n    size = size\n    rows = 2\n";
    let user = "from lib import A, f, size\n\nrows = f(3)\nprint(A.rows, A.size, size, rows)\n";
    renames(
        (
            lib,
            &lib.replace("f(size):", "f(zz):")
                .replace("range(size)", "range(zz)")
                .replace("rows, size\n\n    return", "rows, zz\n\n    return")
                .replace("g(rows=1), size", "g(rows=1), zz"),
        ),
        (user, user),
        ("f/size", "zz"),
    );
    renames(
        (
            lib,
            &lib.replace("    rows = [", "    zz = [")
                .replace("return rows, g(rows=1)", "return zz, g(rows=1)"),
        ),
        (user, user),
        ("f/rows", "zz"),
    );
}

#[test]
fn keywords_follow_a_parameter_where_the_function_is_certain() {
    let lib = "class Box:\n    def __init__(self, size):\n        self.size = size\n\n\nclass Heir(Box):\n    pass\n\n\ndef f(size, other):\n    return size\n";
    let user = "import lib\nfrom lib import Box as B, Heir, f as g\n\nsize = 1\nB(size=size)\nHeir(size=2)\ng(size=3, other=4)\nlib.f(size=4, other=5)\ndict(size=5)\n";
    renames(
        (lib, &lib.replace("f(size, other):\n    return size", "f(zz, other):\n    return zz")),
        (user, &user.replace("g(size=", "g(zz=").replace("lib.f(size=", "lib.f(zz=")),
        ("f/size", "zz"),
    );
    renames(
        (lib, &lib.replace("self, size", "self, zz").replace("= size", "= zz")),
        (user, &user.replace("B(size=", "B(zz=").replace("Heir(size=", "Heir(zz=")),
        ("Box/__init__/size", "zz"),
    );
}

#[test]
fn keywords_of_calls_that_may_mean_the_parameter_refuse_without_a_server() {
    for (lib, user, name_path, place) in [
        (
            "class A:\n    def go(self, size):\n        return size\n",
            "def run(a):\n    return a.go(size=1)\n",
            "A/go/size",
            "user.py:2",
        ),
        (
            "class A:\n    def __init__(self, size):\n        self.size = size\n",
            "from lib import A\n\nKINDS = [A]\nKINDS[0](size=1)\n",
            "A/__init__/size",
            "user.py:4",
        ),
        (
            "class A:\n    def __call__(self, size):\n        return size\n",
            "def run(a):\n    return a(size=1)\n",
            "A/__call__/size",
            "user.py:2",
        ),
        ("def f(size):\n    return size\n", "from lib import f\n\ng = f\ng(size=1)\n", "f/size", "user.py:4"),
    ] {
        let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
        play(&files, Answers::NoServer, async |stage| {
            let refused = stage.refused("rename_symbol", rename(name_path, "zz")).await;
            assert!(refused.contains(place), "{refused}");
        });
    }
}

#[test]
fn keywords_of_what_is_called_without_its_name_refuse_without_a_server() {
    let class = "class A:\n    def __init__(self, size):\n        self.size = size\n";
    for (lib, user, name_path, place) in [
        (
            "def grow(size):\n    return size\n",
            "import lib\n\ngetattr(lib, \"grow\")(size=1)\n",
            "grow/size",
            "user.py:3",
        ),
        (
            "class A:\n    def go(self, size):\n        return size\n",
            "from operator import methodcaller\n\nmethodcaller(\"go\", size=1)\n",
            "A/go/size",
            "user.py:3",
        ),
        (
            "def deco(fn):\n    def run(n):\n        return fn(size=n)\n\n    return run\n\n\n@deco\ndef f(size):\n    return size\n",
            "",
            "f/size",
            "lib.py:3",
        ),
        (class, "def twin(x):\n    return type(x)(size=2)\n", "A/__init__/size", "user.py:2"),
        (
            class,
            "def twin(x):\n    kind = x.__class__\n    return kind(size=2)\n",
            "A/__init__/size",
            "user.py:3",
        ),
        (
            "class Base:\n    pass\n\n\nclass A(Base):\n    def __init__(self, size):\n        self.size = size\n",
            "from lib import Base\n\nall = [kind(size=1) for kind in Base.__subclasses__()]\n",
            "A/__init__/size",
            "user.py:3",
        ),
        (
            "class Base:\n    @classmethod\n    def make(cls, **kw):\n        return cls(**kw)\n\n\nclass A(Base):\n    def __init__(self, size):\n        self.size = size\n",
            "def run(kind):\n    return kind.make(size=1)\n",
            "A/__init__/size",
            "user.py:2",
        ),
        (
            "def f(size):\n    return size\n\n\ndef h(size):\n    return size * 2\n\n\nf = h\nf(size=1)\n",
            "",
            "h/size",
            "lib.py:10",
        ),
        (
            "def go(self, size):\n    return size\n",
            "import lib\n\n\nclass A:\n    pass\n\n\nA.step = lib.go\nA().step(size=1)\n",
            "go/size",
            "user.py:9",
        ),
    ] {
        let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
        play(&files, Answers::NoServer, async |stage| {
            let refused = stage.refused("rename_symbol", rename(name_path, "zz")).await;
            assert!(refused.contains(place), "{refused}");
        });
    }
}

#[test]
fn keywords_of_what_is_called_without_its_name_are_told_with_a_server() {
    let class = "class A:\n    def __init__(self, size):\n        self.size = size\n";
    let Some(servers) = real_server("ty") else { return };
    for (lib, user, name_path) in [
        ("def grow(size):\n    return size\n", "import lib\n\ngetattr(lib, \"grow\")(size=1)\n", "grow/size"),
        (
            "class A:\n    def go(self, size):\n        return size\n",
            "from operator import methodcaller\n\nmethodcaller(\"go\", size=1)\n",
            "A/go/size",
        ),
        (class, "def twin(x):\n    return type(x)(size=2)\n", "A/__init__/size"),
        (class, "def twin(x):\n    kind = x.__class__\n    return kind(size=2)\n", "A/__init__/size"),
    ] {
        let files = [PROJECT, ("lib.py", lib.as_bytes()), ("user.py", user.as_bytes())];
        play(&files, Answers::Real(servers.clone()), async |stage| {
            let done = stage.done("rename_symbol", rename(name_path, "zz")).await;
            assert!(done.contains("keeps its name there") && done.contains("incomplete: "), "{done}");
        });
    }
}

#[test]
fn unnamed_keywords_of_variables_that_may_hold_the_function_are_told() {
    let told = "calls may pass 'size' by keyword without naming it in the call";
    for lib in [
        "OPTS = dict(size=1)\n\n\ndef f(size):\n    return size\n\n\ndef run(fn):\n    return fn(**OPTS)\n\n\nrun(f)\n",
        "def deco(fn):\n    def run(**kw):\n        kw[\"size\"] += 1\n        return fn(**kw)\n\n    return run\n\n\n@deco\ndef f(size):\n    return size\n",
    ] {
        each(lib, "", async |stage| {
            let done = stage.done("rename_symbol", rename("f/size", "zz")).await;
            assert!(done.contains(told) && done.contains("incomplete: "), "{done}");
            stage.undo().await;
        });
    }
    let lib = "import functools\n\n\ndef deco(fn):\n    @functools.wraps(fn)\n    def run(*args, **kw):\n        return fn(*args, **kw)\n\n    return run\n\n\n@deco\ndef f(size):\n    return size\n\n\nf(size=1)\n";
    renames(
        (
            lib,
            &lib.replace("f(size)", "f(zz)").replace("return size", "return zz").replace("f(size=", "f(zz="),
        ),
        ("", ""),
        ("f/size", "zz"),
    );
}

#[test]
fn a_private_parameter_is_refused_where_keywords_outside_of_the_class_pass_it() {
    let lib = "class A:\n    def __init__(self, size):\n        self.x = size\n\n\nA(size=1)\n";
    each(lib, "", async |stage| {
        let refused = stage.refused("rename_symbol", rename("A/__init__/size", "__size")).await;
        assert!(refused.contains("private"), "{refused}");
    });
}

#[test]
fn a_name_in_code_that_a_class_body_may_mean_otherwise_is_not_agreed_on() {
    let lib = "def f(size):\n    class A:\n        size = size\n\n    return A, size\n\n\nsize = 1\n";
    play(&[PROJECT, ("lib.py", lib.as_bytes())], Answers::NoServer, async |stage| {
        let refused = stage.refused("rename_symbol", rename("f/size", "zz")).await;
        assert!(refused.contains("lib.py:3"), "{refused}");
    });
}

#[test]
fn what_prints_or_reaches_a_name_is_told() {
    for (lib, name_path, told) in [
        ("def f(size):\n    return f\"{size=}\"\n", "f/size", "an f-string prints 'size' as it is spelled"),
        ("def size():\n    return 1\n\n\nprint(f\"{size() = }\")\n", "size", "an f-string prints 'size'"),
        ("def f():\n    size = 1\n    return locals()\n", "f/size", "variables are reached by their names"),
        (
            "def f(code):\n    size = 1\n    return eval(code)\n",
            "f/size",
            "variables are reached by their names",
        ),
        (
            "import sys\n\n\ndef show():\n    return sys._getframe(1).f_locals[\"size\"]\n\n\ndef f():\n    size = 1\n    return show(), size\n",
            "f/size",
            "variables are reached by their names",
        ),
        (
            "def f(code):\n    size = 1\n\n    def g():\n        return eval(code), size\n\n    return g()\n",
            "f/size",
            "variables are reached by their names",
        ),
        (
            "import enum\n\n\nclass Color(enum.Enum):\n    RED = 1\n\n\nprint(Color[\"red\".upper()])\n",
            "Color/RED",
            "are computed and looked up",
        ),
    ] {
        each(lib, "", async |stage| {
            let done = stage
                .done("rename_symbol", rename(name_path, if name_path == "Color/RED" { "ZZ" } else { "zz" }))
                .await;
            assert!(done.contains(told) && done.contains("incomplete: "), "{done}");
            stage.undo().await;
        });
    }
    each("def f(size):\n    return f\"{size}\", eval(\"1\"), dir(size)\n", "", async |stage| {
        let done = stage.done("rename_symbol", rename("f/size", "zz")).await;
        assert!(!done.contains("incomplete"), "{done}");
    });
}

#[test]
fn what_reads_the_names_of_parameters_is_told() {
    let told = "the names of a function's parameters are read here";
    for (lib, name_path) in [
        (
            "import inspect\n\n\ndef make(fn):\n    return inspect.signature(fn)\n\n\ndef f(size):\n    return size\n\n\nmake(f)\n",
            "f/size",
        ),
        (
            "import inspect\n\n\ndef make(fn):\n    return inspect.signature(fn)\n\n\n@make\ndef f(size):\n    return size\n",
            "f/size",
        ),
        (
            "import typer\n\napp = typer.Typer()\n\n\n@app.command()\ndef f(size: int):\n    return size\n",
            "f/size",
        ),
    ] {
        each(lib, "", async |stage| {
            let done = stage.done("rename_symbol", rename(name_path, "zz")).await;
            assert!(done.contains(told) && done.contains("incomplete: "), "{done}");
            stage.undo().await;
        });
    }
    let lib = "import functools\nimport inspect\n\n\ndef make(fn):\n    return inspect.signature(fn)\n\n\n@functools.lru_cache(maxsize=2)\ndef f(size):\n    return size\n\n\nf(1)\n";
    each(lib, "", async |stage| {
        let done = stage.done("rename_symbol", rename("f/size", "zz")).await;
        assert!(!done.contains(told), "{done}");
    });
}
