//! Effects of a rename in Kotlin that no use of the name shows: texts that the program makes of names, and data that libraries write under
//! them. A doubt has a place that gives cause for it, in a file that names the class, or what has its values in hand.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::text_files::{
    MAX_PRINTING, MAX_REFLECTING, ReadingFiles, Searched, SearchedFiles, files_with, files_with_values, owned,
};
use crate::context::is_word;
use crate::family::{Family, has_types};
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::{Row, SymbolKind};
use symd_types::kotlin::{DeclarationId, NamesInTexts, ReflectionOfAny};

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
    let mut named: Vec<(NamesInTexts, &str)> = Vec::new();
    let mut ids = Vec::new();
    for target in &targets {
        cancel.check()?;
        let Some(here) = resolver.read_file(&target.file) else { continue };
        found.extend(written_out(&here, target));
        let Some(id) = resolver.kotlin().ids_of(target).first().copied() else { continue };
        ids.push((target.name(), id));
        let names = resolver.kotlin().universe().names_in_texts(id);
        // A method and what overrides it are looked for together: each look goes through the whole project.
        if !names.is_empty()
            && !named.iter_mut().any(|(known, name)| *name == target.name() && known.add(&names))
        {
            named.push((names, target.name()));
        }
    }
    found.extend(named_by_references(&resolver, &ids)?);
    let mut reading = ReadingFiles::new(&resolver);
    for (names, name) in named {
        found.extend(made_into_texts(&resolver, (&names, name), &mut reading)?);
    }
    Ok(found)
}

/// Returns the doubts about texts that are made of names.
fn made_into_texts(
    resolver: &Resolver,
    (names, name): (&NamesInTexts, &str),
    reading: &mut ReadingFiles,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut places = Vec::new();
    let searched = match names.words() {
        Some(words) => files_with(resolver, &owned(words), MAX_REFLECTING, &|_| true)?,
        None if names.is_of_class_alone() => reading.with_naming(names)?,
        None => files_with_values(resolver, names, MAX_PRINTING, &|_| true)?,
    };
    let are_others = searched.are_others;
    for file in searched.found {
        resolver.cancel.check()?;
        let Some((key, _)) = resolver.kotlin().file(&file.file.path) else { continue };
        let ranges = resolver.kotlin().universe().places_of_texts(key, names);
        places.extend(ranges.into_iter().map(|range| (file.file.path.clone(), range)));
    }
    let reflected = reflected(resolver, names, reading)?;
    let reflected = Searched { are_others: reflected.are_others || are_others, ..reflected };
    let of_others = reflected.doubt_of_others(names.class_name());
    places.extend(reflected.found);
    let others = if names.is_of_several_classes() { ", or of a class linked to it" } else { "" };
    let text = format!(
        "a text is made here of '{}'{others}, with the name '{name}', or read as one",
        names.class_name(),
    );
    let doubt = RenameHazard::doubt(text, places).map(|one| one.shown_at(HazardPlaces::All));
    Ok(of_others.into_iter().chain(doubt).collect())
}

/// Returns where code reads names of the class of whatever it is given, and is given a value of this one.
fn reflected(
    resolver: &Resolver,
    names: &NamesInTexts,
    reading: &mut ReadingFiles,
) -> Result<Searched<(RelPath, TextRange)>, Cancelled> {
    let mut found = Searched::default();
    if names.words_of_reflection().is_empty() {
        return Ok(found);
    }
    let reading = reading.of(names)?;
    found.are_others |= reading.are_others;
    let mut callers: HashMap<String, SearchedFiles> = HashMap::new();
    let mut given: HashMap<(DeclarationId, bool), bool> = HashMap::new();
    for here in &reading.found {
        resolver.cancel.check()?;
        let Some((key, _)) = resolver.kotlin().file(&here.file.path) else { continue };
        for reflection in resolver.kotlin().universe().reflections_of_any(key, names) {
            let calling = match callers.entry(reflection.reader_name.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let name = BTreeSet::from([reflection.reader_name.clone()]);
                    new.insert(files_with(resolver, &name, MAX_REFLECTING, &|_| true)?)
                }
            };
            // A function reads names at several places, and is given the same at each.
            let is_given = match given.entry((reflection.reader, reflection.is_of_receiver)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(is_given_by(resolver, &calling.found, &reflection, names)?),
            };
            if is_given {
                found.found.push((here.file.path.clone(), reflection.range));
            } else {
                found.are_others |= calling.are_others;
            }
        }
    }
    Ok(found)
}

/// Whether one of the files gives a value of a class that has the names to what reads them.
fn is_given_by(
    resolver: &Resolver,
    calling: &[Rc<CurrentFile>],
    reflection: &ReflectionOfAny,
    names: &NamesInTexts,
) -> Result<bool, Cancelled> {
    for one in calling {
        resolver.cancel.check()?;
        let Some((key, _)) = resolver.kotlin().file(&one.file.path) else { continue };
        if resolver.kotlin().universe().gives_to(key, reflection, names) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the doubts about references whose name is read: `::open.name`, `nameOf(Shop::size)`.
fn named_by_references(
    resolver: &Resolver,
    targets: &[(&str, DeclarationId)],
) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut by_name: BTreeMap<&str, Vec<DeclarationId>> = BTreeMap::new();
    for (name, id) in targets {
        by_name.entry(name).or_default().push(*id);
    }
    let mut doubts = Vec::new();
    for (name, ids) in by_name {
        let mut places = Vec::new();
        let reading = files_with(resolver, &BTreeSet::from([name.to_owned()]), MAX_REFLECTING, &|text| {
            text.contains("::")
        })?;
        for here in &reading.found {
            resolver.cancel.check()?;
            let Some((key, _)) = resolver.kotlin().file(&here.file.path) else { continue };
            let found = resolver.kotlin().universe().names_read_by_references(key, &ids);
            places.extend(found.into_iter().map(|range| (here.file.path.clone(), range)));
        }
        let doubt = RenameHazard::doubt(format!("the name '{name}' is read here as a text"), places);
        doubts.extend(doubt.map(|one| one.shown_at(HazardPlaces::All)));
        doubts.extend(reading.doubt_of_others(name));
    }
    Ok(doubts)
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
