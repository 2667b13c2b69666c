//! Mentions of a symbol in texts, without a rename: what a rename would ask about.

use super::linked::LinkedSymbol;
use super::mentions::{MAX_MENTIONS, Medium, Mention, mentions};
use crate::Project;
use crate::question::QuestionError;
use crate::spot::Source;
use crate::target::Target;
use symd_base::{Cancel, RelPath};
use symd_engine::View;

/// The mentions of a symbol in texts, and what was not searched.
#[derive(Clone, Debug, Default)]
pub struct Mentioned {
    /// The mentions in path order, then by position, without those in the symbol itself.
    pub places: Vec<MentionPlace>,
    /// Whether there are more.
    pub is_cut: bool,
    /// Files that are too large to be searched.
    pub unsearched: Vec<RelPath>,
}

/// A mention of a symbol in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionPlace {
    pub path: RelPath,
    /// The 0-based line.
    pub line: u32,
    /// The kind of text that holds the name.
    pub medium: Medium,
    /// Whether a running program may find the symbol by this text: a string that is the name, a path with it, or
    /// code; anything in a file that is no code.
    pub may_be_looked_up: bool,
}

/// Finds the mentions of `target` in texts.
pub(crate) async fn mentioned(project: &Project, target: &Target) -> Result<Mentioned, QuestionError> {
    let target = target.clone();
    let work = move |view: &View, cancel: &Cancel| {
        let symbol =
            LinkedSymbol { target: target.clone(), members: vec![target.clone()], through_super: Vec::new() };
        let found = mentions(view, &symbol, cancel)?;
        let is_cut = found.found.len() >= MAX_MENTIONS;
        let mut places = Vec::new();
        for of_file in found.found.chunk_by(|a, b| a.path == b.path) {
            cancel.check()?;
            let path = &of_file[0].path;
            let Some(source) = Source::read(view, path) else { continue };
            let is_code = source.code.is_some();
            let is_looked_up = |one: &Mention| match one.medium {
                Medium::OtherLanguages => one.may_be_looked_up && !is_code,
                _ => one.may_be_looked_up || one.is_its_name || one.is_certain_mention,
            };
            let is_own = |range| *path == target.at.path && target.range.contains(range);
            places.extend(of_file.iter().filter(|one| !is_own(one.range)).map(|one| MentionPlace {
                path: path.clone(),
                line: source.text.line_column(one.range.start).line,
                medium: one.medium,
                may_be_looked_up: is_looked_up(one),
            }));
        }
        Ok::<_, QuestionError>(Mentioned { places, is_cut, unsearched: found.unsearched })
    };
    project.with_view(work).await?
}
