//! Queries at about two million symbols: copies of a tree, each under its own names, so that queries keep few hits.

use std::path::Path;

use serde_json::json;

use crate::copy_tree;
use crate::daemon::Daemon;
use crate::latency::{ask, exact_queries, names, substring_queries};
use crate::table::{Table, ms, percentiles};

const SYMBOLS: u64 = 2_000_000;

pub(crate) fn measure(tree: &Path, table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let large = scratch.path().join("large");
    let names = names(tree);
    let total: usize = names.values().sum::<usize>().max(1);
    // Only the first copy keeps its names: a query for one of them has as many hits as in the tree alone.
    copy_tree(tree, &large.join("copy_0"));
    let copies = SYMBOLS / total as u64;
    for copy in 1..copies {
        let target = large.join(format!("copy_{copy}"));
        copy_tree(tree, &target);
        rename_declarations(&target, copy);
    }
    let daemon = Daemon::at(&large, &scratch.path().join("home"));
    daemon.run(&["start"]);
    let mut connection = daemon.connect("native");
    connection.call("find_symbol", &json!({"name_path_pattern": "__no_such_symbol__"}));
    let symbols = daemon.status()["symbols"].as_u64().unwrap_or(0);
    // The name tables are built behind the first answer.
    while daemon.status()["segments"] == json!(0) {
        connection.call("find_symbol", &json!({"name_path_pattern": "__no_such_symbol__"}));
    }
    for (figure, queries, part, target) in [
        ("find_symbol exact, p50 / p99", exact_queries(&names), false, "≤ 3 × that at 100k"),
        ("find_symbol substring, p50 / p99", substring_queries(&names), true, "≤ 3 × that at 100k"),
    ] {
        let (p50, p99) = percentiles(ask(&mut connection, &queries, part));
        table.row(
            "copies",
            figure,
            format!("{} / {}", ms(p50), ms(p99)),
            format!("{symbols} symbols"),
            target,
        );
    }
}

/// Gives what a copy declares with `def` or `class` names of its own.
fn rename_declarations(directory: &Path, copy: u64) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rename_declarations(&path, copy);
        } else if path.extension().is_some_and(|extension| extension == "py" || extension == "kt") {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let text =
                text.replace("def ", &format!("def c{copy}_")).replace("class ", &format!("class C{copy}_"));
            let text =
                text.replace("fun ", &format!("fun c{copy}_")).replace("self.", &format!("self.c{copy}_"));
            std::fs::write(&path, text).unwrap();
        }
    }
}
