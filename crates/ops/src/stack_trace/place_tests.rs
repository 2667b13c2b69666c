//! Places of frames in small projects: the frames are written by hand, by the rules of the compilers that would print them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::application_id;
use super::inlined::{InlineFunction, inline_functions_of};
use super::mapping_reader::MappingReader;
use super::mapping_readings::retrace;
use super::parse::parse_trace;
use super::place::SourceFiles;
use super::placed;
use super::source_version::SourceVersion;
use super::variant::BuildVariant;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_engine::CurrentText;
use symd_syntax::{Grammar, outline};

/// Files in memory.
struct Files {
    texts: BTreeMap<RelPath, &'static str>,
    by_name: BTreeMap<String, Vec<RelPath>>,
}

impl Files {
    fn of(files: &[(&str, &'static str)]) -> Files {
        let texts: BTreeMap<RelPath, &'static str> =
            files.iter().map(|(path, text)| (RelPath::new(path).unwrap(), *text)).collect();
        let mut by_name: BTreeMap<String, Vec<RelPath>> = BTreeMap::new();
        for path in texts.keys() {
            by_name.entry(path.file_name().to_owned()).or_default().push(path.clone());
        }
        Files { texts, by_name }
    }

    /// Returns the places of one frame: `Till.kt:9 Till/sell`, and the doubt behind `?`.
    fn placed(&self, frame: &str) -> Vec<String> {
        self.placed_in(None, &format!("java.lang.Error: x\n\tat {frame}\n"))
    }

    fn placed_in(&self, variant: Option<&str>, text: &str) -> Vec<String> {
        let traces = parse_trace(text);
        let [trace] = traces.as_slice() else { panic!("{text}: {traces:?}") };
        let variant = variant.and_then(BuildVariant::named);
        let mut files = SourceFiles::of(self, Path::new("/project"), variant.as_ref())
            .learn_process(&application_id::of_processes(text));
        files.learn_lines(trace.frames.iter());
        let places = files.places(&trace.frames[0]).unwrap();
        let shown = |place: super::FramePlace| {
            let doubt = place.doubt.map_or_else(String::new, |doubt| format!(" ? {doubt}"));
            let remark = place.remark.map_or_else(String::new, |remark| format!(" ({remark})"));
            let path = if self.texts.len() == 1 { place.path.file_name() } else { place.path.as_str() };
            format!("{path}:{} {}{doubt}{remark}", place.line, place.name_path)
        };
        places.into_iter().map(shown).collect()
    }

    /// Compares the only place of each frame, frames being of `com.shop.app`.
    fn check(&self, frames: &[(&str, &str)]) {
        for (frame, expected) in frames {
            assert_eq!(self.placed(&format!("com.shop.app.{frame}")), [*expected], "{frame}");
        }
    }
}

impl SourceVersion for Files {
    fn named(&self, name: &str) -> &[RelPath] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    fn declaring(&self, _: &str, _: &str) -> Result<&[RelPath], Cancelled> {
        Ok(&[])
    }

    fn inline_functions(&self, names: &BTreeSet<String>) -> Result<Vec<InlineFunction>, Cancelled> {
        let mut found = Vec::new();
        for path in self.texts.keys() {
            let of_file = inline_functions_of(path, &self.read(path).unwrap());
            found.extend(of_file.into_iter().filter(|one| names.contains(&one.name)));
        }
        Ok(found)
    }

    fn directories(&self, path: &RelPath) -> BTreeSet<String> {
        let start = format!("{path}/");
        let within = self.texts.keys().filter_map(|file| file.as_str().strip_prefix(&start));
        within.filter_map(|rest| rest.split_once('/')).map(|(name, _)| name.to_owned()).collect()
    }

    fn read(&self, path: &RelPath) -> Option<CurrentText> {
        let text = *self.texts.get(path)?;
        let language = if path.file_name().ends_with(".java") { "java" } else { "kotlin" };
        let outline = outline(Grammar::named(language)?, text, &Cancel::new()).ok()?;
        let bytes = text.as_bytes().to_vec();
        let hash = ContentHash::of(&bytes);
        Some(CurrentText { text: Text::decode(bytes).ok()?, outline: Arc::new(outline), hash })
    }

    fn text(&self, path: &RelPath) -> Option<String> {
        self.texts.get(path).map(|text| (*text).to_owned())
    }
}

/// A file of a facade of several; traces of obfuscated programs have no names of files.
#[test]
fn a_part_of_a_facade_is_found_by_its_class() {
    let text = "@file:JvmName(\"Texts\")\n@file:JvmMultifileClass\n\npackage com.shop.app\n\nfun joined() {\n    fail()\n}\n";
    let files =
        Files::of(&[("src/Parts.kt", text), ("src/Other.kt", "package com.shop.app\n\nfun joined() {}\n")]);
    files.check(&[
        ("Texts__PartsKt.joined(Unknown Source)", "src/Parts.kt:6 joined"),
        ("Texts__PartsKt.joined(SourceFile:7)", "src/Parts.kt:7 joined"),
        ("Texts__PartsKt.joined(Parts.kt:7)", "src/Parts.kt:7 joined"),
    ]);
    assert!(
        files.placed("com.shop.app.Names__PartsKt.joined(Unknown Source)")[0]
            .contains("declares no Names__PartsKt")
    );
}

const TILL: &str = r#"package com.shop.app

// Till
interface Work { fun run() }

class Till(val count: Int) : Work {
    private val log by lazy { fail("log") }
    fun sell(): Int {
        val later = { fail("sell") }
        val gone = object : Runnable { override fun run() { later() } }
        return count
    }

    override fun run() {
        fail("run")
    }

    class Drawer {
        fun open() {
            listOf(1).forEach { fail("open") }
        }

        fun run() {
            fail("drawer")
        }
    }

    companion object {
        fun of(): Till = fail("of")

        @JvmStatic
        fun fixed(): Till = fail("fixed")
    }

    init { val check = { fail("init") }; check() }
}

fun helper() {
    fail("helper")
}

class Other {
    fun helper() {
        fail("other")
    }

    fun only() {
        fail("only")
    }
}

enum class Kind {
    A { override fun go() { fail("a") } },
    B {
        override fun go() {
            fail("b")
        }
    };

    abstract fun go()
}
"#;

#[test]
fn a_method_of_a_class_is_not_placed_in_a_class_within_it() {
    Files::of(&[("app/src/Till.kt", TILL)]).check(&[
        ("Till.run(Till.kt:15)", "Till.kt:15 Till/run"),
        (
            "Till.run(Till.kt:24)",
            "Till.kt:14 Till/run ? sources differ from the build: line 24 is not in run",
        ),
        ("Till$Drawer.run(Till.kt:24)", "Till.kt:24 Till/Drawer/run"),
        ("Till.run(Till.kt)", "Till.kt:14 Till/run"),
        (
            "TillKt.helper(Till.kt:44)",
            "Till.kt:38 helper ? sources differ from the build: line 44 is not in helper",
        ),
        (
            "TillKt.helper(Till.kt:48)",
            "Till.kt:38 helper ? sources differ from the build: line 48 is not in helper",
        ),
        ("TillKt.only(Till.kt)", "Till.kt:1  ? sources differ from the build: Till.kt has no only"),
        ("Kind.go(Till.kt:56)", "Till.kt:60 Kind/go ? sources differ from the build: line 56 is not in go"),
        ("Kind$B.go(Till.kt:56)", "Till.kt:56 Kind/B/go"),
        (
            "Till$Companion.sell(Till.kt:10)",
            "Till.kt:28 Till/Companion ? sources differ from the build: Companion has no sell",
        ),
        ("Till$Companion.of(Till.kt:29)", "Till.kt:29 Till/Companion/of"),
        (
            "Till.of(Till.kt:29)",
            "Till.kt:29 Till/Companion/of ? sources differ from the build: Till.kt has no of",
        ),
        ("Till.fixed(Till.kt:32)", "Till.kt:32 Till/Companion/fixed"),
    ]);
    let ledger = "package com.shop.app;\n\nclass Ledger {\n    int last() {\n        return sum();\n    }\n\n    \
                  Runnable each() {\n        return new Runnable() {\n            public void run() { last(); }\n        };\n    }\n\n    \
                  static class Page {\n        int sum() {\n            return 1;\n        }\n    }\n}\n";
    Files::of(&[("app/src/Ledger.java", ledger)]).check(&[
        ("Ledger.last(Ledger.java:5)", "Ledger.java:5 Ledger/last"),
        (
            "Ledger.sum(Ledger.java:16)",
            "Ledger.java:16 Ledger/Page/sum ? sources differ from the build: Ledger.java has no sum",
        ),
        ("Ledger$1.run(Ledger.java:10)", "Ledger.java:10 Ledger/each"),
        (
            "Ledger$1.run(Ledger.java:16)",
            "Ledger.java:3 Ledger ? sources differ from the build: line 16 is in no unnamed class of Ledger",
        ),
    ]);
}

#[test]
fn what_a_compiler_adds_to_a_class_stays_there() {
    Files::of(&[("app/src/Till.kt", TILL)]).check(&[
        ("Till.sell$lambda$0(Till.kt:9)", "Till.kt:9 Till/sell"),
        (
            "Till.sell$run(Till.kt:15)",
            "Till.kt:8 Till/sell ? sources differ from the build: line 15 is not in sell",
        ),
        ("Till$sell$gone$1.run(Till.kt:10)", "Till.kt:10 Till/sell"),
        (
            "Till$sell$gone$1.run(Till.kt:15)",
            "Till.kt:8 Till/sell ? sources differ from the build: line 15 is not in sell",
        ),
        ("Till$sell$Local.<init>(Till.kt:10)", "Till.kt:10 Till/sell"),
        ("Till.log_delegate$lambda$0(Till.kt:7)", "Till.kt:7 Till/log"),
        ("Till$log$2.invoke(Till.kt:7)", "Till.kt:7 Till/log"),
        ("Till$check$1.invoke(Till.kt:35)", "Till.kt:35 Till"),
        ("Till._init_$lambda$0(Till.kt:35)", "Till.kt:35 Till"),
        ("Till.<init>(Till.kt:35)", "Till.kt:35 Till"),
        (
            "Till.<clinit>(Till.kt:24)",
            "Till.kt:6 Till ? sources differ from the build: line 24 is in no initializer of Till",
        ),
        ("Till$Drawer$open$1.invoke(Till.kt:20)", "Till.kt:20 Till/Drawer/open"),
        (
            "Till$Drawer$open$1.invoke(Till.kt:10)",
            "Till.kt:19 Till/Drawer/open ? sources differ from the build: line 10 is not in open",
        ),
        ("Kind$WhenMappings.<clinit>(Till.kt:52)", "Till.kt:52 Kind"),
        ("Work$DefaultImpls.run(Till.kt:4)", "Till.kt:4 Work"),
    ]);
}

#[test]
fn a_nested_class_that_is_not_declared_is_missing() {
    Files::of(&[("app/src/Till.kt", TILL)]).check(&[
        ("Till$Gone.run(Till.kt:15)", "Till.kt:6 Till ? sources differ from the build: Till has no Gone"),
        ("Till$Gone.open(Till.kt:20)", "Till.kt:6 Till ? sources differ from the build: Till has no Gone"),
        (
            "Till$gone$1.invoke(Till.kt:15)",
            "Till.kt:6 Till ? sources differ from the build: Till has no gone",
        ),
        (
            "TillKt$gone$1.invoke(Till.kt:39)",
            "Till.kt:1  ? sources differ from the build: Till.kt has no gone",
        ),
        (
            "Till$Drawer$Gone.run(Till.kt:24)",
            "Till.kt:18 Till/Drawer ? sources differ from the build: Drawer has no Gone",
        ),
    ]);
}

#[test]
fn a_number_that_is_no_line_of_the_source_is_not_taken_for_one() {
    Files::of(&[("app/src/Till.kt", TILL)]).check(&[
        ("Till.sell(Unknown Source:9)", "Till.kt:8 Till/sell"),
        ("Till.sell(Unknown Source:2)", "Till.kt:8 Till/sell"),
        ("Till$sell$gone$1.run(Unknown Source:2)", "Till.kt:8 Till/sell"),
        (
            "Till.run(r8-map-id-abc:15)",
            "Till.kt:14 Till/run ? its line is R8's, and no mapping gives that of the source",
        ),
    ]);
}

#[test]
fn the_hash_of_value_classes_tells_overloads_apart() {
    let cart = "package com.shop.app\n\nclass Cart {\n    fun pay(count: Int): Int {\n        return count\n    }\n\n    \
                fun pay(code: Code): Int {\n        return code.value\n    }\n\n    fun keep(count: Int) {\n        count.inc()\n    }\n\n    \
                fun `sells pre-ordered`() {\n        listOf(1).forEach { pay(it) }\n    }\n}\n";
    Files::of(&[("app/src/Cart.kt", cart)]).check(&[
        ("Cart.pay-q07HuiY(Cart.kt:9)", "Cart.kt:9 Cart/pay[1]"),
        (
            "Cart.pay-q07HuiY(Cart.kt:5)",
            "Cart.kt:8 Cart/pay[1] ? sources differ from the build: line 5 is not in pay",
        ),
        ("Cart.pay-q07HuiY(Cart.kt)", "Cart.kt:8 Cart/pay[1]"),
        (
            "Cart.keep-q07HuiY(Cart.kt:13)",
            "Cart.kt:13 Cart/keep ? sources differ from the build: Cart.kt has no keep-q07HuiY",
        ),
        ("Cart.sells pre-ordered(Cart.kt:17)", "Cart.kt:17 Cart/sells pre-ordered"),
        ("Cart.sells pre-ordered(Cart.kt)", "Cart.kt:16 Cart/sells pre-ordered"),
        ("Cart$sells pre-ordered$1.invoke(Cart.kt:17)", "Cart.kt:17 Cart/sells pre-ordered"),
    ]);
}

#[test]
fn an_accessor_and_a_bridge_are_placed_at_the_method_that_they_call() {
    Files::of(&[("app/src/Till.kt", TILL)]).check(&[
        ("Till.access$sell(Till.kt:6)", "Till.kt:8 Till/sell"),
        (
            "Till.access$sell(Till.kt:15)",
            "Till.kt:8 Till/sell ? sources differ from the build: line 15 is not in sell",
        ),
        ("Till.access$getLog(Till.kt:6)", "Till.kt:7 Till/log"),
        ("Till.access$inherited(Till.kt:6)", "Till.kt:6 Till"),
        ("Till.-$$Nest$msell(Unknown Source:0)", "Till.kt:8 Till/sell"),
        ("Till.-$$Nest$fgetlog(Till.kt)", "Till.kt:7 Till/log"),
        ("TillKt.access$helper(Till.kt:1)", "Till.kt:38 helper"),
        ("Till.run(Till.kt:6)", "Till.kt:14 Till/run"),
        (
            "Till.sell(Till.kt:6)",
            "Till.kt:8 Till/sell ? sources differ from the build: line 6 is not in sell",
        ),
    ]);
}

/// D8 and Compose make these names; the frames are written by hand.
#[test]
fn what_d8_and_compose_make_is_placed() {
    Files::of(&[("app/src/Till.kt", TILL)]).check(&[
        ("ComposableSingletons$TillKt.lambda_1$lambda$0(Till.kt:39)", "Till.kt:39 helper"),
        ("ComposableSingletons$TillKt.lambda$-1234567$lambda$0(Till.kt:39)", "Till.kt:39 helper"),
        ("ComposableSingletons$TillKt$lambda-1$1.invoke(Till.kt:20)", "Till.kt:20 Till/Drawer/open"),
        (
            "ComposableSingletons$TillKt$lambda-1$1.invoke(Till.kt:37)",
            "Till.kt:37  ? sources differ from the build: line 37 is in no unnamed class of Till.kt",
        ),
        ("Work$-CC.run(Till.kt:4)", "Till.kt:4 Work"),
        ("Till$$ExternalSyntheticLambda0.run(Unknown Source:2)", "Till.kt:6 Till ? the frame has no line"),
        (
            "Till$$ExternalSyntheticLambda0.run(D8$$SyntheticClass:0)",
            "Till.kt:6 Till ? the frame has no line",
        ),
        ("Texts__TillKt.helper(Till.kt:39)", "Till.kt:39 helper"),
    ]);
    let none: [String; 0] = [];
    assert_eq!(
        Files::of(&[("app/src/Till.kt", TILL)]).placed("_COROUTINE._BOUNDARY._(CoroutineDebugging.kt:42)"),
        none
    );
}

const FREE: &str =
    "package com.shop.app\n\nclass Flavour {\n    fun name(): String {\n        return fail()\n    }\n}\n";
const PAID: &str = "package com.shop.app\n\n// Paid\n\n// Later\n\nclass Flavour {\n    fun name(): String {\n        return fail()\n    }\n}\n";

#[test]
fn of_two_variants_one_is_taken_only_if_the_trace_tells_which() {
    let files =
        Files::of(&[("app/src/free/java/com/Flavour.kt", FREE), ("app/src/paid/java/com/Flavour.kt", PAID)]);
    let frame = "com.shop.app.Flavour.name(Flavour.kt:5)";
    let trace = format!("java.lang.Error: x\n\tat {frame}\n");
    let free = "app/src/free/java/com/Flavour.kt:5 Flavour/name";
    assert_eq!(
        files.placed(frame),
        [format!("{free} ? app/src/paid/java/com/Flavour.kt has it, too, but not on this line")]
    );
    assert_eq!(files.placed_in(Some("freeRelease"), &trace), [free]);
    assert_eq!(
        files.placed_in(Some("paidRelease"), &trace),
        [
            "app/src/paid/java/com/Flavour.kt:8 Flavour/name ? sources differ from the build: line 5 is not in name"
        ]
    );
    // A path in the trace tells it, too.
    for text in [
        "com.shop.app.Flavour.name(app/src/free/java/com/Flavour.kt:5)",
        "com.shop.app.Flavour.name(/project/app/src/free/java/com/Flavour.kt:5)",
    ] {
        assert_eq!(files.placed(text), [free], "{text}");
    }
    for text in
        ["it breaks (app/src/free/java/com/Flavour.kt:5)", "/project/app/src/free/java/com/Flavour.kt:5"]
    {
        assert_eq!(files.placed_in(None, text), [free], "{text}");
    }
    assert_eq!(files.placed_in(None, "see Flavour.kt:2").len(), 2);
}

#[test]
fn a_frame_is_not_in_a_source_set_of_another_platform() {
    let jvm = "package okay\n\n// Of the JVM\n\nclass Flow {\n    fun take() {\n        fail()\n    }\n}\n";
    let other = "package okay\n\nclass Flow {\n    fun take() {\n        fail()\n    }\n}\n";
    let files = Files::of(&[("src/jvmMain/kotlin/Flow.kt", jvm), ("src/nonJvmMain/kotlin/Flow.kt", other)]);
    assert_eq!(files.placed("okay.Flow.take(Flow.kt:7)"), ["src/jvmMain/kotlin/Flow.kt:7 Flow/take"]);
    // The line fits the other file alone.
    assert_eq!(
        files.placed("okay.Flow.take(Flow.kt:5)"),
        ["src/jvmMain/kotlin/Flow.kt:6 Flow/take ? sources differ from the build: line 5 is not in take"]
    );
    let native = "kotlin.IllegalStateException: x\n    at 0   okay.kexe   0x10a1b2c5d   kfun:okay.Flow#take(){} + 55 (/p/Flow.kt:5:9)\n";
    assert_eq!(files.placed_in(None, native), ["src/nonJvmMain/kotlin/Flow.kt:5 Flow/take"]);
}

/// As in okio, whose `expect` classes have the names of the `actual` ones, and of their files.
#[test]
fn a_frame_is_not_in_a_declaration_that_another_one_makes_actual() {
    let common = "package com.shop.app\n\n/** What we expect */\nexpect class Till() {\n    fun sell(): Int\n    fun refund(): Int\n}\n\nexpect fun open(): Till\n";
    let files = Files::of(&[
        ("app/src/commonMain/kotlin/Till.kt", common),
        (
            "app/src/jvmMain/kotlin/Till.kt",
            "package com.shop.app\n\nactual class Till {\n    actual fun sell(): Int {\n        fail()\n    }\n}\n\nactual fun open() = Till()\n",
        ),
    ]);
    files.check(&[
        ("Till.sell(Till.kt:5)", "app/src/jvmMain/kotlin/Till.kt:5 Till/sell"),
        ("Till.sell(Till.kt:6)", "app/src/jvmMain/kotlin/Till.kt:6 Till/sell"),
        ("TillKt.open(Till.kt:9)", "app/src/jvmMain/kotlin/Till.kt:9 open"),
    ]);
    let [place] = &files.placed("com.shop.app.Till.refund(Till.kt:6)")[..] else { panic!("one place") };
    assert!(place.starts_with("app/src/jvmMain/kotlin/Till.kt:6 Till/sell ? sources differ"), "{place}");
    // Of one that nothing makes actual, the words of a comment are no keyword.
    let only = Files::of(&[("app/src/commonMain/kotlin/Till.kt", common)]);
    assert!(only.placed("com.shop.app.Till.sell(Till.kt:5)")[0].starts_with("Till.kt:5 Till/sell"));
}

/// As Maven's Surefire lists failed tests.
#[test]
fn a_class_without_its_package_is_placed_in_doubt() {
    let files = Files::of(&[(
        "src/TillTest.kt",
        "package com.shop.app\n\nclass TillTest {\n    fun sells() {\n        fail()\n    }\n}\n",
    )]);
    assert_eq!(
        files.placed_in(None, "[ERROR]   TillTest.sells:5 expected: <1> but was: <2>\n"),
        ["TillTest.kt:5 TillTest/sells ? only the name of its class is known, not the package"]
    );
}

#[test]
fn a_line_past_the_end_names_the_inline_functions_that_are_called() {
    let calls = "package com.shop.app\n\nfun sell() {\n    timed { fail() }\n    plain()\n}\n";
    let timed = "package com.shop.core\n\ninline fun <T> timed(run: () -> T): T = run()\n\nfun plain() {}\n";
    let files = Files::of(&[("app/src/Calls.kt", calls), ("core/src/Timed.kt", timed)]);
    assert_eq!(
        files.placed("com.shop.app.CallsKt.sell(Calls.kt:12)"),
        [
            "app/src/Calls.kt:3 sell (line 12 is past the end of the file, as that of inlined code may be; it calls the inline function timed (core/src/Timed.kt:3))"
        ]
    );
    // Without such a function the line may be one of other sources.
    let files = Files::of(&[("app/src/Calls.kt", calls), ("core/src/Plain.kt", "package com.shop.core\n")]);
    assert_eq!(
        files.placed("com.shop.app.CallsKt.sell(Calls.kt:12)"),
        ["app/src/Calls.kt:3 sell ? line 12 is past the end of the file, as that of inlined code may be"]
    );
}

#[test]
fn a_class_that_was_copied_from_a_library_is_in_the_function_that_its_name_tells() {
    let text = "package com.shop.app\n\nclass Till {\n    fun sums() = flow.map { it }\n    fun sums(of: Int) {}\n    val all by map { }\n}\n";
    let files = Files::of(&[("src/Till.kt", text)]);
    let inlined = "(its line is one of Emitters.kt: code that was inlined here)";
    files.check(&[
        ("Till$all$$inlined$map$1.emit(Emitters.kt:51)", &format!("Till.kt:6 Till/all {inlined}")),
        (
            "Till$sums$$inlined$map$1.emit(Emitters.kt:51)",
            &format!("Till.kt:4 Till/sums[0] ? the frame has no line, and several declarations have its name {inlined}"),
        ),
    ]);
}

/// The class of a delegate that an inline function makes has no name of the property.
#[test]
fn a_class_that_was_copied_into_the_value_of_a_property_is_the_one_that_calls_the_function() {
    let text = "package com.shop.app\n\nclass Till {\n    var left: Int by Delegates.observable(1) { _, _, now -> fail(now) }\n    \
                var sum by vetoable(1) { }\n    var total by vetoable(2) { }\n    val all = observed()\n}\n\nval top by observable(1) { }\n";
    let files = Files::of(&[("src/Till.kt", text)]);
    let inlined = "(its line is one of Delegates.kt: code that was inlined here)";
    files.check(&[
        (
            "Till$special$$inlined$observable$1.afterChange(Delegates.kt:74)",
            &format!("Till.kt:4 Till/left {inlined}"),
        ),
        (
            "Till$special$$inlined$observable$1.afterChange(SourceFile:4)",
            "Till.kt:4 Till/left (its line is one of code that was inlined here)",
        ),
        (
            "Till$special$$inlined$vetoable$2.afterChange(Delegates.kt:74)",
            &format!(
                "Till.kt:5 Till/sum ? the frame has no line, and several declarations have its name {inlined}"
            ),
        ),
        (
            "TillKt$special$$inlined$observable$1.afterChange(Delegates.kt:74)",
            &format!("Till.kt:10 top {inlined}"),
        ),
    ]);
    assert!(files.placed("com.shop.app.Till$special$$inlined$map$1.emit(Emitters.kt:51)")[0].contains('?'));
}

/// The names of internal functions in other modules, and of lambdas in lambdas.
#[test]
fn what_compilers_add_to_names_is_dropped() {
    let text = "package com.shop.app\n\nclass Till {\n    internal fun hide() {\n        fail()\n    }\n\n    fun sell() = run {\n        run {\n            fail()\n        }\n    }\n\n    \
                internal val kept: Int\n        get() = fail()\n}\n";
    let files = Files::of(&[("src/Till.kt", text)]);
    files.check(&[
        ("Till.hide$app_debug(Till.kt:5)", "Till.kt:5 Till/hide"),
        ("Till.hide$app_debug(Till.kt)", "Till.kt:4 Till/hide"),
        ("Till.getKept$app_debug(Till.kt:15)", "Till.kt:15 Till/kept"),
        ("Till.sell$lambda$1$lambda$0(Till.kt:10)", "Till.kt:10 Till/sell"),
        ("Till.sell$lambda$0$0(Till.kt:10)", "Till.kt:10 Till/sell"),
        ("Till.hide$app_debug$lambda$1$lambda$0(Till.kt:5)", "Till.kt:5 Till/hide"),
    ]);
    assert!(files.placed("com.shop.app.Till.sell$lambda$1$lambda$0(Till.kt:5)")[0].contains('?'));
}

/// Compilers give no lines to what they make, such as a constructor for default arguments.
#[test]
fn a_method_without_a_line_beside_others_with_lines_is_the_compilers() {
    let text = "package com.shop.app\n\nclass Till(val count: Int = 1) {\n    val sum = 3\n}\n\nclass Own(till: Work) : Work by till\n\n\
                class Two {\n    constructor(a: Int)\n    constructor(a: Int, b: Int = 2)\n}\n";
    let files = Files::of(&[("src/Till.kt", text)]);
    let place = |frame: &str, beside: &str| {
        let text = format!("java.lang.Error: x\n\tat com.shop.app.{frame}(Till.kt)\n\tat {beside}\n");
        files.placed_in(None, &text).remove(0)
    };
    let lined = "com.shop.app.Till.<init>(Till.kt:3)";
    assert_eq!(place("Till.<init>", lined), "Till.kt:3 Till");
    assert_eq!(place("Own.run", lined), "Till.kt:7 Own");
    // A file without lines, and one of another package.
    for beside in ["com.shop.app.Till.sell(Till.kt)", "com.shop.core.Till.sell(Till.kt:3)"] {
        assert!(place("Till.<init>", beside).contains('?'), "{beside}");
        assert!(place("Own.run", beside).contains('?'), "{beside}");
    }
    // Any of several constructors, and what no class delegates.
    assert!(place("Two.<init>", lined).contains('?'));
    assert!(place("Till.run", lined).contains('?'));
    assert!(place("Till.<clinit>", lined).contains('?'));
}

/// ProGuard's range of a method ends with the last line of what was inlined into it, so ranges overlap.
#[test]
fn of_methods_whose_ranges_overlap_the_sources_tell_one() {
    let mapping = "com.shop.app.Till -> a.a:\n    4:30:int buy() -> a\n    8:8:int sell() -> a\n    3:9:void <init>(int) -> b\n    \
                   3:3:void <init>(int,int) -> b\n    4:30:int buy() -> c\n    8:31:int sell() -> c\n    8:40:int sell$default(int) -> c\n";
    let built = "package com.shop.app\n\nclass Till {\n    fun buy(): Int {\n        return 1\n    }\n\n    fun sell(): Int = 2\n}\n";
    let later = "package com.shop.app\n\nclass Till {\n    fun buy(): Int {\n        return 1\n    }\n\n\n    fun sell(): Int = 2\n}\n";
    let placed = |text: &'static str, frame: &str| {
        let mut traces = parse_trace(&format!("java.lang.Error: x\n\tat a.a.{frame}\n"));
        let mut reader = MappingReader::of(&traces);
        mapping.split_inclusive('\n').for_each(|line| reader.line(line.as_bytes()));
        retrace(&[(String::new(), reader.finish().unwrap())], &mut traces);
        let files = Files::of(&[("src/Till.kt", text)]);
        let mut sources = SourceFiles::of(&files, Path::new("/project"), None);
        let places = sources.places(&traces[0].frames[0]).unwrap();
        let shown = |place: super::FramePlace| (place.line, place.name_path, place.doubt.is_none());
        places.into_iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(placed(built, "a(SourceFile:8)"), [(8, "Till/sell".to_owned(), true)]);
    // Of sources that are others than those of the mapping the line tells nothing.
    assert!(placed(later, "a(SourceFile:8)").iter().all(|(.., is_sure)| !is_sure));
    // What the compiler makes of a function for default arguments holds its lines, too.
    assert_eq!(placed(built, "c(SourceFile:8)"), [(8, "Till/sell".to_owned(), true)]);
    // All readings are one place.
    assert_eq!(placed(built, "b(SourceFile:3)"), [(3, "Till".to_owned(), true)]);
}

#[test]
fn the_name_of_a_process_tells_the_flavor() {
    let script = "android {\n    defaultConfig { applicationId = \"com.shop.app\" }\n    productFlavors {\n        create(\"free\") {\n            \
                  applicationIdSuffix = \".free\"\n        }\n        create(\"paid\") {}\n    }\n}\n";
    let flavour = "package com.shop.app\nclass Flavour {\n    fun name() = 1\n}\n";
    let files = Files::of(&[
        ("app/build.gradle.kts", script),
        ("app/src/free/Flavour.kt", flavour),
        ("app/src/paid/Flavour.kt", flavour),
    ]);
    let placed = |process: &str| {
        let trace = "java.lang.Error: x\n\tat com.shop.app.Flavour.name(Flavour.kt:3)\n";
        files.placed_in(None, &format!("FATAL EXCEPTION: main\nProcess: {process}, PID: 4711\n{trace}"))
    };
    assert_eq!(placed("com.shop.app.free"), ["app/src/free/Flavour.kt:3 Flavour/name"]);
    assert_eq!(placed("com.shop.app"), ["app/src/paid/Flavour.kt:3 Flavour/name"]);
    assert_eq!(placed("com.shop.other").len(), 2);
}

/// The places of a method without a file and line.
fn of_method(text: &'static str, method: &str) -> Vec<String> {
    Files::of(&[("src/Till.kt", text)]).placed(&format!("shop.Till.{method}(Unknown Source)"))
}

#[test]
fn a_file_that_has_two_of_the_usual_names_is_one_place() {
    assert_eq!(
        of_method("package shop\nclass Till {\n    fun sell() {}\n}\n", "sell"),
        ["Till.kt:3 Till/sell"]
    );
}

#[test]
fn names_in_class_files() {
    let text = "package shop\nclass Till {\n    @Synchronized // @JvmName(\"sold\")\n    fun sell() {}\n    @JvmName(name = \"bought\")\n    fun buy() {}\n\
        \x20   @Synchronized /* @JvmName(\"kept\") */ fun keep() {}\n    @get:JvmName( \"total\" ) val sum: Int = 1\n    val last = \"@JvmName(\"\n}\n";
    for (method, place) in [
        ("sell", "Till.kt:4 Till/sell"),
        ("bought", "Till.kt:6 Till/buy"),
        ("keep", "Till.kt:7 Till/keep"),
        ("total", "Till.kt:8 Till/sum"),
        ("getLast", "Till.kt:9 Till/last"),
    ] {
        assert_eq!(of_method(text, method), [place], "{method}");
    }
    for method in ["sold", "buy", "kept", "getSell"] {
        assert!(of_method(text, method)[0].contains('?'), "{method}");
    }
}

#[test]
fn a_line_past_the_end_of_a_file_that_has_changed_is_in_doubt() {
    let text = "package com.shop.app\n\nfun sell() {\n    timed { fail() }\n}\n\ninline fun <T> timed(run: () -> T): T = run()\n";
    let files = Files::of(&[("src/Calls.kt", text)]);
    let doubts = |other: &str| {
        let frames =
            format!("\tat com.shop.app.CallsKt.sell(Calls.kt:150)\n\tat com.shop.app.CallsKt.{other}\n");
        let traces = parse_trace(&format!("java.lang.Error: x\n{frames}"));
        let mut sources = SourceFiles::of(&files, Path::new("/project"), None);
        let placed = placed(&mut sources, traces, &Cancel::new()).unwrap();
        let place = placed[0].frames[0].places[0].clone();
        (place.doubt.is_some(), place.remark.is_some())
    };
    assert_eq!(doubts("timed(Calls.kt:7)"), (false, true));
    assert_eq!(doubts("timed(Calls.kt:2)"), (true, false));
}
