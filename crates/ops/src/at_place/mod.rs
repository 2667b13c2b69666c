//! Questions as editors ask them: about a place in a text, answered with ranges in lines and columns as the editor counts
//! them. Each answer is made on one view. Invariant: a range lies in its file's text as that view has it.

mod diagnose;
mod hierarchy;
mod moved;
mod ranges;
mod rename;
mod symbols;

pub use self::diagnose::{PlacedDiagnostic, diagnostics_of};
pub use self::hierarchy::{HierarchyItem, hierarchy};
pub use self::moved::edits_of_moved_files;
use self::ranges::with_ranges;
pub use self::rename::{PlacedEdit, PlacedRename, rename_at, renameable_at};
pub use self::symbols::{PlacedSymbol, symbols_at, symbols_matching, symbols_of};
use super::Project;
use super::declared::declared_by;
use super::definition::{FindDefinition, Pointer, definition};
use super::hover::{AskHover, hover};
use super::question::{QuestionError, Source};
use super::references::{UsePlaces, use_places};
use super::spot::{self, Expect, FilePlace};
use super::target::{Target, declared_at};
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_lsp::{ColumnEncoding, DocumentPosition, Goto, ServerError, Span, WaitPolicy};

/// The most symbols that a name may mean, if it is not known which, for uses to be listed.
const MAX_MEANT: usize = 8;

/// A place in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    pub path: RelPath,
    /// In bytes of the text.
    pub offset: u32,
}

/// How answers are given.
#[derive(Clone, Copy, Debug)]
pub struct AnswerForm {
    /// How the editor counts columns.
    pub encoding: ColumnEncoding,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// Whether the declarations of a symbol are listed among its uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationUses {
    Included,
    Excluded,
}

/// Returns the definitions of the name at a place, best first. Empty where no name is.
pub async fn definitions_at(
    project: &Project,
    place: &TextPlace,
    which: Goto,
    form: AnswerForm,
) -> Result<Vec<Span>, QuestionError> {
    project
        .by_need(|project| async move {
            let Some(from) = pointer(&project, place).await? else { return Ok(Vec::new()) };
            let found =
                definition(&project, &FindDefinition { from, which, waiting: form.waiting }).await?.found;
            with_ranges(&project, form.encoding, move |ranges| {
                let inside = found.inside.iter();
                let inside = inside.filter_map(|one| ranges.span(&one.spot.path, one.spot.range));
                let mut all: Vec<Span> = inside.collect();
                all.extend(found.outside.into_iter().map(|one| ranges.outside(one.path, one.line)));
                all
            })
            .await
        })
        .await
}

/// Returns what an editor shows about the name at a place, in Markdown.
pub async fn hover_at(
    project: &Project,
    place: &TextPlace,
    form: AnswerForm,
) -> Result<Option<String>, QuestionError> {
    project
        .by_need(|project| async move {
            let Some(over) = pointer(&project, place).await? else { return Ok(None) };
            let found = hover(&project, &AskHover { over, waiting: form.waiting }).await?;
            let Some(text) = found.text else { return Ok(None) };
            if let Source::Server(_) = found.source {
                return Ok(Some(text));
            }
            let language = project.languages.language_of(&place.path);
            let language = language.map_or("", |language| project.languages.get(language).lsp_id());
            // A fence that the text cannot end.
            let fence = "`".repeat(3.max(longest_run(&text) + 1));
            Ok(Some(format!("{fence}{language}\n{text}\n{fence}")))
        })
        .await
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns the uses of the name at a place, in path order, then by position: those that are known, and those that
/// may be meant as far as types are not known to symd.
pub async fn references_at(
    project: &Project,
    place: &TextPlace,
    declarations: DeclarationUses,
    form: AnswerForm,
) -> Result<Vec<Span>, QuestionError> {
    project
        .by_need(|project| async move {
            let targets = targets_at(&project, place, form.waiting).await?;
            let UsePlaces { inside: mut found, mut outside } = match targets.is_empty() {
                true => by_server(&project, place, form.waiting).await?,
                false => UsePlaces::default(),
            };
            for target in &targets {
                let uses = use_places(&project, target, form.waiting).await?;
                found.extend(uses.inside);
                outside.extend(uses.outside);
                for one in project.declarations(target).await? {
                    let declared = FilePlace { path: one.at.path.clone(), range: one.name_range };
                    match declarations {
                        DeclarationUses::Included => found.push(declared),
                        DeclarationUses::Excluded => found.retain(|one| *one != declared),
                    }
                }
            }
            found.sort();
            found.dedup();
            with_ranges(&project, form.encoding, move |ranges| {
                let mut all: Vec<Span> =
                    found.iter().filter_map(|one| ranges.span(&one.path, one.range)).collect();
                all.extend(outside.into_iter().map(|one| ranges.outside(one.path, one.line)));
                all
            })
            .await
        })
        .await
}

/// Returns what a server says of a name that is no symbol of the index, such as a local variable.
async fn by_server(
    project: &Project,
    place: &TextPlace,
    waiting: WaitPolicy,
) -> Result<UsePlaces, QuestionError> {
    let (here, languages) = (place.clone(), project.languages.clone());
    let at = project.with_view(move |view, _| {
        let (range, hash) = identifier(view, &here)?;
        let language = languages.language_of(&here.path)?;
        let revision = view.snapshot.revision;
        Some((language, DocumentPosition { path: here.path, offset: range.start, hash, revision }))
    });
    let Some((language, at)) = at.await? else { return Ok(UsePlaces::default()) };
    let language = project.asked_about(language, &place.path)?;
    let said = match project.servers.references(language, &at, waiting).await {
        Ok(said) => said,
        // The question is asked again.
        Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
        // Without a server nothing is known.
        Err(_) => return Ok(UsePlaces::default()),
    };
    let checked = project
        .with_view(move |view, cancel: &Cancel| {
            spot::check_places(view, &said.value, Expect::Anything, cancel)
        })
        .await?
        .map_err(QuestionError::from)?;
    Ok(UsePlaces { inside: checked.spots, outside: Vec::new() })
}

/// Returns a pointer to the name at a place; `None` where no name is.
async fn pointer(project: &Project, place: &TextPlace) -> Result<Option<Pointer>, QuestionError> {
    let place = place.clone();
    let found = project
        .with_view(move |view, _| identifier(view, &place).map(|(range, hash)| (place.path, range, hash)));
    Ok(found.await?.map(|(path, range, hash)| Pointer::Name { path, range, hash }))
}

/// Returns the identifier at a place, which may touch it on either side, and the hash of its file.
fn identifier(view: &View, place: &TextPlace) -> Option<(TextRange, symd_base::ContentHash)> {
    let (text, hash) = ranges::text_of(view, &place.path)?;
    let (text, at) = (text.as_str(), place.offset as usize);
    let (before, behind) = (text.get(..at)?, text.get(at..)?);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let start = before
        .rfind(|c| !is_word(c))
        .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
    let end = at + behind.find(|c| !is_word(c)).unwrap_or(behind.len());
    let range = TextRange::new(u32::try_from(start).ok()?, u32::try_from(end).ok()?);
    (start < end).then_some((range, hash))
}

/// Returns the symbols that the name at a place may mean: one, where that is known.
async fn targets_at(
    project: &Project,
    place: &TextPlace,
    waiting: WaitPolicy,
) -> Result<Vec<Target>, QuestionError> {
    let (at, languages) = (place.clone(), project.languages.clone());
    let meant = project.with_view(move |view, _| {
        let (range, hash) = identifier(view, &at)?;
        let declared = declared_at(view, &languages, &at.path, range.start);
        Some(declared.ok_or(Pointer::Name { path: at.path, range, hash }))
    });
    let from = match meant.await? {
        None => return Ok(Vec::new()),
        Some(Ok(declared)) => return Ok(vec![declared]),
        Some(Err(from)) => from,
    };
    let asked = FindDefinition { from, which: Goto::Definition, waiting };
    let found = definition(project, &asked).await?.found.inside;
    let languages = project.languages.clone();
    project
        .with_view(move |view, _| {
            let mut targets: Vec<Target> = Vec::new();
            for one in found.iter().take(MAX_MEANT) {
                let target = declared_by(view, &one.spot).and_then(|(row, _)| {
                    let file = view.snapshot.files.get(one.spot.path.as_str())?;
                    Target::new(view, &languages, file, row)
                });
                let is_known = |target: &Target| targets.iter().any(|known| known.is_same(target));
                targets.extend(target.filter(|target| !is_known(target)));
            }
            targets
        })
        .await
}
