//! Texts that are to be written, parsed before they are: one that parsed must parse afterwards, and the index need not parse
//! it again. On every core, as a patch may bring many. Invariant: the error told is that of the first text that has one,
//! whichever thread was faster.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::make::MakeError;
use super::request::Breaking;
use super::{SymbolEditError, breaks_syntax};
use crate::base::text::Encoding;
use crate::base::{Cancel, ContentHash, RelPath};
use crate::engine::Foretold;
use crate::syntax::{Grammar, outline};

/// A text to come.
#[derive(Debug)]
pub(super) struct Coming {
    pub(super) path: RelPath,
    pub(super) grammar: Grammar,
    /// What is there now.
    pub(super) before: String,
    pub(super) after: String,
    /// How the file spells it.
    pub(super) encoding: Encoding,
}

type Parsed = Result<Option<Foretold>, MakeError>;

/// Parses all of `coming`; the outlines are those of texts that will be on the disk byte for byte.
pub(super) fn parse(
    coming: &[Coming],
    breaking: Breaking,
    cancel: &Cancel,
) -> Result<Vec<Foretold>, MakeError> {
    let (next, parsed) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(coming.len())));
    let work = || {
        while let Some((number, one)) = taken(&next, coming) {
            let one = one.parse(breaking, cancel);
            parsed.lock().unwrap_or_else(PoisonError::into_inner).push((number, one));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(coming.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that cannot be had leaves the work to the others.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut parsed: Vec<(usize, Parsed)> = parsed.into_inner().unwrap_or_else(PoisonError::into_inner);
    parsed.sort_unstable_by_key(|(number, _)| *number);
    parsed.into_iter().filter_map(|(_, one)| one.transpose()).collect()
}

fn taken<'c>(next: &AtomicUsize, coming: &'c [Coming]) -> Option<(usize, &'c Coming)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    coming.get(number).map(|one| (number, one))
}

impl Coming {
    fn parse(&self, breaking: Breaking, cancel: &Cancel) -> Parsed {
        cancel.check()?;
        let outline = outline(self.grammar, &self.after, cancel).map_err(SymbolEditError::from)?;
        if outline.has_errors && breaking == Breaking::Refused {
            let broken = breaks_syntax(self.grammar, &self.before, &self.after, cancel);
            if let Some(broken) = broken.map_err(SymbolEditError::from)? {
                return Err(MakeError::Breaks { path: self.path.clone(), broken });
            }
        }
        // Only then are these the bytes on disk.
        let is_verbatim = self.encoding == Encoding::Utf8;
        Ok(is_verbatim.then(|| Foretold {
            hash: ContentHash::of(self.after.as_bytes()),
            grammar: self.grammar,
            outline: Arc::new(outline),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_text_that_breaks_is_told() {
        let python = Grammar::named("python").expect("known");
        let coming: Vec<Coming> = (0..40)
            .map(|number| Coming {
                path: RelPath::new(&format!("f{number}.py")).expect("valid"),
                grammar: python,
                before: "x = 1\n".to_owned(),
                after: if number % 10 == 7 { "x = (\n".to_owned() } else { format!("x = {number}\n") },
                encoding: if number == 3 { Encoding::Utf8Bom } else { Encoding::Utf8 },
            })
            .collect();
        let refused = parse(&coming, Breaking::Refused, &Cancel::new()).expect_err("broken");
        assert!(refused.to_string().starts_with("f7.py: the file would no longer parse"), "{refused}");
        let foretold = parse(&coming, Breaking::Allowed, &Cancel::new()).expect("allowed");
        assert_eq!(foretold.len(), 39);
        assert_eq!(foretold[3].hash, ContentHash::of(b"x = 4\n"));
        let gone = Cancel::new();
        gone.cancel();
        assert!(matches!(parse(&coming, Breaking::Allowed, &gone), Err(MakeError::Cancelled(_))));
        assert!(parse(&[], Breaking::Refused, &gone).expect("nothing to do").is_empty());
    }
}
