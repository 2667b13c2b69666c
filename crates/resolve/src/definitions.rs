//! Goto-definition from syntax: the declaration that an identifier means, else every declaration of its name.

use super::family::Family;
use super::meaning::Meaning;
use super::place::{OccurrenceKind, classify_occurrence};
use super::resolver::{CurrentFile, Resolver};
use super::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// The declarations that an identifier may mean, best candidates first.
#[derive(Clone, Debug, Default)]
pub struct MeantDeclarations {
    pub declarations: Vec<IndexedDeclaration>,
    /// Whether something else may be meant: nothing shows that one of them is.
    pub is_guess: bool,
}

impl MeantDeclarations {
    fn known(declarations: Vec<IndexedDeclaration>) -> MeantDeclarations {
        MeantDeclarations { declarations, is_guess: false }
    }

    fn guessed(declarations: Vec<IndexedDeclaration>) -> MeantDeclarations {
        MeantDeclarations { is_guess: !declarations.is_empty(), declarations }
    }
}

/// Finds where the identifier at byte `offset` of the file at `path` may be declared, best candidates first.
/// Empty when there is no identifier, when the project declares nothing of that name, or when the identifier
/// is known to mean something outside the project. Also empty for a local that the outline does not list, as
/// most languages' locals.
pub fn definitions(
    sources: &dyn Sources,
    path: &RelPath,
    offset: u32,
    cancel: &Cancel,
) -> Result<MeantDeclarations, Cancelled> {
    let nothing = || Ok(MeantDeclarations::default());
    cancel.check()?;
    let Some(file) = sources.snapshot().files.get(path.as_str()) else { return nothing() };
    let Some(family) = Family::of(file) else { return nothing() };
    let resolver = Resolver::new(sources, family, cancel);
    let Some(here) = CurrentFile::new(&resolver, file) else { return nothing() };
    let Some(range) = identifier(&here, offset) else { return nothing() };
    let name = here.text.slice(range);
    match classify_occurrence(&resolver, &here, range, name)? {
        OccurrenceKind::Declaration(row) => Ok(MeantDeclarations::known(vec![here.target(row)])),
        OccurrenceKind::Argument { callee, meaning } => {
            let found = parameters(&meaning, name);
            if found.is_empty() && !callee.is_empty() {
                guesses(&resolver, &here, name, Wants::Members)
            } else {
                Ok(MeantDeclarations::known(found))
            }
        }
        OccurrenceKind::Import(meaning)
        | OccurrenceKind::Parameter(meaning)
        | OccurrenceKind::Bare(meaning) => found(&resolver, &here, name, meaning, Wants::TopLevel),
        OccurrenceKind::Member(meaning) => found(&resolver, &here, name, meaning, Wants::Members),
    }
}

/// The candidates that rank first among guesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    TopLevel,
    Members,
}

fn found(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
    meaning: Meaning,
    wants: Wants,
) -> Result<MeantDeclarations, Cancelled> {
    match meaning {
        Meaning::Declared(found) => Ok(MeantDeclarations::known(found)),
        Meaning::LocalOrDeclared(found) | Meaning::Probable(found) | Meaning::Possible(found) => {
            Ok(MeantDeclarations::guessed(found))
        }
        Meaning::Unknown => guesses(resolver, here, name, wants),
        Meaning::Module(_) | Meaning::OutsideProject | Meaning::Local => Ok(MeantDeclarations::default()),
    }
}

/// Returns every declaration of the name: first those of the wanted kind, then those of the same file, then
/// by path.
fn guesses(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
    wants: Wants,
) -> Result<MeantDeclarations, Cancelled> {
    let mut all = resolver.declared(name)?.to_vec();
    all.sort_by_key(|target| {
        let is_member = target.row().is_some_and(|(_, row)| row.parent != 0);
        (is_member != (wants == Wants::Members), target.file.path != here.file.path)
    });
    Ok(MeantDeclarations::guessed(all))
}

/// Returns the parameters called `name` of the callee; for a class, those of its constructor, or its
/// properties.
fn parameters(callee: &Meaning, name: &str) -> Vec<IndexedDeclaration> {
    let Meaning::Declared(callees) = callee else { return Vec::new() };
    let mut found = Vec::new();
    for callee in callees {
        let Some((outline, row)) = callee.row() else { continue };
        for at in callee.row + 1..=callee.row + row.descendants as usize {
            let parent = outline.rows[at].parent();
            let is_constructors = || {
                parent.is_some_and(|parent| {
                    outline.rows[parent].parent() == Some(callee.row)
                        && outline.name(&outline.rows[parent]) == "__init__"
                })
            };
            if outline.name(&outline.rows[at]) == name && (parent == Some(callee.row) || is_constructors()) {
                found.push(IndexedDeclaration { file: callee.file.clone(), row: at });
            }
        }
    }
    found
}

/// Finds the identifier that contains byte `offset`, or ends there.
fn identifier(here: &CurrentFile, offset: u32) -> Option<TextRange> {
    let text = here.text.as_str();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let offset = offset as usize;
    let left = text.get(..offset)?;
    let start = offset - left.chars().rev().take_while(|&c| is_word(c)).map(char::len_utf8).sum::<usize>();
    let end = offset + text[offset..].chars().take_while(|&c| is_word(c)).map(char::len_utf8).sum::<usize>();
    let range = TextRange::new(u32::try_from(start).ok()?, u32::try_from(end).ok()?);
    let name = here.text.slice(range);
    // Strings and comments hold no identifiers.
    here.outline.occurrences.offsets_of(name).any(|at| at == range.start).then_some(range)
}
