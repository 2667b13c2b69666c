//! Chains in which the root cause comes first, as logback's `%rEx` writes them: `Wrapped by:` begins what wraps the throwable before, where
//! `Caused by:` begins its cause. They are put into the order of `Caused by:`.

use super::parse::{ParsedTrace, TraceRelation};

/// A throwable as it was read, with what its order needs.
pub(super) struct ReadThrowable {
    pub(super) trace: ParsedTrace,
    /// How many suppressed throwables it stands in.
    pub(super) depth: usize,
    /// Whether it calls itself the wrapper of what stands before.
    pub(super) is_wrapper: bool,
}

/// Returns the throwables, each before its cause.
pub(super) fn outermost_first(mut all: Vec<ReadThrowable>) -> Vec<ParsedTrace> {
    for at in 0..all.len() {
        if !all[at].is_wrapper {
            continue;
        }
        let depth = all[at].depth;
        let (relation, of_cause) = match depth {
            0 => (TraceRelation::First, TraceRelation::Cause),
            _ => (TraceRelation::Suppressed, TraceRelation::CauseOfSuppressed),
        };
        let begins = |one: &ReadThrowable| one.depth == depth && one.trace.relation == relation;
        let Some(wrapped) = all[..at].iter().rposition(begins) else {
            // What it wraps was cut off.
            all[at].trace.relation = relation;
            continue;
        };
        let is_further = |one: &ReadThrowable| {
            one.depth < depth
                || one.trace.relation == TraceRelation::First
                || one.is_wrapper && one.depth == depth
                || depth > 0 && begins(one)
        };
        let end = all[at + 1..].iter().position(is_further).map_or(all.len(), |found| at + 1 + found);
        all[wrapped].trace.relation = of_cause;
        all[at].trace.relation = relation;
        all[wrapped..end].rotate_left(at - wrapped);
    }
    all.into_iter().map(|one| one.trace).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse::{ParsedTrace, parse_trace};

    fn read(text: &str) -> Vec<String> {
        let one = |one: &ParsedTrace| {
            let methods: Vec<&str> = one.frames.iter().map(|frame| frame.method.as_str()).collect();
            format!(
                "{:?} {}: {} {}|{}",
                one.relation,
                one.error_type,
                one.message,
                methods.join(","),
                one.omitted
            )
        };
        parse_trace(text).iter().map(one).collect()
    }

    // logback's ThrowableProxyConverter for `%rEx`.
    #[test]
    fn what_wraps_a_throwable_is_what_it_caused() {
        let text = "12:00:01 ERROR t - it failed\na.Gone: no 1\n\tat a.B.c(B.kt:3) ~[b.jar:1]\n\t... 2 common frames omitted\nWrapped by: a.Lost: y\n\tat \
                    a.D.e(D.kt:4)\n\tSuppressed: a.Closing: z\n\t\tat a.D.f(D.kt:5)\nWrapped by: a.Outer: x\n\tat a.F.g(F.kt:6)\n\tat a.F.h(F.kt:7)\na.Next: \
                    n\n\tat a.G.i(G.kt:8)\n";
        let expected = [
            "First a.Outer: x g,h|0",
            "Cause a.Lost: y e|0",
            "Suppressed a.Closing: z f|0",
            "Cause a.Gone: no 1 c|2",
            "First a.Next: n i|0",
        ];
        assert_eq!(read(text), expected);
        // Where a chat removed the indentation.
        let flat: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
        assert_eq!(read(&flat), expected);
        // A chain within what was suppressed.
        assert_eq!(
            read(
                "a.Gone: no 1\n\tat a.B.c(B.kt:3)\n\tSuppressed: a.Socket: s\n\t\tat a.B.d(B.kt:4)\n\tWrapped by: a.Closing: z\n\t\tat a.B.e(B.kt:5)\nWrapped by: \
                 a.Outer: x\n\tat a.F.g(F.kt:6)\n"
            ),
            [
                "First a.Outer: x g|0",
                "Cause a.Gone: no 1 c|0",
                "Suppressed a.Closing: z e|0",
                "CauseOfSuppressed a.Socket: s d|0"
            ]
        );
        // Its beginning was cut off.
        assert_eq!(read("Wrapped by: a.Outer: x\n\tat a.F.g(F.kt:6)\n"), ["First a.Outer: x g|0"]);
    }
}
