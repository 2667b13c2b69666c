//! Frames of what D8 and the JVM make for a lambda: a class that calls the method which the compiler made of its body. The body's frame
//! stands before it, and its place is the lambda's. R8's retrace leaves such frames out, too
//! (<https://r8.googlesource.com/r8/+/refs/heads/main/doc/retrace.md>, "Synthesized").

use super::names::{LAMBDA_ACCESSOR, LAMBDA_CLASSES, source_names};
use super::parse::{ParsedFrame, ParsedTrace};

/// Leaves out the frames that only call the body of a lambda. The frame of a method reference is kept: no other frame shows where the
/// reference is written.
pub(super) fn leave_out(traces: &mut [ParsedTrace]) {
    for trace in traces {
        let mut kept: Vec<ParsedFrame> = Vec::with_capacity(trace.frames.len());
        for frame in std::mem::take(&mut trace.frames) {
            if !kept.last().is_some_and(|body| calls(&frame, body)) {
                kept.push(frame);
            }
        }
        trace.frames = kept;
    }
}

fn calls(frame: &ParsedFrame, body: &ParsedFrame) -> bool {
    let is_made = frame.method.starts_with(LAMBDA_ACCESSOR)
        || LAMBDA_CLASSES.iter().any(|made| frame.class.contains(made));
    if !is_made || frame.source_line().is_some() || !is_body(&body.method) {
        return false;
    }
    let class =
        |frame: &ParsedFrame| source_names(frame).map(|names| (names.package, names.outer, names.nested));
    class(frame) == class(body)
}

/// Whether a method is the body of a lambda: javac's `lambda$sell$0`, Kotlin's `sell$lambda$0`.
fn is_body(method: &str) -> bool {
    method.split('$').any(|part| part == "lambda") && !method.starts_with(LAMBDA_ACCESSOR)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_trace;
    use super::*;

    fn left(frames: &[&str]) -> usize {
        let text: String = frames.iter().map(|frame| format!("\tat {frame}\n")).collect();
        let mut traces = parse_trace(&format!("java.lang.Error: x\n{text}"));
        leave_out(&mut traces);
        traces.iter().map(|trace| trace.frames.len()).sum()
    }

    #[test]
    fn calls_of_the_body_of_a_lambda_are_left_out() {
        for frames in [
            vec![
                "a.Till.lambda$sell$0$a-Till(Till.java:3)",
                "a.Till$$ExternalSyntheticLambda0.run(Unknown Source:2)",
            ],
            vec![
                "a.TillKt.sell$lambda$0(Till.kt:3)",
                "a.TillKt$$ExternalSyntheticLambda0.invoke(D8$$SyntheticClass:0)",
            ],
            vec![
                "a.TillKt.sell$lambda$0(Till.kt:3)",
                "a.TillKt.$r8$lambda$x9-_(Unknown Source:0)",
                "a.TillKt$$ExternalSyntheticLambda2.invoke(Unknown Source:2)",
            ],
            vec![
                "a.Till.lambda$sell$0(Till.java:3)",
                "a.Till$$InternalSyntheticLambda$1$5f$0.run(Unknown Source:2)",
            ],
            vec![
                "a.Till$Box.lambda$open$1(Till.java:3)",
                "a.Till$Box$$Lambda$14/0x0000000800c03000.run(Unknown Source)",
            ],
        ] {
            assert_eq!(left(&frames), 1, "{frames:?}");
        }
        let call = "a.Till$$ExternalSyntheticLambda0.run(Unknown Source:2)";
        for frames in [
            // A reference to a method, a lambda of another class, a frame with a line, one that threw.
            ["a.Till.sell(Till.java:3)", call],
            ["a.Box.lambda$sell$0(Box.java:3)", call],
            ["a.Till.lambda$sell$0(Till.java:3)", "a.Till$$ExternalSyntheticLambda0.run(Till.java:2)"],
            [call, "a.Till.lambda$sell$0(Till.java:3)"],
        ] {
            assert_eq!(left(&frames), 2, "{frames:?}");
        }
    }
}
