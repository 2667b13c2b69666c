//! How frames are read by mappings of ProGuard and R8.

use std::collections::BTreeSet;

use super::mapping::{MappingMisfit, TraceMapping};
use super::mapping_pieces::CutLines;
use super::mapping_reader::MappingReader;
use super::mapping_readings::retrace;
use super::parse::{ParsedFrame, ParsedTrace, parse_trace};

/// The forms of R8's specification: inlined frames, a file's name, overloads without lines.
const MAPPING: &str = "# compiler: R8\n# pg_map_id: 1a2b3c4\n# pg_map_hash: SHA-256 1a2b3c4d5e\nshop.app.Till -> a.a:\n\
    # {\"id\":\"sourceFile\",\"fileName\":\"Tills.kt\"}\n    int count -> a\n    1:1:void sell():12:12 -> a\n    \
    2:2:void shop.core.Catalog.take(int):30:30 -> a\n    2:2:void sell():13:13 -> a\n    void close(int) -> b\n    \
    void open(java.lang.String) -> b\n    4:4:int getCount() -> c\n    4:4:int \
    access$count(shop.app.Till) -> c\nshop.app.Gone -> a.b:\n";

fn read_bytes(bytes: &[u8], traces: &[ParsedTrace]) -> Result<TraceMapping, MappingMisfit> {
    let mut reader = MappingReader::of(traces);
    CutLines::default().take(bytes, &mut |line| reader.line(line));
    reader.finish()
}

fn read(trace: &str) -> Result<(TraceMapping, Vec<ParsedTrace>), MappingMisfit> {
    let traces = parse_trace(trace);
    read_bytes(MAPPING.as_bytes(), &traces).map(|mapping| (mapping, traces))
}

fn shown(trace: &str) -> Vec<String> {
    let (mapping, mut traces) = read(trace).expect("fits");
    let name = |frame: &ParsedFrame| {
        format!(
            "{}.{}:{}",
            frame.class,
            frame.method,
            frame.line.map_or(String::new(), |line| line.to_string())
        )
    };
    let mut all: Vec<String> = Vec::new();
    retrace(&[(String::new(), mapping)], &mut traces);
    for trace in &traces {
        all.push(trace.error_type.clone());
        all.extend(trace.frames.iter().map(|frame| {
            let or =
                frame.alternatives.iter().map(|other| format!(" or {}", name(other))).collect::<String>();
            name(frame) + &or
        }));
    }
    all
}

#[test]
fn names_lines_and_inlined_frames_come_back() {
    let trace = "a.b: no till\n\tat a.a.a(SourceFile:1)\n\tat a.a.a(r8-map-id-1a2b3c4d:2)\n\tat a.a.b(Unknown Source:0)\n\tat \
                 a.a.c(SourceFile:4)\n\tat java.lang.Thread.run(Thread.java:840)\n";
    assert_eq!(
        shown(trace),
        [
            "shop.app.Gone",
            "shop.app.Till.sell:12",
            "shop.core.Catalog.take:30",
            "shop.app.Till.sell:13",
            "shop.app.Till.close: or shop.app.Till.open:",
            "shop.app.Till.getCount:4 or shop.app.Till.access$count:4",
            "java.lang.Thread.run:840",
        ]
    );
}

#[test]
fn without_a_line_each_method_of_the_name_may_be_meant() {
    let trace = "a.b: x\n\tat a.a.a(Unknown Source)\n\tat a.a.b(Unknown Source:7)\n\tat a.a.c(Unknown Source:9)\n\tat a.a.d(Unknown Source)\n";
    assert_eq!(
        shown(trace),
        [
            "shop.app.Gone",
            // Not what was inlined into it.
            "shop.app.Till.sell:",
            "shop.app.Till.close: or shop.app.Till.open:",
            "shop.app.Till.getCount: or shop.app.Till.access$count:",
            "shop.app.Till.d:",
        ]
    );
}

/// Reads frames by a mapping of R8's: what is left of each.
fn read_by(mapping: &str, trace: &str) -> Vec<String> {
    let mut traces = parse_trace(trace);
    let mapping = read_bytes(mapping.as_bytes(), &traces).expect("fits");
    retrace(&[(String::new(), mapping)], &mut traces);
    let one = |frame: &ParsedFrame| {
        let line = frame.line.map_or(String::new(), |line| line.to_string());
        let or = if frame.alternatives.is_empty() { "" } else { " or" };
        format!("{}.{}:{line}{or}", frame.class, frame.method)
    };
    traces.iter().flat_map(|trace| &trace.frames).map(one).collect()
}

#[test]
fn a_method_of_one_line_has_that_line_whatever_the_frame_names() {
    let mapping = "shop.Till -> a.a:\n    void one():42:42 -> a\n    void first():7 -> b\n    void unknown():0:0 -> c\n    \
        void several():3:5 -> d\n    void kept() -> e\n    void twice():1:1 -> f\n    void again():9:9 -> f\n";
    let frames = |place: &str| -> String {
        ["a", "b", "c", "d", "e", "f"].map(|method| format!("\tat a.a.{method}({place})\n")).concat()
    };
    let read = |place: &str| read_by(mapping, &format!("java.lang.Error: x\n{}", frames(place)));
    let expected = |kept: &str| {
        [
            "shop.Till.one:42",
            "shop.Till.first:7",
            "shop.Till.unknown:",
            "shop.Till.several:",
            kept,
            "shop.Till.twice:1 or",
        ]
        .map(str::to_owned)
    };
    assert_eq!(read("SourceFile:2"), expected("shop.Till.kept:2"));
    assert_eq!(read("Unknown Source:2"), expected("shop.Till.kept:"));
    assert_eq!(read("Unknown Source"), expected("shop.Till.kept:"));
}

#[test]
fn frames_without_a_line_have_a_range_of_their_own() {
    let mapping = "shop.Till -> a.a:\n    0:0:void shop.Box.close():12:12 -> a\n    0:0:void sell():30 -> a\n    \
        1:1:void sell():33 -> a\n";
    let read = |frame: &str| read_by(mapping, &format!("java.lang.Error: x\n\tat {frame}\n"));
    assert_eq!(read("a.a.a(Unknown Source)"), ["shop.Box.close:12", "shop.Till.sell:30"]);
    assert_eq!(read("a.a.a(SourceFile:1)"), ["shop.Till.sell:33"]);
}

#[test]
fn a_method_that_is_called_by_a_sentence_has_its_name() {
    let mapping = "shop.TillTest -> a.a:\n    3:4:void sells two books() -> a\n    void closes at 5(java.lang.String,int) -> b\n";
    assert_eq!(
        read_by(mapping, "java.lang.Error: x\n\tat a.a.a(SourceFile:4)\n\tat a.a.b(SourceFile)\n"),
        ["shop.TillTest.sells two books:4", "shop.TillTest.closes at 5:"]
    );
}

/// R8's specification: the source has no frame for an outline; the line of an outline's frame selects the line in the method that calls it.
#[test]
fn an_outline_is_code_of_the_method_that_calls_it() {
    let call = |of: &str, positions: &str| {
        format!("# {{\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{{{positions}}}{of}}}\n")
    };
    let outline = "      # {\"id\":\"com.android.tools.r8.outline\"}\n";
    let mapping = [
        "shop.Outline -> a.a:\n    1:2:int outline() -> a\n",
        outline,
        "    1:3:int other() -> b\n",
        outline,
        &call("", "\"1\":2"),
        "shop.Till -> a.b:\n    4:4:void shop.Box.open():98:98 -> s\n    4:4:void sell(int):30 -> s\n    5:5:void sell(int):31:31 -> s\n    \
         27:27:void sell(int):0:0 -> s\n",
        &call(",\"outline\":\"La/c;a()I\"", "\"1\":5"),
        &call(",\"outline\":\"La/a;a()I\"", "\"1\":4,\"2\":5"),
        "    void plain() -> t\n",
    ]
    .concat();
    let read = |frames: &[&str]| {
        let frames: String = frames.iter().map(|frame| format!("\tat {frame}\n")).collect();
        read_by(&mapping, &format!("java.lang.Error: x\n{frames}"))
    };
    assert_eq!(
        read(&["a.a.a(SourceFile:1)", "a.b.s(SourceFile:27)"]),
        ["shop.Box.open:98", "shop.Till.sell:30"]
    );
    assert_eq!(read(&["a.a.a(Unknown Source:2)", "a.b.s(Unknown Source:27)"]), ["shop.Till.sell:31"]);
    // An outline that calls another one.
    assert_eq!(
        read(&["a.a.a(SourceFile:1)", "a.a.b(SourceFile:3)", "a.b.s(SourceFile:27)"]),
        ["shop.Till.sell:"]
    );
    // A call that the mapping does not have, one at another place of the method, and a method that has none.
    assert_eq!(read(&["a.a.a(SourceFile:7)", "a.b.s(SourceFile:27)"]), ["shop.Till.sell:"]);
    assert_eq!(read(&["a.a.a(SourceFile:1)", "a.b.s(SourceFile:5)"]), ["shop.Till.sell:31"]);
    assert_eq!(
        read(&["a.a.a(SourceFile:1)", "a.b.t(SourceFile:8)", "a.b.s(SourceFile:27)"]),
        ["shop.Till.plain:8", "shop.Till.sell:"]
    );
}

#[test]
fn an_inlined_check_is_left_out_of_the_frame_that_threw() {
    let mapping = "shop.Till -> a.a:\n    4:4:void shop.Box.check():23:23 -> a\n    4:4:void sell(shop.Box):7 -> a\n      \
        # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(Ljava/lang/NullPointerException;)\"],\
        \"actions\":[\"removeInnerFrames(1)\"]}\n";
    let frame = "\tat a.a.a(SourceFile:4)\n";
    let (check, sell) = ("shop.Box.check:23", "shop.Till.sell:7");
    let null = format!("java.lang.NullPointerException\n{frame}{frame}");
    assert_eq!(read_by(mapping, &null), [sell, check, sell]);
    assert_eq!(read_by(mapping, &format!("java.lang.IllegalStateException\n{frame}")), [check, sell]);
}

#[test]
fn what_the_compiler_made_is_no_frame() {
    let made = "# {\"id\":\"com.android.tools.r8.synthesized\"}\n";
    let mapping = format!(
        "shop.Till -> a.a:\n    5:5:void lambda$sell$0():25 -> a\n    3:3:void sell():18 -> b\n\
         shop.Till$$ExternalSyntheticLambda0 -> a.b:\n{made}    void run(shop.Till) -> a\n      {made}    \
         6:6:void shop.Till.lambda$buy$1():40 -> c\n    6:6:void run():0:0 -> c\n      {made}"
    );
    let (lambda, sell) = ("shop.Till.lambda$sell$0:25", "shop.Till.sell:18");
    let frames = |frames: &[&str]| -> Vec<String> {
        let frames: String = frames.iter().map(|frame| format!("\tat {frame}\n")).collect();
        read_by(&mapping, &format!("java.lang.Error: x\n{frames}"))
    };
    let (body, call, caller) = ("a.a.a(SourceFile:5)", "a.b.a(Unknown Source:4)", "a.a.b(SourceFile:3)");
    assert_eq!(frames(&[body, call, caller]), [lambda, sell]);
    // What was inlined into it is of the source.
    assert_eq!(frames(&["a.b.c(SourceFile:6)", caller]), ["shop.Till.lambda$buy$1:40", sell]);
    // An error that was thrown there has no other frame.
    assert_eq!(frames(&[call, caller]), ["shop.Till$$ExternalSyntheticLambda0.run:", sell]);
}

#[test]
fn a_remark_behind_a_field_is_not_the_classs() {
    let made = "      # {\"id\":\"com.android.tools.r8.synthesized\"}\n";
    let mapping = format!("shop.Till -> a.a:\n    int count -> a\n{made}    3:3:void sell():18 -> a\n");
    let trace = "java.lang.Error: x\n\tat b.b.b(B.java:1)\n\tat a.a.a(SourceFile:3)\n";
    assert_eq!(read_by(&mapping, trace), ["b.b.b:1", "shop.Till.sell:18"]);
}

/// ProGuard's own ReTrace is the judge: `fixtures/traces/obfuscate.py` and `courier.py` obfuscate programs, run them, and ask ReTrace.
#[test]
#[allow(clippy::disallowed_methods, reason = "fixtures are no files of a project")]
fn real_crashes_are_read_as_retrace_reads_them() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/traces");
    let fixture = |name: &str| std::fs::read_to_string(format!("{directory}/{name}")).expect("a fixture");
    judged_by_retrace(
        100,
        &fixture("obfuscated/mapping.txt"),
        &fixture("obfuscated/crashes.txt"),
        &fixture("obfuscated/retraced.txt"),
    );
    for variant in ["freeDebug", "paidRelease"] {
        for target in ["1.8", "11"] {
            let of_build = |end: &str| fixture(&format!("courier/traces/{variant}-{target}{end}"));
            let (mapping, crashes) = (of_build("-obfuscated.mapping.txt"), of_build("-obfuscated.txt"));
            judged_by_retrace(200, &mapping, &crashes, &of_build(".retraced.txt"));
        }
    }
}

/// Gives the lines in which ReTrace lists further methods what they share with the line before, of which it prints blanks.
fn unabbreviated(retraced: &str) -> String {
    let mut before = String::new();
    for line in retraced.lines() {
        let rest = line.trim_start();
        let shared = line.len() - rest.len();
        let is_further = line.starts_with("\t ") && !rest.is_empty();
        let all = before.lines().next_back().and_then(|last| last.get(..shared)).filter(|_| is_further);
        let whole = all.map_or_else(|| line.to_owned(), |shared| format!("{shared}{rest}"));
        before.extend([whole.as_str(), "\n"]);
    }
    before
}

/// Compares the frames of each case with those of ReTrace, which are at least `least`.
fn judged_by_retrace(least: usize, mapping: &str, crashes: &str, retraced: &str) {
    let (mut compared, mut differing) = (0, Vec::new());
    let cases = |text: &str| text.split("### ").skip(1).map(str::to_owned).collect::<Vec<_>>();
    for (crash, judge) in cases(crashes).iter().zip(cases(retraced)) {
        let mut traces = parse_trace(crash);
        let Ok(mapping) = read_bytes(mapping.as_bytes(), &traces) else { continue };
        retrace(&[(String::new(), mapping)], &mut traces);
        let name = |frame: &ParsedFrame| {
            let line = frame.line.filter(|line| *line > 0);
            format!("{}.{} {}", frame.class, frame.method, line.unwrap_or(0))
        };
        let ours: Vec<String> = traces
            .iter()
            .flat_map(|trace| &trace.frames)
            .flat_map(|frame| std::iter::once(frame).chain(&frame.alternatives))
            .map(name)
            .collect();
        let theirs: Vec<String> =
            parse_trace(&unabbreviated(&judge)).iter().flat_map(|trace| &trace.frames).map(name).collect();
        compared += theirs.len();
        // ReTrace lists methods without lines beside those whose lines fit, so it may have more.
        let mut left = theirs.iter();
        if let Some(other) = ours.iter().find(|ours| !left.any(|theirs| theirs == *ours)) {
            differing.push(format!("{}: {other}", crash.lines().next().unwrap_or_default()));
        }
    }
    assert!(compared >= least, "{compared} frames");
    assert_eq!(differing, Vec::<String>::new(), "of {compared} frames");
}

#[test]
fn only_a_file_that_the_mapping_names_is_known() {
    let (mapping, mut traces) = read("a.b: x\n\tat a.a.a(SourceFile:2)\n").expect("fits");
    retrace(&[(String::new(), mapping)], &mut traces);
    let files: Vec<&str> = traces[0].frames.iter().map(|frame| frame.file.as_str()).collect();
    assert_eq!(files, ["", "Tills.kt"]);
}

#[test]
fn a_mapping_of_another_build_is_noticed() {
    let other = read("a.b: x\n\tat a.a.a(r8-map-id-ffff000:2)\n").err();
    assert!(matches!(other, Some(MappingMisfit::OtherBuild { .. })), "{other:?}");
    assert_eq!(read("x.Y: x\n\tat x.Y.z(SourceFile:2)\n").err(), Some(MappingMisfit::NoClass));
    let traces = parse_trace("a.b: x\n\tat a.a.a(SourceFile:2)\n");
    for text in ["", "# only a comment\n", "<html></html>\n", "\u{fffd} -> \n"] {
        let read = read_bytes(text.as_bytes(), &traces).err();
        assert_eq!(read, Some(MappingMisfit::NoMapping), "{text}");
    }
}

/// What a copy that was broken off left of the file still counts, and nothing of it is taken for something else.
#[test]
fn a_mapping_that_is_cut_gives_back_what_is_left() {
    let whole = shown("a.b: no till\n\tat a.a.a(SourceFile:1)\n\tat a.a.c(SourceFile:4)\n");
    let traces = || parse_trace("a.b: no till\n\tat a.a.a(SourceFile:1)\n\tat a.a.c(SourceFile:4)\n");
    // With `ab` in place of `a`: what is left of it is the name of the trace's method.
    let mapping = MAPPING.replacen("12:12 -> a\n", "12:12 -> ab\n    1:1:void sell():12:12 -> a\n", 1);
    let mut kept = BTreeSet::new();
    for end in 0..mapping.len() {
        let mut traces = traces();
        match read_bytes(&mapping.as_bytes()[..end], &traces) {
            Ok(mapping) => {
                retrace(&[(String::new(), mapping)], &mut traces);
                let frames: Vec<&ParsedFrame> = traces.iter().flat_map(|trace| &trace.frames).collect();
                assert_eq!(frames.len(), 2, "cut at {end}");
                let line = |frame: &ParsedFrame| (frame.class.clone(), frame.method.clone(), frame.line);
                kept.insert(line(frames[0]));
            }
            Err(why) => assert!(
                matches!(why, MappingMisfit::NoMapping | MappingMisfit::NoClass),
                "cut at {end}: {why}"
            ),
        }
    }
    let frame = |method: &str, line| ("shop.app.Till".to_owned(), method.to_owned(), Some(line));
    assert_eq!(kept, BTreeSet::from([frame("a", 1), frame("sell", 12)]));
    assert_eq!(whole[1], "shop.app.Till.sell:12");
}

#[test]
fn what_a_mapping_says_of_one_class_is_bounded() {
    let traces = parse_trace("a.b: x\n\tat a.a.a(SourceFile:2)\n");
    let mut reader = MappingReader::of(&traces);
    reader.line(b"shop.app.Till -> a.a:\n");
    (0..400_000).for_each(|_| reader.line(b"    1:1:void sell(java.lang.String):12:12 -> a\n"));
    assert_eq!(reader.finish().err(), Some(MappingMisfit::TooBig));
}

#[test]
fn ranges_that_nothing_reads_make_no_doubt() {
    let mut traces = parse_trace("java.lang.Error: x\n\tat a.a.a(SourceFile:3)\n");
    let mapping = |last: usize| {
        let mapping = format!("shop.app.Till -> a.a:\n    1:{last}:void sell() -> a\n");
        (last.to_string(), read_bytes(mapping.as_bytes(), &traces).expect("fits"))
    };
    let mappings = [mapping(5), mapping(9)];
    retrace(&mappings, &mut traces);
    let frame = &traces[0].frames[0];
    assert_eq!((frame.method.as_str(), frame.line, &frame.reading_doubt), ("sell", Some(3), &None));
}
