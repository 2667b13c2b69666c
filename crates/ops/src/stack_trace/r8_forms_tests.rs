//! What R8's retrace makes of a frame by the forms of its mapping specification (version 2.2), beside what symd makes of it. The mappings are
//! written for this; R8's answers are those of its published tests of the same forms. Each difference has its reason (decision 114).

use super::mapping_pieces::CutLines;
use super::mapping_reader::MappingReader;
use super::mapping_readings::retrace;
use super::parse::{ParsedFrame, parse_trace};

/// One frame, read by one mapping. Frames are `method:line`, alternatives follow `or`.
struct RetracedForm {
    /// The methods of `shop.Till`, which is `a.a`.
    methods: &'static [&'static str],
    /// The place of the frame `a.a.a`.
    place: &'static str,
    r8: &'static str,
    /// What symd says, where it differs; `?` before a doubt.
    ours: Option<&'static str>,
    why: &'static str,
}

const fn same(methods: &'static [&'static str], place: &'static str, r8: &'static str) -> RetracedForm {
    RetracedForm { methods, place, r8, ours: None, why: "" }
}

const FORMS: [RetracedForm; 19] = [
    // Without a range in the obfuscated code.
    same(&["void sell():1:1 -> a"], "SourceFile:9", "sell:1"),
    same(&["void sell():3 -> a"], "SourceFile:2", "sell:3"),
    same(&["void sell():0:0 -> a"], "SourceFile:8", "sell"),
    same(&["void sell():42:42 -> a"], "Unknown Source", "sell:42"),
    same(&["void sell() -> a"], "SourceFile:8", "sell:8"),
    RetracedForm {
        methods: &["void sell():7 -> a", "void buy(int):11 -> a"],
        place: "Unknown Source",
        r8: "sell or buy",
        ours: Some("sell:7 or buy:11"),
        why: "a method of one line has that line, whichever is meant",
    },
    // With one.
    same(&["1:10:void sell():27:27 -> a", "11:15:void sell():42 -> a"], "SourceFile:8", "sell:27"),
    same(&["1:10:void sell():27:27 -> a", "11:15:void sell():42 -> a"], "SourceFile:13", "sell:42"),
    same(&["4:6:void sell():14:16 -> a"], "SourceFile:5", "sell:15"),
    same(&["7:9:void take():113:113 -> a", "7:9:void sell():72 -> a"], "SourceFile:8", "take:113, sell:72"),
    same(&["1:1:void sell():122:122 -> a", "2:2:void sell():124:124 -> a"], "SourceFile:0", "sell"),
    same(&["1:1:void sell():122:122 -> a", "2:2:void sell():124:124 -> a"], "SourceFile:2", "sell:124"),
    same(&["1:3:void sell():11:13 -> a", "4:4:void sell():10:10 -> a"], "Unknown Source", "sell"),
    // The range of frames that have no line.
    same(
        &["0:0:void take():42:42 -> a", "0:0:void sell():28 -> a", "1:1:void sell():153 -> a"],
        "Unknown Source",
        "take:42, sell:28",
    ),
    same(&["0:0:void take():42:44 -> a", "0:0:void sell():29 -> a"], "Unknown Source", "take, sell:29"),
    RetracedForm {
        methods: &["void sell() -> a"],
        place: "Unknown Source:7",
        r8: "sell:7",
        ours: Some("sell"),
        why: "Android prints an offset in the bytecode there",
    },
    RetracedForm {
        methods: &["void sell():42:44 -> a"],
        place: "Unknown Source:1",
        r8: "sell:42 or sell:43 or sell:44",
        ours: Some("sell"),
        why: "a line of several is none: the method is the place",
    },
    RetracedForm {
        methods: &["1:3:void sell():11:13 -> a", "4:4:void sell():10:10 -> a"],
        place: "SourceFile:27",
        r8: "a:27",
        ours: Some("? sell"),
        why: "one method has the name, so it is meant, if the mapping is the build's",
    },
    RetracedForm {
        methods: &["1:1:void sell():11 -> a", "void take() -> a"],
        place: "Unknown Source",
        r8: "take",
        ours: Some("sell or take"),
        why: "a frame without a line may be of a method that has lines (ProGuard's ReTrace)",
    },
];

/// Reads a frame by a mapping.
fn read(form: &RetracedForm) -> String {
    let mapping = format!("shop.Till -> a.a:\n    {}\n", form.methods.join("\n    "));
    let mut traces = parse_trace(&format!("java.lang.Error: x\n\tat a.a.a({})\n", form.place));
    let mut reader = MappingReader::of(&traces);
    CutLines::default().take(mapping.as_bytes(), &mut |line| reader.line(line));
    retrace(&[(String::new(), reader.finish().expect("fits"))], &mut traces);
    let shown = |frame: &ParsedFrame| {
        assert_eq!(frame.class, "shop.Till", "{mapping}");
        let doubt = if frame.reading_doubt.is_some() { "? " } else { "" };
        let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{doubt}{}{line}", frame.method)
    };
    let frames = traces[0].frames.iter().map(|frame| {
        let all: Vec<String> = std::iter::once(frame).chain(&frame.alternatives).map(shown).collect();
        all.join(" or ")
    });
    frames.collect::<Vec<_>>().join(", ")
}

#[test]
fn each_form_is_read_as_r8_reads_it_or_has_a_reason() {
    let mut differing = Vec::new();
    for form in &FORMS {
        assert_eq!(form.ours.is_none(), form.why.is_empty(), "{:?} {}", form.methods, form.place);
        assert_ne!(form.ours, Some(form.r8), "{:?} {}", form.methods, form.place);
        let (expected, read) = (form.ours.unwrap_or(form.r8), read(form));
        if read != expected {
            differing.push(format!("{:?} {}: {read}, not {expected}", form.methods, form.place));
        }
    }
    assert_eq!(differing, Vec::<String>::new());
}
