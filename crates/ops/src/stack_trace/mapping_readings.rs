//! Gives the names and lines of an obfuscated trace back. Where mappings of several builds fit and read a frame differently, each
//! reading is given, in doubt.

use super::mapping::TraceMapping;
use super::parse::{ParsedFrame, ParsedTrace};

/// Replaces all frames and the types of the throwables by the program's own; mappings are given with their paths.
pub(super) fn retrace(mappings: &[(String, TraceMapping)], traces: &mut [ParsedTrace]) {
    if mappings.is_empty() {
        return;
    }
    let mut read: Vec<_> = mappings.iter().map(|(_, mapping)| mapping.read(traces).into_iter()).collect();
    for trace in traces {
        let mut types = mappings.iter().map(|(_, mapping)| mapping.class(&trace.error_type));
        let first = types.next().flatten();
        if let Some(own) = first
            && types.all(|other| other == first)
        {
            trace.error_type = own.to_owned();
        }
        trace.frames = (0..trace.frames.len())
            .flat_map(|_| {
                let readings: Vec<Vec<ParsedFrame>> = read.iter_mut().filter_map(Iterator::next).collect();
                of_readings(mappings, readings)
            })
            .collect();
    }
}

fn of_readings(mappings: &[(String, TraceMapping)], readings: Vec<Vec<ParsedFrame>>) -> Vec<ParsedFrame> {
    let Some(first) = readings.first() else { return Vec::new() };
    if readings.iter().all(|other| other == first) {
        return first.clone();
    }
    if readings.iter().any(|frames| frames.len() != 1) {
        let by = |path: &str| format!("by {path} alone: {} mappings fit", mappings.len());
        let each = mappings.iter().zip(readings).flat_map(|((path, _), frames)| {
            let doubted = |frame| ParsedFrame { reading_doubt: Some(by(path)), ..frame };
            frames.into_iter().map(doubted).collect::<Vec<_>>()
        });
        return each.collect();
    }
    let mut all: Vec<ParsedFrame> = Vec::new();
    for frame in readings.into_iter().flatten() {
        let alone = ParsedFrame { alternatives: Vec::new(), ..frame.clone() };
        for one in std::iter::once(alone).chain(frame.alternatives) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
    }
    let doubt = format!("{} mappings fit and read it differently", mappings.len());
    let mut all = all.into_iter();
    let Some(first) = all.next() else { return Vec::new() };
    vec![ParsedFrame { alternatives: all.collect(), reading_doubt: Some(doubt), ..first }]
}
