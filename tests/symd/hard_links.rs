//! Hard links: what is written to one name is seen at all names of the file by the next question.

use crate::support::{User, write};

#[test]
fn what_is_written_to_one_name_is_seen_at_the_others() {
    let user = User::new();
    let at = |name: &str| user.path(&format!("project/{name}"));
    write(&at("a.py"), "def first(): pass\n");
    std::fs::create_dir(at("d")).unwrap();
    std::fs::hard_link(at("a.py"), at("d/b.py")).unwrap();
    let seen_at_all = |name: &str, names: &[&str]| {
        let answer = user.find(name);
        for path in names {
            assert!(answer.contains(&format!("{path}:1 function {name}")), "{path}: {answer}");
        }
    };
    seen_at_all("first", &["a.py", "d/b.py"]);
    for round in 0..5 {
        write(&at("a.py"), &format!("def by_a{round}(): pass\n"));
        seen_at_all(&format!("by_a{round}"), &["a.py", "d/b.py"]);
        write(&at("d/b.py"), &format!("def by_b{round}(): pass\n"));
        seen_at_all(&format!("by_b{round}"), &["a.py", "d/b.py"]);
    }
    // A second name for a file that had only one; and a script, which is code because of its first line.
    write(&at("c.py"), "def third(): pass\n");
    write(&at("script"), "nothing yet\n");
    user.find("third");
    std::fs::hard_link(at("c.py"), at("d/e.py")).unwrap();
    std::fs::hard_link(at("script"), at("d/script.py")).unwrap();
    user.find("third");
    write(&at("d/e.py"), "def fourth(): pass\n");
    write(&at("d/script.py"), "#!/usr/bin/env python3\ndef fifth(): pass\n");
    seen_at_all("fourth", &["c.py", "d/e.py"]);
    let answer = user.find("fifth");
    assert!(answer.contains("script:2 function fifth") && answer.contains("d/script.py:2"), "{answer}");
    // Removing one name keeps the other.
    std::fs::remove_file(at("a.py")).unwrap();
    write(&at("d/b.py"), "def last(): pass\n");
    let answer = user.find("last");
    assert!(answer.starts_with("d/b.py:1 ") && !answer.contains("a.py"), "{answer}");
}
