//! Chooses among the methods that a mapping has for a frame: what the compiler made calls one method, and that is the one whose frame stands
//! before.

use super::parse::{ParsedFrame, ParsedTrace};

/// How Kotlin's compiler begins the names of methods through which other classes reach what is private.
const ACCESSOR: &str = "access$";

/// How the names of those end that read or write a field.
const OF_FIELDS: [&str; 2] = ["$p", "$cp"];

/// What a method may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Callee<'f> {
    /// Whatever the source says.
    Any,
    /// Methods of a name; an accessor those of its own class.
    Named { class: Option<&'f str>, method: &'f str },
    /// Nothing: it reads or writes a field.
    Nothing,
}

impl<'f> Callee<'f> {
    fn of(method: &'f ParsedFrame) -> Callee<'f> {
        match method.method.strip_prefix(ACCESSOR) {
            // javac's are numbered.
            Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => Callee::Any,
            Some(field) if OF_FIELDS.iter().any(|end| field.ends_with(end)) => Callee::Nothing,
            Some(method_name) => Callee::Named { class: Some(&method.class), method: method_name },
            // One that is written calls nothing without a line but checks of its arguments.
            None if method.is_made => Callee::Named {
                class: None,
                method: method.method.strip_suffix("$default").unwrap_or(&method.method),
            },
            None => Callee::Any,
        }
    }

    fn may_be(self, frame: &ParsedFrame) -> bool {
        match self {
            Callee::Any => true,
            Callee::Named { class, method } => {
                frame.method == method && class.is_none_or(|class| class == frame.class)
            }
            Callee::Nothing => false,
        }
    }
}

/// Leaves frames the only method that can call the one before, if what each other one may call is known and is not that.
pub(super) fn choose_callers(traces: &mut [ParsedTrace]) {
    for trace in traces {
        for at in 1..trace.frames.len() {
            let (before, behind) = trace.frames.split_at_mut(at);
            let (callee, frame) = (&before[at - 1], &mut behind[0]);
            if !callee.alternatives.is_empty()
                || callee.reading_doubt.is_some()
                || frame.reading_doubt.is_some()
            {
                continue;
            }
            if let Some(only) = only_caller(frame, callee) {
                *frame = ParsedFrame { alternatives: Vec::new(), mapped_lines: None, ..only };
            }
        }
    }
}

fn only_caller(frame: &ParsedFrame, callee: &ParsedFrame) -> Option<ParsedFrame> {
    let readings = || std::iter::once(frame).chain(&frame.alternatives);
    let mut callers = readings().filter(|reading| Callee::of(reading).may_be(callee));
    let only = callers.next().filter(|_| callers.next().is_none())?;
    let is_known = readings().all(|reading| Callee::of(reading) != Callee::Any);
    (is_known && !frame.alternatives.is_empty()).then(|| only.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(class: &str, method: &str) -> ParsedFrame {
        ParsedFrame { class: class.to_owned(), method: method.to_owned(), ..ParsedFrame::default() }
    }

    fn made(class: &str, method: &str) -> ParsedFrame {
        ParsedFrame { is_made: true, ..frame(class, method) }
    }

    /// The names that are left of a frame behind that of `callee`.
    fn left(callee: &ParsedFrame, readings: &[ParsedFrame]) -> Vec<String> {
        let of_readings = ParsedFrame { alternatives: readings[1..].to_vec(), ..readings[0].clone() };
        let mut traces =
            [ParsedTrace { frames: vec![callee.clone(), of_readings], ..ParsedTrace::default() }];
        choose_callers(&mut traces);
        let frame = &traces[0].frames[1];
        std::iter::once(frame).chain(&frame.alternatives).map(|one| one.method.clone()).collect()
    }

    #[test]
    fn accessors_and_what_has_no_line_call_the_frame_before() {
        let callee = frame("shop.Till", "sell");
        let accessors = [frame("shop.Till", "access$getLeft$p"), frame("shop.Till", "access$sell")];
        assert_eq!(left(&callee, &accessors), ["access$sell"]);
        let of_companion =
            [made("shop.Till", "copy"), made("shop.Till", "copy$default"), made("shop.Till", "sell")];
        assert_eq!(left(&frame("shop.Till$Companion", "sell"), &of_companion), ["sell"]);
    }

    #[test]
    fn what_may_call_the_frame_as_well_stays() {
        let accessor = frame("shop.Till", "access$sell");
        // A method of the source; one of javac's accessors; one of another class's method.
        for (callee, other) in [
            (frame("shop.Till", "sell"), frame("shop.Till", "take")),
            (frame("shop.Till", "sell"), frame("shop.Till", "access$000")),
            (frame("shop.Shelf", "sell"), frame("shop.Till", "access$getLeft$p")),
            (frame("kotlin.jvm.internal.Intrinsics", "checkNotNull"), made("shop.Till", "take")),
        ] {
            assert_eq!(left(&callee, &[accessor.clone(), other.clone()]), ["access$sell", &other.method]);
        }
        let several =
            ParsedFrame { alternatives: vec![frame("shop.Till", "take")], ..frame("shop.Till", "sell") };
        let field = frame("shop.Till", "access$getLeft$p");
        assert_eq!(left(&several, &[accessor, field]), ["access$sell", "access$getLeft$p"]);
    }
}
