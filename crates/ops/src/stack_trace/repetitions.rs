//! Leaves out what a text tells again: runners of tests print a failure where it happens, and at their end once more.

use std::collections::HashSet;

use super::parse::{ParsedTrace, TraceRelation};

/// Returns the traces, each with its causes once, and the number of those that were left out.
pub(super) fn told_once(traces: Vec<ParsedTrace>) -> (Vec<ParsedTrace>, usize) {
    let mut chains: Vec<Vec<ParsedTrace>> = Vec::new();
    for trace in traces {
        match chains.last_mut() {
            Some(chain) if trace.relation != TraceRelation::First => chain.push(trace),
            _ => chains.push(vec![trace]),
        }
    }
    let count = chains.len();
    let mut known: HashSet<Vec<ParsedTrace>> = HashSet::new();
    // Threads of a pool wait in the same place: each is one of its own.
    let is_thread = |chain: &[ParsedTrace]| chain.iter().all(|trace| trace.error_type.is_empty());
    chains.retain(|chain| is_thread(chain) || known.insert(chain.clone()));
    let left_out = count - chains.len();
    (chains.into_iter().flatten().collect(), left_out)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_trace;
    use super::*;

    #[test]
    fn a_chain_is_told_once_and_threads_each() {
        let crash = "a.Gone: x\n\tat a.B.c(B.kt:3)\nCaused by: a.Lost: y\n\tat a.B.d(B.kt:4)\n";
        let other = crash.replace("(B.kt:4)", "(B.kt:5)");
        let thread = "\"Pool\" prio=5 tid=2 Waiting\n  at a.D.e(D.kt:4)\n";
        let (traces, left_out) =
            told_once(parse_trace(&format!("{crash}\n{crash}{other}{thread}\n{thread}{crash}")));
        let said: Vec<&str> = traces.iter().map(|trace| trace.error_type.as_str()).collect();
        assert_eq!((said, left_out), (vec!["a.Gone", "a.Lost", "a.Gone", "a.Lost", "", ""], 2));
    }
}
