//! A solution as a record of Chroma: its error's description is the document, the rest is metadata under the contract's keys.
//! Invariants: an id is made of what a record says, so that no client's record takes the place of another's; what is read is
//! checked like an import, because anyone may have written it.

use serde_json::{Map, Value, json};
use symd_base::hash::ContentHash;

use super::collection::ChromaRecord;
use crate::matrix::simple_type;
use crate::solution::Solution;

/// The key that only records of symd have; its value is the version of their form.
pub(super) const OWN: &str = "symd";

/// The model whose vector a record has; empty if it has none yet.
pub(super) const MODEL: &str = "model";

pub(super) const VALIDATED: &str = "userValidated";

/// The last component of the error's type, in lower case, for filters.
pub(super) const ERROR_NAME: &str = "errorName";

/// The number of digits of an id.
const DIGITS: usize = 18;

/// Whether an id was made by [`content_id`].
pub(super) fn is_content_id(id: &str) -> bool {
    id.strip_prefix("rca-").is_some_and(|digits| digits.len() == DIGITS)
}

/// Returns the id that a solution has because of what it says.
pub(super) fn content_id(solution: &Solution) -> String {
    let Solution { created_at, confidence, .. } = solution;
    // JSON, so that no text runs into the next.
    let said = json!([created_at, confidence, solution.texts()]).to_string();
    let ContentHash(bytes) = ContentHash::of(said.as_bytes());
    let number = bytes[..8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("rca-{:0DIGITS$}", number % 10_u64.pow(18))
}

/// Returns a solution, which has an id, as a record.
pub(super) fn record(solution: &Solution, model: &str) -> ChromaRecord {
    let metadata = json!({
        OWN: 1,
        MODEL: model,
        "rootCause": solution.root_cause,
        "solution": solution.solution,
        "language": solution.language,
        "errorType": solution.error_type,
        ERROR_NAME: simple_type(&solution.error_type),
        "confidence": solution.confidence,
        VALIDATED: solution.user_validated,
        "createdAt": solution.created_at,
        "fixedIn": solution.fixed_in,
    });
    ChromaRecord {
        id: solution.id.clone(),
        document: Some(solution.error_description.clone()),
        metadata: metadata.as_object().cloned(),
    }
}

/// Returns the solution of a record; `None` if it is not of symd, or not what symd writes.
pub(super) fn solution(record: &ChromaRecord) -> Option<Solution> {
    let metadata = record.metadata.as_ref()?;
    metadata.get(OWN)?;
    let text = |key: &str| Some(printable(metadata.get(key)?.as_str()?));
    let solution = Solution {
        id: record.id.clone(),
        error_description: printable(record.document.as_deref()?),
        root_cause: text("rootCause")?,
        solution: text("solution")?,
        language: text("language")?,
        error_type: text("errorType")?,
        confidence: metadata.get("confidence")?.as_f64()?,
        user_validated: metadata.get(VALIDATED)?.as_bool()?,
        created_at: text("createdAt")?,
        fixed_in: text("fixedIn")?,
    };
    solution.check().is_ok().then_some(solution)
}

/// Returns the text by which a record is found, whoever wrote it.
pub(super) fn searched_text(record: &ChromaRecord) -> Option<String> {
    match solution(record) {
        Some(solution) => Some(solution.searched_text()),
        None => record.document.clone().filter(|document| !document.trim().is_empty()),
    }
}

/// Returns the record with another model, if it says its model.
pub(super) fn of_model(mut record: ChromaRecord, model: &str) -> ChromaRecord {
    if let Some(of) = record.metadata.as_mut().and_then(|metadata: &mut Map<_, _>| metadata.get_mut(MODEL)) {
        *of = Value::from(model);
    }
    record
}

/// Returns a text that cannot steer a terminal.
fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() && !"\n\r\t".contains(c) { '\u{FFFD}' } else { c };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_till() -> Solution {
        let mut one = Solution {
            id: String::new(),
            error_description: "no till".to_owned(),
            root_cause: "a cause".to_owned(),
            solution: "a fix\nof two lines".to_owned(),
            language: "kotlin".to_owned(),
            error_type: "kotlin.IllegalStateException".to_owned(),
            confidence: 0.8,
            user_validated: true,
            created_at: "2026-11-01T00:00:00Z".to_owned(),
            fixed_in: String::new(),
        };
        one.id = content_id(&one);
        one
    }

    #[test]
    fn a_solution_is_read_as_it_was_written() {
        let one = no_till();
        assert_eq!(solution(&record(&one, "a model")), Some(one));
    }

    #[test]
    fn an_id_is_of_all_that_is_said_and_of_no_more() {
        let one = no_till();
        assert_eq!(one.check(), Ok(()));
        assert!(is_content_id(&one.id) && !is_content_id("rca-001") && !is_content_id(""));
        let confirmed = Solution { user_validated: false, id: "rca-001".to_owned(), ..one.clone() };
        assert_eq!(content_id(&confirmed), one.id);
        let moved = Solution {
            error_description: "no".to_owned(),
            root_cause: " tilla cause".to_owned(),
            ..one.clone()
        };
        let later = Solution { created_at: "2026-11-01T00:00:01Z".to_owned(), ..one.clone() };
        for other in [moved, later] {
            assert_ne!(content_id(&other), one.id);
        }
    }

    #[test]
    fn what_symd_would_not_write_is_no_solution() {
        let written = record(&no_till(), "a model");
        let changed = |key: &str, value: Value| {
            let mut record = written.clone();
            record
                .metadata
                .iter_mut()
                .for_each(|metadata| drop(metadata.insert(key.to_owned(), value.clone())));
            solution(&record)
        };
        assert!(changed("more", Value::from(1)).is_some());
        for (key, value) in [
            ("confidence", Value::from(2)),
            ("confidence", Value::from("high")),
            ("rootCause", Value::from("")),
            ("createdAt", Value::from("\u{1b}[2J")),
            (VALIDATED, Value::Null),
        ] {
            assert_eq!(changed(key, value), None, "{key}");
        }
        for (id, document) in [("theirs", Some("no till".to_owned())), ("rca-001", None)] {
            let other = ChromaRecord { id: id.to_owned(), document, ..written.clone() };
            assert_eq!(solution(&other), None);
        }
        assert_eq!(solution(&ChromaRecord { metadata: None, ..written }), None);
    }
}
