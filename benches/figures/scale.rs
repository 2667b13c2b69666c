//! Queries with about two million symbols: copies of a tree, each with names of its own, so that queries have
//! few hits.

use std::path::Path;

use serde_json::json;
use symd::base::Cancel;
use symd::syntax::{self, Grammar};

use crate::bare;
use crate::daemon::Daemon;
use crate::latency::{ask, exact_queries, names, substring_queries};
use crate::table::{Table, ms, percentiles};

const SYMBOLS: usize = 2_000_000;

pub(crate) fn measure(tree: &Path, table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let large = scratch.path().join("large");
    let names = names(tree);
    let sources = bare::sources_with_paths(tree);
    let of_one_copy: usize = sources.iter().map(|(_, grammar, text)| symbols_in(*grammar, text)).sum();
    let copies = SYMBOLS / of_one_copy.max(1);
    for copy in 0..copies {
        for (path, _, text) in &sources {
            let target = large.join(format!("copy_{copy}")).join(path);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            // Only the first copy keeps its names: a query for one of them has as many hits as in the tree
            // alone.
            let text = if copy == 0 { text.clone() } else { renamed(text, copy) };
            std::fs::write(target, text).unwrap();
        }
    }
    let daemon = Daemon::at(&large, &scratch.path().join("home"));
    daemon.run(&["start"]);
    daemon.wait_until_indexed();
    let mut connection = daemon.connect("native");
    let symbols = daemon.status()["symbols"].as_u64().unwrap_or(0);
    // The name tables are built after the first answer.
    while daemon.status()["segments"] == json!(0) {
        connection.call("find_symbol", &json!({"name_path_pattern": "__no_such_symbol__"}));
    }
    for (figure, queries, part, target) in [
        ("find_symbol exact, p50 / p99", exact_queries(&names), false, "≤ 0.9 / 6 ms"),
        ("find_symbol substring, p50 / p99", substring_queries(&names), true, "≤ 3 / 15 ms"),
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

/// Returns the text with different names for what it declares with `def`, `class`, `fun` or on `self`.
fn renamed(text: &str, copy: usize) -> String {
    let text = text.replace("def ", &format!("def c{copy}_")).replace("class ", &format!("class C{copy}_"));
    text.replace("fun ", &format!("fun c{copy}_")).replace("self.", &format!("self.c{copy}_"))
}

fn symbols_in(grammar: Grammar, text: &str) -> usize {
    syntax::outline(grammar, text, &Cancel::new()).unwrap().rows.len()
}
