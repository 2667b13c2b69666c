//! Frames whose names are not those of the source, of the project in fixtures/traces/paint: `@JvmName` of functions, accessors and
//! files, bodies of an enum's entries, and what constructors and initializers become. `fixtures/traces/make.sh` compiles and runs
//! it; marks in the sources, by hand, say which declaration holds a line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::market_traces::{FrameLines, TruePlace, tally};

const SOURCES: [&str; 2] = ["src/main/kotlin/paint/Names.kt", "src/main/java/paint/Jar.java"];

fn paint() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/paint")
}

/// The frames of lines that are marked, with what is true of them.
fn truth() -> BTreeSet<(String, TruePlace)> {
    let frame = regex::Regex::new(r"at (paint\..*\((\w+\.\w+):(\d+)\))").unwrap();
    let read = |name: &str| std::fs::read_to_string(paint().join(name)).unwrap();
    let crashes = [read("crashes-17.txt"), read("crashes-1.8.txt")].concat();
    let place = |found: regex::Captures<'_>| {
        let path = SOURCES.iter().find(|path| path.ends_with(&found[2]))?;
        let line: usize = found[3].parse().unwrap();
        let source = read(path);
        let declaration = source.lines().nth(line - 1)?.split_once("//@ ")?.1.to_owned();
        Some((found[1].to_owned(), TruePlace { path: (*path).to_owned(), line, declaration }))
    };
    frame.captures_iter(&crashes).filter_map(place).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_with_other_names_than_the_source_are_placed() {
    let frames = truth().len();
    assert!(frames >= 30, "{frames}");
    let built = tally(&paint(), truth(), None, FrameLines::Right).await;
    assert_eq!((built.right, &built.wrong, &built.elsewhere), (frames, &vec![], &vec![]), "{built:?}");

    // In later sources an initializer may be any of its class, and of javac's `Kind$2` only the enum is known.
    let later = tally(&paint(), truth(), None, FrameLines::OfEarlierSources).await;
    assert_eq!(
        (later.right + later.right_in_doubt, &later.wrong),
        (frames - 7, &vec![]),
        "{:#?}",
        later.elsewhere
    );
    let (unknown, class) = (
        regex::Regex::new(r"init>|_init_|Cup\$check|Kind\$2").unwrap(),
        regex::Regex::new(r"paint\.(\w+)").unwrap(),
    );
    for one in &later.elsewhere {
        let of = format!("name_path: \"{}", &class.captures(one).unwrap()[1]);
        assert!(unknown.is_match(one) && one.contains(&of), "{one}");
    }

    let without = tally(&paint(), truth(), None, FrameLines::None).await;
    assert_eq!(without.wrong, Vec::<String>::new());
}

/// A line in a method is in no constructor, and one in a function that `@JvmName` calls otherwise is not in this one.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_other_declarations_are_doubted() {
    let path = SOURCES[0].to_owned();
    let frames = [
        ("paint.Color.<init>(Names.kt:56)", 51, "Color"),
        ("paint.Pot.<clinit>(Names.kt:99)", 87, "Pot"),
        ("paint.Paints.<clinit>(Names.kt:13)", 1, ""),
        ("paint.Paints.total(Names.kt:13)", 7, "total[0]"),
        ("paint.Paints.given(Names.kt:39)", 39, "given"),
    ];
    let place = |(frame, line, declaration): (&str, usize, &str)| {
        let place = TruePlace { path: path.clone(), line, declaration: declaration.to_owned() };
        (frame.to_owned(), place)
    };
    let found = tally(&paint(), frames.map(place).into(), None, FrameLines::Right).await;
    assert_eq!(
        (found.right, found.doubted, &found.wrong),
        (0, frames.len(), &vec![]),
        "{:#?}",
        found.elsewhere
    );
}
