//! Tests: extreme inputs must neither crash nor hang the extractor.

use super::*;
use symd_base::Cancel;

fn grammar(name: &str) -> Grammar {
    Grammar::named(name).expect("is there")
}

fn rows(name: &str, text: &str) -> usize {
    outline(grammar(name), text, &Cancel::new()).expect("not cancelled").rows.len()
}

#[test]
fn empty_and_blank_files_have_no_symbols() {
    for grammar in Grammar::all() {
        for text in ["", "\n", "\r\r\n", " \t", "\u{FEFF}", "\0"] {
            let outline = outline(grammar, text, &Cancel::new()).expect("not cancelled");
            assert_eq!(outline.rows.len(), 0, "{grammar:?} {text:?}");
        }
    }
}

#[test]
fn ten_thousand_levels_of_nesting() {
    let depth = 10_000;
    let parens = format!("x = {}1{}\ndef after(): pass\n", "(".repeat(depth), ")".repeat(depth));
    assert!(rows("python", &parens) >= 1);
    let open = "x = ".to_owned() + &"[".repeat(depth);
    rows("python", &open);
    let classes: String = (0..1_000).map(|level| format!("{}class C:\n", " ".repeat(level))).collect();
    rows("python", &classes);
    for grammar in Grammar::all() {
        let braces = "class A { ".repeat(depth) + &"}".repeat(depth);
        outline(grammar, &braces, &Cancel::new()).expect("not cancelled");
    }
}

#[test]
fn a_megabyte_on_one_line() {
    let statements = "a=1;".repeat(250_000);
    assert_eq!(rows("python", &statements), 1);
    let names: String = (0..30_000).map(|n| format!("v{n}=1;")).collect();
    assert_eq!(rows("python", &names), 30_000);
    let list = format!("x = [{}]", "1,".repeat(500_000));
    assert_eq!(rows("python", &list), 1);
    let targets = format!("{} = y", (0..20_000).map(|n| format!("t{n}, ")).collect::<String>());
    assert_eq!(rows("python", &targets), 20_000);
}

#[test]
fn names_that_do_not_fit_a_row_are_passed_over() {
    let long = "n".repeat(70_000);
    assert_eq!(rows("python", &format!("def {long}(a): pass\ndef short(): pass\n")), 1);
    let longest = "n".repeat(65_535);
    assert_eq!(rows("python", &format!("{longest} = 1\n")), 1);
}

#[test]
fn a_raised_flag_stops_the_work_and_leaves_the_thread_usable() {
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(matches!(outline(grammar("python"), "a = 1", &cancel), Err(OutlineError::Cancelled)));
    assert_eq!(rows("python", "a = 1"), 1);

    // Cancelled while it works: 20 MB take seconds.
    let text = "def f(a, b): return [a for a in b]\n".repeat(600_000);
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let worker = std::thread::spawn(move || {
        let stopped = outline(Grammar::named("python").expect("is there"), &text, &cancel);
        (stopped.map(|_| ()), rows("python", "a = 1"))
    });
    stop.cancel();
    let (stopped, after) = worker.join().expect("no panic");
    assert!(matches!(stopped, Err(OutlineError::Cancelled)));
    assert_eq!(after, 1);
}

#[test]
fn text_cut_anywhere_gives_an_outline() {
    let text = include_str!("../../../fixtures/outline/kotlin/declarations.kt");
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)).step_by(7) {
        rows("kotlin", &text[..end]);
        rows("kotlin", &text[end..]);
    }
}

#[test]
fn line_ends_of_all_three_kinds_count_once() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["class A:", "    def f(self):", "        pass", "", "x = 1"].join(end);
        let outline = outline(grammar("python"), &text, &Cancel::new()).expect("not cancelled");
        let lines: Vec<(u32, u32)> = outline.rows.iter().map(|row| (row.start_line, row.end_line)).collect();
        assert_eq!(lines, [(0, 2), (1, 2), (4, 4)], "{end:?}");
    }
}

#[test]
fn identifiers_are_found_where_they_stand() {
    let text = "import os\ndef naïve(os): return os.path  # os\n";
    let outline = outline(grammar("python"), text, &Cancel::new()).expect("not cancelled");
    let found: Vec<u32> = outline.occurrences.offsets_of("os").collect();
    assert_eq!(found, [7, 21, 33]);
    assert_eq!(outline.occurrences.distinct(), 3);
    let text = "fun `a b`() = `a b`()";
    let outline = super::outline(grammar("kotlin"), text, &Cancel::new()).expect("not cancelled");
    assert_eq!(outline.occurrences.offsets_of("a b").collect::<Vec<_>>(), [5, 15]);
}
