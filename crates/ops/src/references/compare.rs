//! Compares a server's answer with the likely occurrences that syntax finds, and keeps the results of asking
//! the server about the difference.

use std::collections::{HashMap, HashSet};

use super::answer::Completeness;
use super::judge::{JudgedOccurrence, JudgedOccurrences};
use crate::spot::Placed;
use symd_base::RelPath;
use symd_config::{LanguageId, Languages};
use symd_resolve::{Judgement, Occurrence, Role};

/// Occurrences that the server does not report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unreported {
    /// Likely occurrences in files of languages that the server serves.
    pub(crate) silent: Vec<JudgedOccurrence>,
    /// Likely occurrences in files of languages that the server does not serve.
    pub(crate) other_languages: Vec<JudgedOccurrence>,
    /// Occurrences whose meaning syntax cannot determine, in files of languages that the server serves.
    pub(crate) open: Vec<JudgedOccurrence>,
    /// Number of such occurrences in files of languages that the server does not serve.
    pub(crate) open_elsewhere: usize,
}

/// Finds the occurrences that the server does not report; `told` holds the places that it reports. Other
/// declarations of the name are not uses and are ignored.
pub(crate) fn compare(
    judged: &JudgedOccurrences,
    told: &HashSet<(&RelPath, u32)>,
    languages: &Languages,
    language: Option<LanguageId>,
) -> Unreported {
    let files = told.iter().map(|(path, _)| *path);
    compare_with(judged, (files, |path, start| told.contains(&(path, start))), languages, language)
}

/// Like [`compare`]; the places are in path order, then by offset.
pub(crate) fn compare_ordered<P: Placed>(
    judged: &JudgedOccurrences,
    told: &[P],
    languages: &Languages,
    language: Option<LanguageId>,
) -> Unreported {
    let of_files = told.chunk_by(|a, b| a.path() == b.path());
    let files = of_files.filter_map(|of_file| Some(of_file.first()?.path()));
    let is_told = |path: &RelPath, start: u32| {
        told.binary_search_by(|place| (place.path(), place.range().start).cmp(&(path, start))).is_ok()
    };
    compare_with(judged, (files, is_told), languages, language)
}

fn compare_with<'p>(
    judged: &'p JudgedOccurrences,
    (files, is_told): (impl Iterator<Item = &'p RelPath>, impl Fn(&'p RelPath, u32) -> bool),
    languages: &Languages,
    language: Option<LanguageId>,
) -> Unreported {
    let mut served: HashSet<LanguageId> = files.filter_map(|path| languages.language_of(path)).collect();
    served.extend(language);
    let is_served = |path: &RelPath| match languages.language_of(path) {
        Some(other) => {
            served.contains(&other) || language.is_some_and(|it| share_server(languages, it, other))
        }
        None => true,
    };
    let is_untold = |one: &&'p Occurrence| {
        // Whether a string is a key is told by the types, which the server knows.
        !matches!(one.role, Role::Declaration | Role::Key) && !is_told(&one.path, one.range.start)
    };
    let (silent, other_languages): (Vec<JudgedOccurrence>, Vec<JudgedOccurrence>) = judged
        .of(Judgement::Likely)
        .filter(is_untold)
        .map(JudgedOccurrence::of)
        .partition(|one| is_served(&one.path));
    let (open, open_elsewhere): (Vec<JudgedOccurrence>, Vec<JudgedOccurrence>) =
        judged.open().filter(is_untold).map(JudgedOccurrence::of).partition(|one| is_served(&one.path));
    Unreported { silent, other_languages, open, open_elsewhere: open_elsewhere.len() }
}

/// Whether one server serves both languages.
fn share_server(languages: &Languages, a: LanguageId, b: LanguageId) -> bool {
    let of_a = &languages.get(a).language_servers;
    let mut of_b = languages.get(b).language_servers.iter();
    of_b.any(|server| of_a.iter().any(|other| other.name == server.name))
}

/// The result of asking the server about one unreported occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The definition is the symbol.
    Confirmed,
    /// The definition is elsewhere: not a reference.
    Refuted,
    /// The server answered that it knows no definition: nothing speaks against what syntax tells.
    Undefined,
    /// The server did not answer in time or with an error, or the file is gone.
    Unanswered,
}

/// The verdicts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdicts(HashMap<(RelPath, u32), Verdict>);

impl Verdicts {
    /// Returns the verdict on `one`, or `None` if the server was not asked about it.
    pub(crate) fn of(&self, one: &JudgedOccurrence) -> Option<Verdict> {
        self.0.get(&(one.path.clone(), one.range.start)).copied()
    }

    pub(crate) fn note(&mut self, one: &JudgedOccurrence, verdict: Verdict) {
        self.0.insert((one.path.clone(), one.range.start), verdict);
    }

    /// Returns the occurrences among `all` that the server was not asked about.
    pub(crate) fn not_asked<'a>(&self, all: &'a [JudgedOccurrence]) -> Vec<&'a JudgedOccurrence> {
        all.iter().filter(|one| self.of(one).is_none()).collect()
    }

    /// Returns the occurrences among `all` that the server confirmed.
    pub(crate) fn confirmed_among<'a>(
        &self,
        all: &'a [JudgedOccurrence],
    ) -> impl Iterator<Item = &'a JudgedOccurrence> {
        all.iter().filter(|one| self.of(one) == Some(Verdict::Confirmed))
    }

    pub(crate) fn not_refuted(&self, silent: &[JudgedOccurrence]) -> Vec<JudgedOccurrence> {
        silent.iter().filter(|one| self.of(one) != Some(Verdict::Refuted)).cloned().collect()
    }

    /// Returns the occurrences that are references, because the server confirmed them or knows nothing of likely ones, and the likely ones of
    /// which it did not say either.
    pub(crate) fn joining_and_missing(
        &self,
        compared: &Unreported,
    ) -> (Vec<JudgedOccurrence>, Vec<JudgedOccurrence>) {
        let joins =
            |one: &JudgedOccurrence| matches!(self.of(one), Some(Verdict::Confirmed | Verdict::Undefined));
        let (mut joining, missing): (Vec<_>, Vec<_>) =
            self.not_refuted(&compared.silent).into_iter().partition(joins);
        let likely =
            |one: &JudgedOccurrence| JudgedOccurrence { judgement: Judgement::Likely, ..one.clone() };
        joining.extend(self.confirmed_among(&compared.open).map(likely));
        (joining, missing)
    }

    /// Returns the completeness of an answer that tells of `missing` occurrences. If every occurrence that was asked about is
    /// refuted, syntax is assumed to be wrong, and the occurrences that were not asked about do not count as missing.
    pub(crate) fn completeness(&self, compared: &Unreported, missing: &[JudgedOccurrence]) -> Completeness {
        let asked: Vec<Verdict> = compared.silent.iter().filter_map(|one| self.of(one)).collect();
        let all_refuted = !asked.is_empty() && asked.iter().all(|&verdict| verdict == Verdict::Refuted);
        if !missing.is_empty() && !all_refuted {
            let confirmed = self.confirmed_among(missing).count();
            return Completeness::Incomplete { missing: missing.len(), confirmed };
        }
        let is_open =
            |one: &&JudgedOccurrence| !matches!(self.of(one), Some(Verdict::Confirmed | Verdict::Refuted));
        let open = compared.open.iter().filter(is_open).count() + compared.open_elsewhere;
        match missing.len() + open {
            0 => Completeness::Complete,
            unchecked => Completeness::Unchecked(unchecked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::TextRange;

    fn found(start: u32) -> JudgedOccurrence {
        JudgedOccurrence {
            path: RelPath::new("a.py").expect("valid"),
            range: TextRange::new(start, start + 1),
            judgement: Judgement::Likely,
            role: Role::Use,
        }
    }

    fn standing(silent: u32, verdicts: &[Verdict], open: u32) -> (Verdicts, Unreported) {
        let silent: Vec<JudgedOccurrence> = (0..silent).map(found).collect();
        let mut standing = Verdicts::default();
        silent.iter().zip(verdicts).for_each(|(one, &verdict)| standing.note(one, verdict));
        let open = (100..100 + open).map(found).collect();
        (standing, Unreported { silent, other_languages: Vec::new(), open, open_elsewhere: 0 })
    }

    fn completeness(silent: u32, verdicts: &[Verdict], open: u32) -> Completeness {
        let (standing, compared) = standing(silent, verdicts, open);
        standing.completeness(&compared, &standing.not_refuted(&compared.silent))
    }

    #[test]
    fn an_alarm_needs_an_occurrence_that_is_not_refuted() {
        use Completeness::*;
        use Verdict::*;
        assert_eq!(completeness(0, &[], 0), Complete);
        assert_eq!(completeness(0, &[], 3), Unchecked(3));
        assert_eq!(completeness(2, &[Refuted, Refuted], 0), Complete);
        assert_eq!(completeness(2, &[Refuted, Unanswered], 0), Incomplete { missing: 1, confirmed: 0 });
        assert_eq!(completeness(3, &[Refuted, Confirmed], 0), Incomplete { missing: 2, confirmed: 1 });
        assert_eq!(completeness(4, &[Refuted, Refuted], 1), Unchecked(3), "syntax errs here");
    }

    #[test]
    fn what_is_confirmed_and_listed_is_not_missing() {
        use Completeness::*;
        use Verdict::*;
        let listed = |silent, verdicts: &[Verdict], open| {
            let (standing, compared) = standing(silent, verdicts, open);
            standing.completeness(&compared, &standing.joining_and_missing(&compared).1)
        };
        assert_eq!(listed(2, &[Confirmed, Confirmed], 0), Complete);
        assert_eq!(listed(2, &[Confirmed, Refuted], 0), Complete);
        assert_eq!(listed(2, &[Confirmed, Confirmed], 1), Unchecked(1));
        assert_eq!(listed(2, &[Confirmed, Unanswered], 0), Incomplete { missing: 1, confirmed: 0 });
        assert_eq!(listed(2, &[Confirmed, Undefined], 0), Complete);
        let unasked = "one that the server was not asked about is missing";
        assert_eq!(listed(3, &[Confirmed, Refuted], 0), Incomplete { missing: 1, confirmed: 0 }, "{unasked}");
    }

    #[test]
    fn open_ones_are_open_until_the_server_says_either() {
        let (mut standing, compared) = standing(0, &[], 3);
        let now = |standing: &Verdicts| {
            let (joining, missing) = standing.joining_and_missing(&compared);
            (joining.len(), standing.completeness(&compared, &missing))
        };
        assert_eq!(now(&standing), (0, Completeness::Unchecked(3)));
        standing.note(&compared.open[0], Verdict::Confirmed);
        standing.note(&compared.open[1], Verdict::Undefined);
        assert_eq!(now(&standing), (1, Completeness::Unchecked(2)));
        standing.note(&compared.open[1], Verdict::Refuted);
        standing.note(&compared.open[2], Verdict::Refuted);
        assert_eq!(now(&standing), (1, Completeness::Complete));
    }
}
