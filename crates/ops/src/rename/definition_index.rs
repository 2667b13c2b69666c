//! Where places lead according to the server: an occurrence that a rename omits, though the server resolves
//! it to the symbol, is renamed too, and one that also means something else is not renamed. Invariant: no
//! place is asked about twice, and a place without an answer proves nothing.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::linked::LinkedSymbol;
use crate::Project;
use crate::asked_definitions::{DefinitionBounds, ask_definitions};
use crate::question::QuestionError;
use crate::spot::{Expect, check};
use symd_base::{RelPath, TextRange};
use symd_engine::View;
use symd_lsp::Span;

/// Maximum number of places asked about in one rename. The meaning of a name in more doubtful places cannot
/// be determined.
const MAX_ASKED: usize = 600;

/// Bounds of the requests, since the client waits.
const BOUNDS: DefinitionBounds = DefinitionBounds { at_once: 24, time: Duration::from_secs(20) };

/// The place of a name.
pub(super) type Placed = (RelPath, TextRange);

/// The definitions of one place.
#[derive(Clone, Debug, Default)]
struct PlaceDefinitions {
    to: Vec<Placed>,
    /// Whether a definition is outside the project, or in no readable text.
    is_elsewhere: bool,
    /// Whether each definition is as long as the name: `**options`, which takes every argument, is not.
    is_of_length: bool,
}

/// The definitions of places, by file and start offset.
#[derive(Clone, Debug, Default)]
pub(super) struct DefinitionIndex(HashMap<(RelPath, u32), PlaceDefinitions>);

/// The meaning of a place, according to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceMeaning {
    /// The symbol.
    Symbol,
    /// The symbol and something else.
    Both,
    /// Something else.
    Other,
    /// Unknown: the server returned no definition, or was not asked.
    Unsaid,
}

impl DefinitionIndex {
    /// Requests the definitions of those of `places` that were not asked about yet.
    pub(super) async fn ask(
        &mut self,
        project: &Project,
        symbol: &LinkedSymbol,
        places: &[Placed],
    ) -> Result<(), QuestionError> {
        let Ok(language) = project.language_of(&symbol.target) else { return Ok(()) };
        let is_new = |one: &&Placed| !self.0.contains_key(&(one.0.clone(), one.1.start));
        let new: Vec<Placed> =
            places.iter().filter(is_new).take(MAX_ASKED.saturating_sub(self.0.len())).cloned().collect();
        let answers = ask_definitions(project, language, &new, BOUNDS).await?;
        let answers = answers.into_iter().enumerate().filter_map(|(number, spans)| Some((number, spans?)));
        let length = symbol.target.name.encode_utf16().count();
        for (number, lead) in leads(project, answers.collect(), length).await? {
            let (path, range) = &new[number];
            self.0.insert((path.clone(), range.start), lead);
        }
        Ok(())
    }

    /// Records that `place` leads to the declaration whose name begins there, whatever was known of it.
    pub(super) fn record(&mut self, place: Placed, (path, start): (RelPath, u32), name: &str) {
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        let to = vec![(path, TextRange::new(start, start.saturating_add(length)))];
        self.0.insert(
            (place.0, place.1.start),
            PlaceDefinitions { to, is_elsewhere: false, is_of_length: true },
        );
    }

    /// Returns the declaration that `place` leads to, if it is only one, in the project.
    pub(super) fn declared(&self, place: &Placed) -> Option<Placed> {
        let lead = self.0.get(&(place.0.clone(), place.1.start)).filter(|lead| !lead.is_elsewhere)?;
        match &lead.to[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// Whether `place` leads to one of these places, each a file and the start of a name.
    pub(super) fn leads_to_any(&self, place: &Placed, names: &HashSet<(RelPath, u32)>) -> bool {
        let lead = self.0.get(&(place.0.clone(), place.1.start));
        lead.is_some_and(|lead| {
            lead.to.iter().any(|(path, range)| names.contains(&(path.clone(), range.start)))
        })
    }

    /// Records that `place` means something other than the symbol.
    pub(super) fn record_other(&mut self, place: Placed) {
        let lead = PlaceDefinitions { to: Vec::new(), is_elsewhere: true, is_of_length: true };
        self.0.insert((place.0, place.1.start), lead);
    }

    /// Returns the meaning of `place`; `is_ours` decides which places declare the symbol or are renamed.
    pub(super) fn sense(&self, place: &Placed, is_ours: impl Fn(&Placed) -> bool) -> PlaceMeaning {
        let Some(lead) = self.0.get(&(place.0.clone(), place.1.start)) else { return PlaceMeaning::Unsaid };
        // The name of a declaration leads to itself.
        let others = || lead.to.iter().filter(|one| !(one.0 == place.0 && one.1.contains(place.1)));
        let (ours, all) = (others().filter(|one| is_ours(one)).count(), others().count());
        match (ours, all - ours, lead.is_elsewhere) {
            (0, 0, false) => PlaceMeaning::Unsaid,
            (0, _, _) => PlaceMeaning::Other,
            (_, 0, false) => PlaceMeaning::Symbol,
            _ => PlaceMeaning::Both,
        }
    }

    /// Same as `sense`, for the name of an argument: a parameter that takes any argument does not show what
    /// this one means.
    pub(super) fn sense_of_argument(
        &self,
        place: &Placed,
        is_ours: impl Fn(&Placed) -> bool,
    ) -> PlaceMeaning {
        let takes_any = self.0.get(&(place.0.clone(), place.1.start)).is_some_and(|lead| !lead.is_of_length);
        match self.sense(place, is_ours) {
            PlaceMeaning::Other if takes_any => PlaceMeaning::Unsaid,
            sense => sense,
        }
    }

    /// Whether, according to the server, the place itself is the only declaration of its name.
    pub(super) fn is_declaration(&self, place: &Placed) -> bool {
        let lead = self.0.get(&(place.0.clone(), place.1.start));
        lead.is_some_and(|lead| {
            let is_itself = |one: &Placed| one.0 == place.0 && one.1.contains(place.1);
            !lead.to.is_empty() && !lead.is_elsewhere && lead.to.iter().all(is_itself)
        })
    }
}

/// Converts answers to places in texts; `length` is that of the name, in UTF-16 code units.
async fn leads(
    project: &Project,
    answers: Vec<(usize, Vec<Span>)>,
    length: usize,
) -> Result<Vec<(usize, PlaceDefinitions)>, QuestionError> {
    let work = move |view: &View, cancel: &_| {
        let lead = |(number, spans): &(usize, Vec<Span>)| {
            let checked = check(view, spans, Expect::Anything, cancel)?;
            let is_elsewhere = !checked.outside.is_empty() || checked.dropped.outside_text > 0;
            let to = checked.spots.into_iter().map(|spot| (spot.path, spot.range)).collect();
            let is_of_length = spans.iter().all(|span| {
                let columns = span.end.character.checked_sub(span.start.character);
                span.start.line == span.end.line && columns.is_some_and(|columns| columns as usize == length)
            });
            Ok((*number, PlaceDefinitions { to, is_elsewhere, is_of_length }))
        };
        answers.iter().map(lead).collect()
    };
    project.with_view(work).await?
}
