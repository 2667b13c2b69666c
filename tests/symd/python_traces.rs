//! `symd trace` and `symd investigate` on what the python3 of this machine prints when a program of the user's project fails.

use std::process::Command;

use crate::git_stage::given;
use crate::support::{User, write};

const TILL: &str = "import json


class OutOfStock(Exception):
    pass


class Till:
    def __init__(self, stock):
        self.stock = stock

    def take(self, isbn):
        try:
            return self.stock[isbn]
        except KeyError as error:
            raise OutOfStock(f\"no {isbn}\\nin the shelf\") from error

    def refill(self, text):
        try:
            return json.loads(text)
        except ValueError:
            return self.stock[\"refill\"] + 1


def total(numbers):
    return sum(map(lambda one: one / 0, numbers))


def deep(n):
    return deep(n + 1)
";

const MAIN: &str = "import sys
import threading
from shop.till import Till, deep, total

if sys.argv[1] == \"cause\":
    Till({}).take(\"1\")
elif sys.argv[1] == \"context\":
    Till({}).refill(\"{\")
elif sys.argv[1] == \"lambda\":
    total([1, 2])
elif sys.argv[1] == \"deep\":
    deep(0)
elif sys.argv[1] == \"thread\":
    thread = threading.Thread(target=Till({}).take, args=(\"2\",), name=\"till\")
    thread.start()
    thread.join()
";

fn user() -> User {
    let user = User::new();
    std::fs::create_dir_all(user.path("project/shop")).unwrap();
    write(&user.path("project/shop/till.py"), TILL);
    write(&user.path("project/main.py"), MAIN);
    user
}

/// Runs the program; returns what it printed on stderr.
fn printed(user: &User, case: &str) -> String {
    let mut command = user.dressed(Command::new("python3"));
    // The interpreter of a version manager needs the real home.
    command.env("HOME", std::env::var_os("HOME").unwrap_or_default());
    let output =
        command.args(["-B", &user.path("project/main.py").to_string_lossy(), case]).output().unwrap();
    String::from_utf8(output.stderr).unwrap()
}

fn traced(user: &User, text: &str) -> String {
    given(user, &["trace"], text)
}

#[test]
fn the_cause_comes_first_and_own_frames_are_placed() {
    let user = user();
    let answer = traced(&user, &printed(&user, "cause"));
    let expected = "KeyError: '1'
shop/till.py:14 in Till/take
     11 
     12     def take(self, isbn):
     13         try:
  >  14             return self.stock[isbn]
     15         except KeyError as error:
     16             raise OutOfStock(f\"no {isbn}\\nin the shelf\") from error
     17 

led to: shop.till.OutOfStock: no 1
  in the shelf
shop/till.py:16 in Till/take
main.py:6
[frames of this project: 3 of 3; read from the sources as they are now]
";
    assert_eq!(answer, expected);
}

#[test]
fn frames_of_libraries_are_folded() {
    let user = user();
    let answer = traced(&user, &printed(&user, "context"));
    assert!(answer.starts_with("json.decoder.JSONDecodeError: "), "{answer}");
    assert!(answer.contains("\n  … 3 frames of json\nshop/till.py:20 in Till/refill\n"), "{answer}");
    assert!(
        answer.contains("\nled to: KeyError: 'refill'\nshop/till.py:22 in Till/refill\nmain.py:8\n"),
        "{answer}"
    );
    assert!(answer.contains("[frames of this project: 3 of 6;"), "{answer}");
    let answer = traced(&user, &printed(&user, "thread"));
    assert!(answer.starts_with("KeyError (thread till): '2'\nshop/till.py:14 in Till/take\n"), "{answer}");
    assert!(answer.contains("frames of threading\n"), "{answer}");
}

#[test]
fn lambdas_and_recursion_are_placed() {
    let user = user();
    let answer = traced(&user, &printed(&user, "lambda"));
    assert!(answer.contains("\nshop/till.py:26 in total as till.<lambda>\n"), "{answer}");
    assert!(answer.contains("\nshop/till.py:26 in total\nmain.py:10\n") && !answer.contains('?'), "{answer}");
    let answer = traced(&user, &printed(&user, "deep"));
    assert!(answer.starts_with("RecursionError: maximum recursion depth exceeded"), "{answer}");
    assert!(answer.contains("this frame × 9") && answer.contains("\nshop/till.py:30 in deep\n"), "{answer}");
}

#[test]
fn sources_that_changed_and_other_directories_are_doubted() {
    let user = user();
    let text = printed(&user, "cause");
    let elsewhere = text.replace(&*user.path("project").to_string_lossy(), "/app");
    let answer = traced(&user, &elsewhere);
    assert!(
        answer.contains("\n? shop/till.py:14 in Till/take (the frame is of /app/shop/till.py)\n"),
        "{answer}"
    );
    let installed = elsewhere.replace("/app", "/usr/lib/python3/dist-packages");
    assert!(traced(&user, &installed).contains("frames of this project: 0 of 3"));
    write(&user.path("project/shop/till.py"), &format!("# moved\n# moved\n{TILL}"));
    let answer = traced(&user, &text);
    let doubt = "sources differ from the run: line 14 is not `return self.stock[isbn]`";
    assert!(answer.contains(&format!("\n? shop/till.py:16 in Till/take ({doubt})\n")), "{answer}");
    assert!(answer.contains("\nmain.py:6\n"), "{answer}");
}

#[test]
fn investigate_tells_who_calls_it() {
    let user = user();
    let log = format!(
        "2026-11-27 10:00:00 INFO started\n{}2026-11-27 10:00:01 INFO ended\n",
        printed(&user, "cause")
    );
    let answer = given(&user, &["investigate"], &log.replace('\n', "\r\n"));
    assert!(answer.starts_with("KeyError: '1'\nshop/till.py:14 in Till/take\n"), "{answer}");
    assert!(answer.contains("\ncallers:\n  main.py:6 main > Till.take\n"), "{answer}");
    assert!(!answer.contains("INFO"), "{answer}");
    assert!(answer.contains("explore Till/take in shop/till.py"), "{answer}");
}
