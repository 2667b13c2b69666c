//! Kotlin's identifiers that would mean something else once a declaration is renamed: each renamed use, and each identifier that has the new
//! name now, is resolved in the texts as they are and in those that the edit would leave.

use std::collections::{HashMap, HashSet};

use super::SourcePlace;
use crate::family::{Family, has_types};
use crate::kotlin::local_symbols::KotlinLocal;
use crate::name_places::places_of;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextEdits, TextRange};
use symd_index::NeededWords;
use symd_syntax::name_hash;
use symd_types::kotlin::{
    Certainty, DeclarationId, FileKey, KotlinFindings, NameResolution, SourceFile, Universe,
};

/// A file that an edit changes, in its text as it is now.
#[derive(Clone, Copy, Debug)]
pub struct EditedText<'e> {
    pub path: &'e RelPath,
    pub text: &'e Text,
    pub edits: &'e TextEdits,
}

/// Finds the identifiers of Kotlin files that would mean another declaration if the `edited` files had their new texts, in which
/// `targets`, the declarations of one symbol, are called `new_name`: places in the texts as they are now, sorted. What is resolved with certainty
/// alone counts. None for symbols of other languages.
pub fn find_changed_meanings(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    edited: &[EditedText<'_>],
    cancel: &Cancel,
) -> Result<Vec<SourcePlace>, Cancelled> {
    cancel.check()?;
    let Some(target) = targets.first().filter(|one| has_types(&one.file)) else { return Ok(Vec::new()) };
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let targets = resolver.refresh_targets(targets);
    let renamed = Renamed {
        ids: targets.iter().flat_map(|one| resolver.kotlin().ids_of(one)).collect(),
        old: target.name(),
        new: new_name.trim_matches('`'),
        // What only its own function sees is used in its own file.
        is_local: targets.iter().all(|one| one.row().is_some_and(|(_, row)| row.is_local())),
    };
    changed_meanings(&resolver, renamed, edited)
}

/// Finds the same for a local, which no row stands for.
pub fn find_changed_meanings_of_local(
    sources: &dyn Sources,
    local: &KotlinLocal,
    new_name: &str,
    edited: &[EditedText<'_>],
    cancel: &Cancel,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let new = new_name.trim_matches('`');
    let renamed = Renamed { ids: HashSet::from([local.id]), old: &local.name, new, is_local: true };
    changed_meanings(&resolver, renamed, edited)
}

/// What an edit renames.
struct Renamed<'r> {
    ids: HashSet<DeclarationId>,
    old: &'r str,
    new: &'r str,
    /// Whether only files that the edit changes use it.
    is_local: bool,
}

fn changed_meanings(
    resolver: &Resolver,
    Renamed { ids, old, new, is_local }: Renamed,
    edited: &[EditedText<'_>],
) -> Result<Vec<SourcePlace>, Cancelled> {
    let (sources, cancel, kotlin) = (resolver.sources, resolver.cancel, resolver.kotlin());
    let (mut files, mut texts) = (Vec::new(), HashMap::new());
    for one in edited {
        let Some((key, before)) = kotlin.file(one.path) else { continue };
        let text = one.edits.apply(one.text.as_str()).ok();
        let after = text.and_then(|text| sources.kotlin_text(text, cancel));
        // A text that cannot be parsed, or that declares something else, is not compared.
        let Some(after) = after.filter(|after| declares_alike(&before, after)) else { return Ok(Vec::new()) };
        texts.insert(key, after);
        files.push((key, *one));
    }
    let edited = Box::new(kotlin.edited(texts, old, new));
    let mut comparison = Comparison {
        before: kotlin.universe(),
        after: Universe::new(edited, KotlinFindings::default()),
        renamed: ids,
    };
    let mut found = Vec::new();
    for (key, file) in &files {
        cancel.check()?;
        let changed = comparison.changed_uses(*key, file, old);
        found.extend(changed.into_iter().map(|range| (file.path.clone(), range)));
    }
    let hash = name_hash(new.as_bytes());
    for file in sources.snapshot().files.with_words(NeededWords::of_name(new)) {
        cancel.check()?;
        let edited = files.iter().find(|(_, one)| *one.path == file.path).map(|(_, one)| one);
        if !has_types(file) || !file.holds_hash(hash) || is_local && edited.is_none() {
            continue;
        }
        let (Some((key, _)), Some(here)) = (kotlin.file(&file.path), resolver.read_file(file)) else {
            continue;
        };
        let changed = places_of(&here, new).into_iter();
        let changed = changed.filter(|range| comparison.becomes_use((key, *range), edited));
        found.extend(changed.map(|range| (file.path.clone(), range)));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// What identifiers mean before an edit and after it.
struct Comparison<'c, 'a> {
    before: &'c Universe<'a>,
    after: Universe<'a>,
    /// What the edit renames, with what else the renamed uses mean certainly: constructors of a class.
    renamed: HashSet<DeclarationId>,
}

impl Comparison<'_, '_> {
    /// Returns the renamed uses in a file that certainly mean something now and would mean something else.
    fn changed_uses(&mut self, key: FileKey, file: &EditedText, old: &str) -> Vec<TextRange> {
        let mut changed = Vec::new();
        for edit in file.edits.iter() {
            let now = without_marks(file.text.slice(edit.range), edit.range.start);
            let then = without_marks(&edit.new_text, moved(file.edits, edit.range.start));
            if file.text.slice(now) != old {
                continue;
            }
            let (Some(before), Some(after)) = (self.before.resolve(key, now), self.after.resolve(key, then))
            else {
                continue;
            };
            if before.certainty < Certainty::Certain || before.declarations.is_empty() {
                continue;
            }
            if means_another(&before, &after) {
                changed.push(now);
            }
            self.renamed.extend(before.declarations);
        }
        changed
    }

    /// Whether an identifier that has the new name now would mean what is renamed; `edited` is its file, if that is edited.
    fn becomes_use(&self, (key, range): (FileKey, TextRange), edited: Option<&EditedText>) -> bool {
        if edited.is_some_and(|one| one.edits.iter().any(|edit| edit.range.contains(range))) {
            return false;
        }
        let start = edited.map_or(range.start, |one| moved(one.edits, range.start));
        let then = TextRange::new(start, start.saturating_add(range.end - range.start));
        let (Some(before), Some(after)) = (self.before.resolve(key, range), self.after.resolve(key, then))
        else {
            return false;
        };
        after.certainty > Certainty::Possible
            && after.declarations.iter().any(|id| self.renamed.contains(id))
            && means_another(&before, &after)
    }
}

/// Whether an identifier may mean a declaration that it does not mean now. An import of overloads may lose one of them.
fn means_another(before: &NameResolution, after: &NameResolution) -> bool {
    after.declarations.iter().any(|id| !before.declarations.contains(id))
}

/// Whether an edited file has the declarations that it had, so that these have their numbers.
fn declares_alike(before: &SourceFile, after: &SourceFile) -> bool {
    before.declaration_kinds().eq(after.declaration_kinds())
}

/// Returns the range of an identifier, which may stand in backticks, at an offset.
fn without_marks(written: &str, start: u32) -> TextRange {
    let end = start.saturating_add(u32::try_from(written.len()).unwrap_or(u32::MAX));
    match written.len() > 2 && written.starts_with('`') && written.ends_with('`') {
        true => TextRange::new(start + 1, end - 1),
        false => TextRange::new(start, end),
    }
}

/// Returns where the byte at an offset is after the edits.
fn moved(edits: &TextEdits, at: u32) -> u32 {
    let before = edits.iter().filter(|edit| edit.range.end <= at && edit.range.start < at);
    let shifts: i64 = before
        .map(|edit| {
            i64::try_from(edit.new_text.len()).unwrap_or(0) - i64::from(edit.range.end - edit.range.start)
        })
        .sum();
    u32::try_from(i64::from(at) + shifts).unwrap_or(u32::MAX)
}
