//! Traces of the project in fixtures/traces/market on its next version, whose sources have changed as those of a project do: members renamed,
//! removed, moved and added, overloads before those that were there, so that a line of the build is now one of another method of the
//! name. Whole traces are asked about. Marks in the sources, by hand, tell what each declaration has become.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use symd::git::GitError;
use symd::ops::stack_trace::{MappingChoice, TraceQuestion, resolve_trace};

use crate::market_traces::{TruePlace, market, places_by_case, written_cases};
use crate::opened::Opening;

const PACKAGES: [(&str, &str); 6] = [
    ("orders", "Order"),
    ("stock", "Crate"),
    ("users", "Member"),
    ("prices", "Price"),
    ("search", "Query"),
    ("sync", "Batch"),
];

/// The changes of one file: what is replaced by what, each once; `~` is the package's noun.
struct ChangedFile {
    /// Beneath the package's source set.
    name: &'static str,
    replaced: &'static [(&'static str, &'static str)],
}

const CHANGES: [ChangedFile; 6] = [
    ChangedFile {
        name: "Util.kt",
        replaced: &[
            // An overload on the lines of the one that was there.
            (
                "fun refuse~(count: Int): Int {\n",
                "fun refuse~(text: String): Int {\n    return refuse~(text.length)\n}\n\nfun refuse~(count: Int): Int {\n",
            ),
            ("fun short~(count: Int) = refuse~(count) //@ short~\n\n", ""),
            ("fun String.as~(): Int {", "fun String.measured~(): Int {"),
            (
                "    var sum = 0\n",
                "    var sum = 0\n    // An empty list is a fault of the caller's.\n    check(all.isNotEmpty())\n",
            ),
            (
                "fun local~(",
                "fun fresh~(count: Int): Int {\n    val more = count * 2\n    return refuse~(more)\n}\n\nfun local~(",
            ),
            (
                "fun lambda~(count: Int): Int {\n    val later = { more: Int ->\n        refuse~(more) //@ lambda~\n    }\n    return later(count) //@ lambda~\n}\n\n",
                "",
            ),
            (
                "tailrec fun countdown~(count: Int): Int {",
                "/** Counts down to zero. */\ntailrec fun countdown~(count: Int): Int {",
            ),
        ],
    },
    ChangedFile {
        name: "Models.kt",
        replaced: &[
            (
                "    fun check(): Int {\n        return refuse~(count) //@ ~/check\n    }\n\n    private fun hidden(): Int = refuse~(id) //@ ~/hidden\n",
                "    private fun hidden(): Int = refuse~(id)\n\n    /** Whether it can be sold. */\n    fun check(): Int {\n        return refuse~(count)\n    }\n",
            ),
            ("text.as~()", "text.measured~()"),
            (
                "    constructor(one: Int) : this(listOf(~(one, one))) {\n",
                "    constructor(text: String) : this(emptyList()) {\n        refuse~(text.length)\n    }\n\n    constructor(one: Int) : this(listOf(~(one, one))) {\n",
            ),
            (
                "    infix fun with(other: Int): Int {\n        return refuse~(other) //@ ~Book/with\n    }\n\n",
                "",
            ),
            (
                "    class Cover {\n        fun open(): Int {\n            return refuse~(7) //@ ~Book/Cover/open\n        }\n    }\n\n",
                "",
            ),
            (
                "    LOST {\n",
                "    LATE {\n        override fun next(): Int = refuse~(3)\n    },\n    LOST {\n",
            ),
            (
                "    fun readAll(count: Int = 2): Int = read() + count //@ ~Source/readAll\n",
                "    fun readAll(text: String): Int = read() + text.length\n\n    fun readAll(count: Int = 2): Int = read() + count\n",
            ),
            ("    suspend fun load(count: Int): Int {", "    suspend fun fetch(count: Int): Int {"),
            ("val one = load(count)", "val one = fetch(count)"),
            (
                "object ~Registry {\n",
                "class Cover {\n    fun open(): Int {\n        return refuse~(7)\n    }\n}\n\ninfix fun ~Book.with(other: Int): Int {\n    return refuse~(other)\n}\n\nobject ~Registry {\n",
            ),
        ],
    },
    ChangedFile {
        name: "Totals.kt",
        replaced: &[(
            "fun total~(count: Int): Int {\n    val later = { refuse~(count) } //@ total~\n    return later() //@ total~\n}\n",
            "fun tax~(count: Int): Int = refuse~(count)\n",
        )],
    },
    ChangedFile {
        name: "Margins.kt",
        replaced: &[(
            "fun margin~(",
            "fun total~(count: Int): Int {\n    val later = { refuse~(count) }\n    return later()\n}\n\nfun margin~(",
        )],
    },
    ChangedFile {
        name: "Cases.kt",
        replaced: &[("short~(1)", "refuse~(1)"), ("\"abc\".as~()", "\"abc\".measured~()")],
    },
    ChangedFile {
        name: "~Ledger.java",
        replaced: &[(
            "    public int add(int count) {\n",
            "    public int add(String text) {\n        return add(text.length());\n    }\n\n    public int add(int count) {\n",
        )],
    },
];

const LAMBDAS: &str = "fun lambda~(count: Int): Int {\n    val later = { more: Int ->\n        refuse~(more)\n    }\n    return later(count)\n}\n";

/// What a declaration has become.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    /// It is still there, under this name path.
    Kept(String),
    /// Nothing has its name: it was renamed, moved or removed.
    Gone,
}

/// Returns the file, too: a function may have moved to another file of its facade.
fn fate(frame: &str, TruePlace { path, declaration, .. }: &TruePlace, noun: &str) -> (String, Fate) {
    let of_facade = frame.contains(&format!(".{noun}Sums.total{noun}("));
    let file = if of_facade { path.replace("Totals.kt", "Margins.kt") } else { path.clone() };
    let fate = fate_in(&file, declaration, noun);
    (file, fate)
}

fn fate_in(file: &str, declaration: &str, noun: &str) -> Fate {
    let of_noun = |text: &str| text.replace('~', noun);
    let is = |pattern: &str| declaration == of_noun(pattern);
    let gone = ["short~", "as~", "lambda~", "~Book/with", "~Book/Cover/open", "~Flow/load"];
    let numbered = [
        ("refuse~", "refuse~[1]"),
        ("~Book/constructor", "~Book/constructor[1]"),
        ("~Source/readAll", "~Source/readAll[1]"),
        ("~Ledger/add", "~Ledger/add[1]"),
    ];
    match numbered.iter().find(|(before, _)| is(before)) {
        Some((_, now)) => Fate::Kept(of_noun(now)),
        None if gone.iter().any(|one| is(one)) || is("total~") && file.ends_with("/Totals.kt") => Fate::Gone,
        None => Fate::Kept(declaration.to_owned()),
    }
}

/// Changes the sources of a copy of the project.
fn change(project: &Path) {
    for (package, noun) in PACKAGES {
        let of_noun = |text: &str| text.replace('~', noun);
        for ChangedFile { name, replaced } in CHANGES {
            let language = if name.ends_with(".java") { "java" } else { "kotlin" };
            let path =
                project.join(format!("{package}/src/main/{language}/market/{package}/{}", of_noun(name)));
            let mut text = std::fs::read_to_string(&path).unwrap();
            for (before, now) in replaced {
                let (before, now) = (of_noun(before), of_noun(now));
                assert_eq!(text.matches(&before).count(), 1, "{}: {before}", path.display());
                text = text.replace(&before, &now);
            }
            crate::support::write(&path, &text);
        }
        let lambdas = format!("package market.{package}\n\n{}", of_noun(LAMBDAS));
        crate::support::write(
            &project.join(format!("{package}/src/main/kotlin/market/{package}/Lambdas.kt")),
            &lambdas,
        );
    }
}

/// How a frame fares, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right,
    RightInDoubt,
    /// In doubt, or not placed.
    Elsewhere,
    Wrong,
}

/// How the frames of one form fare: each declaration, line and frame once, as in the trace in which it fares worst.
#[derive(Debug, Default)]
struct LaterTally {
    kept: BTreeMap<(String, TruePlace), Outcome>,
    gone: BTreeMap<(String, TruePlace), Outcome>,
    wrong: BTreeSet<String>,
}

impl LaterTally {
    fn count(&self, outcome: Outcome) -> usize {
        self.kept.values().filter(|one| **one == outcome).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_of_one_version_have_no_wrong_places_without_a_doubt_in_the_next() {
    let at = tempfile::tempdir().unwrap();
    let at = at.path().canonicalize().unwrap();
    crate::git_stage::copy(&market(), &at.join("project"));
    change(&at.join("project"));
    let project = Opening::new(&at, "").open(&at);
    for form in ["plain", "classes"] {
        let (cases, truth) = (written_cases(form), places_by_case(form));
        let answered = project.engine.ask(move |view| {
            let mut tally = LaterTally::default();
            for (title, text) in cases {
                let Some(of_case) = truth.get(&title) else { continue };
                let git = GitError::Failed("not asked".to_owned());
                let question = TraceQuestion {
                    text: &text,
                    mapping: MappingChoice::OfBuild,
                    variant: None,
                    revision: None,
                    git: Err(&git),
                };
                let resolved = resolve_trace(view, question, &symd::base::Cancel::new()).unwrap();
                let package = title.split(' ').next().unwrap();
                let noun = PACKAGES.iter().find(|(name, _)| *name == package).unwrap().1;
                let frames = resolved.traces.iter().flat_map(|trace| &trace.frames);
                let frames: Vec<_> =
                    frames.flat_map(|frame| std::iter::repeat_n(frame, frame.times)).collect();
                let printed = text.lines().filter(|line| line.trim_start().starts_with("at ")).count();
                assert_eq!(frames.len(), printed, "{title}: {frames:#?}");
                for (number, printed, place) in of_case {
                    let frame = frames[*number];
                    let (path, fate) = fate(printed, place, noun);
                    let is_right = |found: &symd::ops::stack_trace::FramePlace| {
                        let now = found.name_path.replace('`', "");
                        // An initializer is code of the class's own constructor, and so are the others.
                        let is_initializer =
                            printed.contains(".<init>(") && !place.declaration.ends_with("/constructor");
                        let class = place.declaration.split('/').next().unwrap_or_default();
                        let is_of_class = now == class
                            || now.starts_with(&format!("{class}/")) && !now.contains("/constructor");
                        let is_same = fate == Fate::Kept(now) || is_initializer && is_of_class;
                        found.path.as_str() == path && is_same
                    };
                    let outcome = match frame.places.as_slice() {
                        [one] if is_right(one) && one.doubt.is_none() => Outcome::Right,
                        [one] if is_right(one) => Outcome::RightInDoubt,
                        [one] if one.doubt.is_none() => Outcome::Wrong,
                        _ => Outcome::Elsewhere,
                    };
                    if outcome == Outcome::Wrong {
                        let said =
                            format!("{title}: {printed}: {}, not {:?}", place.declaration, frame.places);
                        tally.wrong.insert(said);
                    }
                    let of_fate = if fate == Fate::Gone { &mut tally.gone } else { &mut tally.kept };
                    let worst = of_fate.entry((printed.clone(), place.clone())).or_insert(outcome);
                    *worst = outcome.max(*worst);
                }
            }
            tally
        });
        let tally = answered.await.unwrap();
        let (right, in_doubt) = (tally.count(Outcome::Right), tally.count(Outcome::RightInDoubt));
        println!(
            "{form}: {} frames whose declaration is still there, {right} right without a doubt, {in_doubt} with one; {} of declarations that are gone; {} wrong",
            tally.kept.len(),
            tally.gone.len(),
            tally.wrong.len()
        );
        let elsewhere = tally.kept.iter().filter(|(_, outcome)| **outcome == Outcome::Elsewhere);
        elsewhere.for_each(|((frame, place), _)| {
            println!("  elsewhere, in doubt: {frame}: {}", place.declaration)
        });
        tally.wrong.iter().for_each(|one| println!("  wrong: {one}"));
        assert_eq!(tally.wrong, BTreeSet::new());
        assert!((right + in_doubt) * 100 >= tally.kept.len() * 95, "{form}");
    }
}
