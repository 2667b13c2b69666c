//! Files of equal content share one outline: it is made once, and takes memory once. No answer depends on it.

use serde_json::Value;

use crate::memory_status::{bytes, memory};
use crate::support::{User, write};

const COPIES: usize = 40;
const SYMBOLS: usize = 200;

fn text() -> String {
    let others = (0..SYMBOLS).map(|number| format!("def other_{number}(value):\n    return value\n\n\n"));
    let shop = "class Shop:\n    def open(self):\n        return helper()\n\n\ndef helper():\n    return 1\n";
    others.chain([shop.to_owned()]).collect()
}

/// Makes copies of one module, each in a package of its own with a module that uses it.
fn project(copies: usize) -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    for copy in 0..copies {
        let package = user.path(&format!("project/copy_{copy}"));
        std::fs::create_dir_all(&package).unwrap();
        write(&package.join("__init__.py"), "");
        write(&package.join("shop.py"), &text());
        write(&package.join("use.py"), "from .shop import helper\n\n\ndef use():\n    return helper()\n");
    }
    user
}

/// Waits until everything is read; returns the status.
fn read_all(user: &User) -> Value {
    user.check(&["index"], 0);
    user.status()
}

#[test]
fn an_outline_is_made_once_and_kept_once() {
    let (one, many) = (project(1), project(COPIES));
    let (of_one, of_many) = (read_all(&one), read_all(&many));
    assert_eq!(
        of_many["symbols"].as_u64(),
        of_one["symbols"].as_u64().map(|symbols| symbols * COPIES as u64),
        "{of_many}"
    );
    let outlines = |user: &User| bytes(&memory(user), "outlines_bytes");
    assert!(outlines(&many) < 4 * outlines(&one), "{} and {}", outlines(&many), outlines(&one));
    // Threads may parse the first files of a content at the same time.
    let misses = of_many["cache"]["misses"].as_u64().unwrap();
    assert!(misses < COPIES as u64, "{of_many}");
}

#[test]
fn each_file_has_uses_of_its_own() {
    let user = project(COPIES);
    read_all(&user);
    let uses = |copy: usize| user.check(&["refs", "helper", "--in", &format!("copy_{copy}/shop.py")], 0);
    for copy in [0, 7, COPIES - 1] {
        let answer = uses(copy);
        let is_own = answer.starts_with(&format!("copy_{copy}/\n")) && answer.matches("copy_").count() == 1;
        assert!(is_own && answer.contains("[3 references in 2 files"), "{answer}");
    }
    // One that changes leaves the others as they are.
    write(&user.path("project/copy_7/shop.py"), "def helper():\n    return 2\n");
    let answer = user.check(&["find", "Shop/open"], 0);
    assert!(answer.contains(&format!("[{} symbols", COPIES - 1)) && !answer.contains("copy_7"), "{answer}");
    assert!(uses(7).contains("[2 references in 1 file"), "{}", uses(7));
    assert!(uses(8).contains("[3 references in 2 files"), "{}", uses(8));
}
