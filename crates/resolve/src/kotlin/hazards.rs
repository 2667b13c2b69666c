//! Effects of a rename in Kotlin that no use of the name shows: texts that the program makes of names, and data that libraries write under
//! them. A doubt has a place that gives cause for it, in a file that names the class, or what has its values in hand.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::context::is_word;
use crate::family::{Family, has_types};
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::NeededWords;
use symd_syntax::{Row, SymbolKind, name_hash};
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

/// The most names by which values are followed, and files that are looked into.
const MAX_NAMES: usize = 48;
const MAX_FILES: usize = 200;

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
        let one = |word: &str| BTreeSet::from([word.to_owned()]);
        let searched = match names.words() {
            Some(words) => {
                let words = words.iter().map(|word| (*word).to_owned()).collect();
                files_with(&resolver, &words, &|_| true)?
            }
            None if names.is_of_class_alone() => files_with(&resolver, &one(names.class_name()), &|_| true)?,
            None => files_with_values(&resolver, names.class_name())?,
        };
        found.extend(searched.doubt_of_others(names.class_name()));
        for file in searched.files {
            cancel.check()?;
            let Some((key, _)) = resolver.kotlin().file(&file.file.path) else { continue };
            let ranges = resolver.kotlin().universe().places_of_texts(key, &names);
            places.extend(ranges.into_iter().map(|range| (file.file.path.clone(), range)));
        }
        places.extend(reflected(&resolver, &names)?);
        let text = format!(
            "a text is made here of '{}', with the name '{}', or read as one",
            names.class_name(),
            target.name()
        );
        found.extend(RenameHazard::doubt(text, places).map(|one| one.shown_at(HazardPlaces::All)));
    }
    Ok(found)
}

/// Returns where a function or an extended property reads names of the class of whatever it is given, and is given a value of this one.
fn reflected(resolver: &Resolver, names: &NamesInTexts) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let words: BTreeSet<String> = names.words_of_reflection().iter().map(|word| (*word).to_owned()).collect();
    let mut found = Vec::new();
    if words.is_empty() {
        return Ok(found);
    }
    // Nearly every file has a `name`.
    let is_read = |text: &str, word: &str| word != "name" || text.contains(".name");
    let reads_a_class = |text: &str| {
        ["::class", "javaClass", "Class<"].iter().any(|class| text.contains(class))
            && words.iter().any(|word| text.contains(word.as_str()) && is_read(text, word))
    };
    for here in files_with(resolver, &words, &reads_a_class)?.files {
        let Some((key, _)) = resolver.kotlin().file(&here.file.path) else { continue };
        for reflection in resolver.kotlin().universe().reflections_of_any(key, names) {
            let calling = files_with(resolver, &BTreeSet::from([reflection.reader.clone()]), &|_| true)?;
            let is_given = |one: &Rc<CurrentFile>| {
                let key = resolver.kotlin().file(&one.file.path);
                key.is_some_and(|(key, _)| resolver.kotlin().universe().gives_to(key, &reflection, names))
            };
            if calling.files.iter().any(is_given) {
                found.push((here.file.path.clone(), reflection.range));
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
    let read = format!("::{name}");
    let mut places = Vec::new();
    let reading = files_with(resolver, &BTreeSet::from([name.to_owned()]), &|text| text.contains(&read))?;
    for here in &reading.files {
        let Some((key, file)) = resolver.kotlin().file(&here.file.path) else { continue };
        let text = here.text.as_str();
        for (at, _) in text.match_indices(&read) {
            let (start, end) = (at + "::".len(), at + "::".len() + name.len());
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { continue };
            let range = TextRange::new(start, end);
            let is_whole = !text[at + read.len()..].starts_with(is_word) && file.slice(range) == name;
            let universe = resolver.kotlin().universe();
            let meant = universe.resolve(key, range).filter(|_| is_whole);
            if meant.is_some_and(|meant| meant.declarations.contains(&id))
                && universe.is_reference_read(key, range)
            {
                places.push((here.file.path.clone(), range));
            }
        }
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

/// Returns the Kotlin files that name a class, or a function or variable that mentions it: there code has its values in hand.
fn files_with_values(resolver: &Resolver, class: &str) -> Result<SearchedFiles, Cancelled> {
    let mut names = BTreeSet::from([class.to_owned()]);
    let naming = files_with(resolver, &names, &|_| true)?;
    for here in &naming.files {
        for start in here.outline.occurrences.offsets_of(class) {
            let is_around = |row: &&Row| row.start <= start && start < row.end && row.name_start != start;
            let inner = here.outline.rows.iter().rfind(is_around);
            names.extend(inner.map(|row| here.outline.name(row).to_owned()));
        }
    }
    let are_others = naming.are_others || names.len() > MAX_NAMES;
    let names = names.into_iter().take(MAX_NAMES).chain([class.to_owned()]).collect();
    let found = files_with(resolver, &names, &|_| true)?;
    Ok(SearchedFiles { are_others: found.are_others || are_others, ..found })
}

/// Returns the Kotlin files that hold one of the names, and whose text is wanted.
fn files_with(
    resolver: &Resolver,
    names: &BTreeSet<String>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<SearchedFiles, Cancelled> {
    let needed = names.iter().map(|name| NeededWords::of_name(name));
    let hashes: Vec<u32> = names.iter().map(|name| name_hash(name.as_bytes())).collect();
    let mut found = SearchedFiles::default();
    for file in resolver.sources.snapshot().files.with_any_words(needed) {
        resolver.cancel.check()?;
        let holds = has_types(file) && hashes.iter().any(|hash| file.holds_hash(*hash));
        if !holds || !resolver.sources.text(&file.path).is_some_and(|text| is_wanted(&text)) {
            continue;
        }
        if found.files.len() == MAX_FILES {
            found.are_others = true;
            break;
        }
        found.files.extend(resolver.read_file(file));
    }
    Ok(found)
}

/// The files that are looked into for texts that are made of names.
#[derive(Default)]
struct SearchedFiles {
    files: Vec<Rc<CurrentFile>>,
    /// Whether there are more, which are not looked into.
    are_others: bool,
}

impl SearchedFiles {
    /// Returns the doubt about files that are not looked into.
    fn doubt_of_others(&self, name: &str) -> Option<RenameHazard> {
        self.are_others.then(|| {
            let text = format!(
                "only {MAX_FILES} files were searched for texts that are made of '{name}' or its values"
            );
            RenameHazard::doubt_without_place(text)
        })
    }
}
