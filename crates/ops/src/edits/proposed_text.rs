//! Proposed texts, parsed before they are written: a text that parsed before must parse afterwards, and the
//! index need not parse it again. Runs on every core, since a patch may contain many. Invariant: the error
//! returned is that of the first text that has one, whichever thread is faster.

use std::sync::Arc;

use super::planned_edit::PlanningError;
use super::request::Breaking;
use symd_base::cancel::Cancelled;
use symd_base::cores;
use symd_base::text::{Encoding, decodes_unchanged};
use symd_base::{Cancel, ContentHash, RelPath, TextRange};
use symd_engine::{MAX_PARSED_BYTES, PreparsedOutline};
use symd_parse::{ParseError, Parsers};
use symd_rewrite::{BrokenAt, EditFault};
use symd_syntax::{Grammar, Inspected, Outline};

/// A proposed text.
#[derive(Debug)]
pub(super) struct ProposedText {
    pub(super) path: RelPath,
    pub(super) grammar: Grammar,
    /// The current text.
    pub(super) before: String,
    pub(super) after: String,
    /// The encoding of the file.
    pub(super) encoding: Encoding,
    /// The outline of `after`, if that text has been checked already.
    pub(super) outline: Option<Outline>,
}

type Parsed = Result<Option<PreparsedOutline>, PlanningError>;

/// Parses all of `coming`. Returns the outlines of those texts that will be on the disk byte for byte.
pub(super) fn parse(
    parsers: &Parsers,
    coming: &[ProposedText],
    breaking: Breaking,
    cancel: &Cancel,
) -> Result<Vec<PreparsedOutline>, PlanningError> {
    let parsed = cores::concurrent_map(coming, 1, |one| one.parse(parsers, breaking, cancel));
    parsed.into_iter().filter_map(Result::transpose).collect()
}

impl ProposedText {
    fn parse(&self, parsers: &Parsers, breaking: Breaking, cancel: &Cancel) -> Parsed {
        cancel.check()?;
        let after = self.read_back();
        let Some(outline) = self.outline_of(parsers, after, breaking, cancel)? else { return Ok(None) };
        cancel.check()?;
        // Only then are these the bytes on disk that the index would parse. An outline of any other text
        // would be kept, also in the cache, for a file that it does not fit: the next edit by symbol would
        // corrupt that file.
        let is_verbatim = self.encoding == Encoding::Utf8 && decodes_unchanged(&self.after);
        Ok(is_verbatim.then(|| PreparsedOutline {
            hash: ContentHash::of(self.after.as_bytes()),
            grammar: self.grammar,
            outline: Arc::new(outline),
        }))
    }

    /// Returns the outline of `after`, or an error if the edit breaks the text; `None` if it may be written
    /// without an outline.
    fn outline_of(
        &self,
        parsers: &Parsers,
        after: &str,
        breaking: Breaking,
        cancel: &Cancel,
    ) -> Result<Option<Outline>, PlanningError> {
        if let Some(judged) = &self.outline {
            return Ok(Some(judged.clone()));
        }
        if u64::try_from(after.len()).unwrap_or(u64::MAX) > MAX_PARSED_BYTES {
            // The index will not parse it either.
            return Ok(None);
        }
        if breaking == Breaking::Allowed {
            // Whatever is wrong with the text, it is written: only its outline is of use.
            return match parsers.outline_now(self.grammar, after, cancel) {
                Ok(outline) => Ok(Some(outline)),
                Err(ParseError::Cancelled) => Err(Cancelled.into()),
                Err(_) => Ok(None),
            };
        }
        // No line is inspected.
        let nothing = TextRange::new(0, 0);
        let Inspected { outline, error, .. } = match parsers.inspect(self.grammar, after, nothing, cancel) {
            Ok(inspected) => inspected,
            Err(ParseError::Cancelled) => return Err(Cancelled.into()),
            // What did not parse before need not parse afterwards, and a text that crashes the parser does
            // not parse.
            Err(_) if !self.parsed_before(parsers, cancel) => return Ok(None),
            Err(error) => return Err(PlanningError::Unparsable { path: self.path.clone(), error }),
        };
        if let Some(error) = error
            && self.parsed_before(parsers, cancel)
        {
            let fault = Box::new(EditFault::Broken(BrokenAt::new(after, &error)));
            return Err(PlanningError::Breaks { path: self.path.clone(), fault });
        }
        Ok(Some(outline))
    }

    /// Whether the current text parses without errors.
    fn parsed_before(&self, parsers: &Parsers, cancel: &Cancel) -> bool {
        let outline = parsers.outline_now(self.grammar, &self.before, cancel);
        outline.is_ok_and(|outline| !outline.has_errors)
    }

    /// Returns the text as it will be read: without the byte order mark at its beginning.
    fn read_back(&self) -> &str {
        match self.encoding {
            Encoding::Utf8 => self.after.strip_prefix('\u{FEFF}').unwrap_or(&self.after),
            _ => &self.after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_text_that_breaks_is_told() {
        let python = Grammar::named("python").expect("known");
        let coming: Vec<ProposedText> = (0..40)
            .map(|number| ProposedText {
                path: RelPath::new(&format!("f{number}.py")).expect("valid"),
                grammar: python,
                before: "x = 1\n".to_owned(),
                after: if number % 10 == 7 { "x = (\n".to_owned() } else { format!("x = {number}\n") },
                encoding: if number == 3 { Encoding::Utf8Bom } else { Encoding::Utf8 },
                outline: None,
            })
            .collect();
        let parsers = Parsers::in_this_process();
        let parse =
            |coming: &[ProposedText], breaking, cancel: &Cancel| parse(&parsers, coming, breaking, cancel);
        let refused = parse(&coming, Breaking::Refused, &Cancel::new()).expect_err("broken");
        assert!(refused.to_string().starts_with("f7.py: the file would no longer parse"), "{refused}");
        let preparsed = parse(&coming, Breaking::Allowed, &Cancel::new()).expect("allowed");
        assert_eq!(preparsed.len(), 39);
        assert_eq!(preparsed[3].hash, ContentHash::of(b"x = 4\n"));
        let odd = ["\u{FEFF}x = 1\n", "x = 1\0\n", "x = '\u{FEFF}'\n"].map(|after| ProposedText {
            path: RelPath::new("odd.py").expect("valid"),
            grammar: python,
            before: "x = 1\n".to_owned(),
            after: after.to_owned(),
            encoding: Encoding::Utf8,
            outline: None,
        });
        let preparsed = parse(&odd, Breaking::Allowed, &Cancel::new()).expect("allowed");
        // A byte order mark at the beginning is not part of the text read, and a file with a NUL byte is not
        // text.
        assert_eq!(
            preparsed.iter().map(|one| one.hash).collect::<Vec<_>>(),
            [ContentHash::of("x = '\u{FEFF}'\n".as_bytes())]
        );
        assert!(
            parse(&odd[..1], Breaking::Refused, &Cancel::new()).expect("parses without the mark").is_empty()
        );
        let gone = Cancel::new();
        gone.cancel();
        assert!(matches!(parse(&coming, Breaking::Allowed, &gone), Err(PlanningError::Cancelled(_))));
        assert!(parse(&[], Breaking::Refused, &gone).expect("nothing to do").is_empty());
    }
}
