//! Effects of a rename in Kotlin that no use of the name shows: texts that the program makes of names, and data that libraries write under
//! them. A doubt has a place that gives cause for it, in a file that names the class, or what has its values in hand.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::text_files::{
    MAX_PRINTING, MAX_REFLECTING, Searched, files_that_reflect, files_with, files_with_values, owned,
    reads_classes,
};
use crate::context::is_word;
use crate::family::{Family, has_types};
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::{Row, SymbolKind};
use symd_types::kotlin::{DeclarationId, NamesInTexts};

/// Annotations of a class whose properties a library writes out and reads in, each with those of a property that give its key.
const WRITING: [(&str, &[&str]); 6] = [
    ("@Serializable", &["@SerialName", "@Transient"]),
    ("@JsonClass", &["@Json"]),
    ("@Entity", &["@ColumnInfo", "@Column", "@Ignore"]),
    ("@Document", &["@Field"]),
    ("@JsonAutoDetect", &["@JsonProperty"]),
    ("@ConfigurationProperties", &[]),
];

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first. Empty for Java.
pub(crate) fn kotlin_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut found = Vec::new();
    if targets.first().is_none_or(|first| !has_types(&first.file)) {
        return Ok(found);
    }
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let targets = resolver.refresh_targets(targets);
    for target in &targets {
        let Some(here) = resolver.read_file(&target.file) else { continue };
        found.extend(written_out(&here, target));
        let Some(id) = resolver.kotlin().ids_of(target).first().copied() else { continue };
        found.extend(named_by_references(&resolver, target, id)?);
        let names = resolver.kotlin().universe().names_in_texts(id);
        if names.is_empty() {
            continue;
        }
        let mut places = Vec::new();
        let searched = match names.words() {
            Some(words) => files_with(&resolver, &owned(words), MAX_REFLECTING, &|_| true)?,
            None if names.is_of_class_alone() => files_that_reflect(&resolver, &names)?,
            None => files_with_values(&resolver, &names, MAX_PRINTING, &|_| true)?,
        };
        let are_others = searched.are_others;
        for file in searched.found {
            cancel.check()?;
            let Some((key, _)) = resolver.kotlin().file(&file.file.path) else { continue };
            let ranges = resolver.kotlin().universe().places_of_texts(key, &names);
            places.extend(ranges.into_iter().map(|range| (file.file.path.clone(), range)));
        }
        let reflected = reflected(&resolver, &names)?;
        let reflected = Searched { are_others: reflected.are_others || are_others, ..reflected };
        found.extend(reflected.doubt_of_others(names.class_name()));
        places.extend(reflected.found);
        let text = format!(
            "a text is made here of '{}', with the name '{}', or read as one",
            names.class_name(),
            target.name()
        );
        found.extend(RenameHazard::doubt(text, places).map(|one| one.shown_at(HazardPlaces::All)));
    }
    Ok(found)
}

/// Returns where code reads names of the class of whatever it is given, and is given a value of this one.
fn reflected(resolver: &Resolver, names: &NamesInTexts) -> Result<Searched<(RelPath, TextRange)>, Cancelled> {
    let words = names.words_of_reflection();
    let mut found = Searched::default();
    if words.is_empty() {
        return Ok(found);
    }
    let reading = files_with(resolver, &owned(words), MAX_REFLECTING, &|text| reads_classes(text, words))?;
    found.are_others |= reading.are_others;
    for here in reading.found {
        let Some((key, _)) = resolver.kotlin().file(&here.file.path) else { continue };
        for reflection in resolver.kotlin().universe().reflections_of_any(key, names) {
            let name = BTreeSet::from([reflection.reader_name.clone()]);
            let calling = files_with(resolver, &name, MAX_REFLECTING, &|_| true)?;
            let is_given = |one: &Rc<CurrentFile>| {
                let key = resolver.kotlin().file(&one.file.path);
                key.is_some_and(|(key, _)| resolver.kotlin().universe().gives_to(key, &reflection, names))
            };
            if calling.found.iter().any(is_given) {
                found.found.push((here.file.path.clone(), reflection.range));
            } else {
                found.are_others |= calling.are_others;
            }
        }
    }
    Ok(found)
}

/// Returns the doubt about references whose name is read: `::open.name`, `nameOf(Shop::size)`.
fn named_by_references(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    id: DeclarationId,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let name = target.name();
    let mut places = Vec::new();
    let reading = files_with(resolver, &BTreeSet::from([name.to_owned()]), MAX_REFLECTING, &|text| {
        text.contains("::")
    })?;
    for here in &reading.found {
        resolver.cancel.check()?;
        let Some((key, _)) = resolver.kotlin().file(&here.file.path) else { continue };
        let found = resolver.kotlin().universe().names_read_by_references(key, id);
        places.extend(found.into_iter().map(|range| (here.file.path.clone(), range)));
    }
    let doubt = RenameHazard::doubt(format!("the name '{name}' is read here as a text"), places);
    let doubt = doubt.map(|one| one.shown_at(HazardPlaces::All));
    Ok(doubt.into_iter().chain(reading.doubt_of_others(name)).collect())
}

/// Returns the doubt about a property that a library writes out under its name.
fn written_out(here: &CurrentFile, target: &IndexedDeclaration) -> Option<RenameHazard> {
    let row = here.outline.rows.get(here.row_of(target)?)?;
    let owner = &here.outline.rows[row.parent()?];
    let text = here.text.as_str();
    let before = |row: &Row| text.get(row.start as usize..row.name_start as usize).unwrap_or("");
    let is_written = matches!(row.kind(), SymbolKind::Property | SymbolKind::EnumMember | SymbolKind::Field);
    let has = |code: &str, annotation: &str| {
        let ends = |at: usize| !code[at + annotation.len()..].starts_with(is_word);
        code.match_indices(annotation).any(|(at, _)| ends(at))
    };
    // The grammar leaves a parameter's annotations before it.
    let list = text.get(owner.name_start as usize..row.name_start as usize).unwrap_or("");
    let own = list.rsplit([',', ';', '\n']).next().unwrap_or("");
    let (annotation, _) = WRITING.iter().filter(|_| is_written).find(|(annotation, keys)| {
        has(before(owner), annotation) && !keys.iter().any(|key| has(before(row), key) || has(own, key))
    })?;
    let start = owner.name_start;
    let range = TextRange::new(start, start.saturating_add(u32::from(owner.name_len)));
    let why = format!("{annotation} has values written out, or read in, under the name '{}'", target.name());
    let doubt = RenameHazard::doubt(why, vec![(here.file.path.clone(), range)])?;
    Some(doubt.shown_at(HazardPlaces::All))
}
