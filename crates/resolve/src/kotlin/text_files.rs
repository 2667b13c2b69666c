//! The Kotlin files that may make texts of names, by the words that they hold.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::family::has_types;
use crate::hierarchy::classes::is_class;
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::cancel::Cancelled;
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{Row, name_hash};
use symd_types::kotlin::{CLASS_WORDS, ClassGivers, NamesInTexts, has_class_word, may_give_class};

/// The most names by which values are followed.
const MAX_NAMES: usize = 400;

/// Through how many functions and properties a class is followed that one gives to the next.
const MAX_GIVERS: usize = 4;

/// The most files in which the types of all that is printed are looked at.
pub(super) const MAX_PRINTING: usize = 200;
/// The most files that are looked into for what names classes and references, which is little of a text.
pub(super) const MAX_REFLECTING: usize = 600;

/// What was found in files that are looked into.
pub(super) struct Searched<T> {
    pub(super) found: Vec<T>,
    /// Whether there are more files, which are not looked into.
    pub(super) are_others: bool,
}

/// Files that are looked into.
pub(super) type SearchedFiles = Searched<Rc<CurrentFile>>;

impl<T> Default for Searched<T> {
    fn default() -> Self {
        Searched { found: Vec::new(), are_others: false }
    }
}

impl<T> Searched<T> {
    /// Returns the doubt about files that are not looked into.
    pub(super) fn doubt_of_others(&self, name: &str) -> Option<RenameHazard> {
        self.are_others.then(|| {
            let text =
                format!("more files may make texts of '{name}' or its values than are searched for that");
            RenameHazard::doubt_without_place(text)
        })
    }
}

/// The Kotlin files that read names of classes. Each look goes through the whole project: they are looked for once for all names that are
/// read by the same properties.
pub(super) struct ReadingFiles<'r, 's> {
    resolver: &'r Resolver<'s>,
    givers: Option<ClassGivers>,
    /// Files by the properties that they read.
    known: Vec<(&'static [&'static str], Rc<SearchedFiles>)>,
}

impl<'r, 's> ReadingFiles<'r, 's> {
    pub(super) fn new(resolver: &'r Resolver<'s>) -> ReadingFiles<'r, 's> {
        ReadingFiles { resolver, givers: None, known: Vec::new() }
    }

    /// Returns the files that read what could be these names of classes which they have in hand, or take from functions and properties that
    /// give them.
    pub(super) fn of(&mut self, names: &NamesInTexts) -> Result<Rc<SearchedFiles>, Cancelled> {
        let words = names.words_of_reflection();
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == words) {
            return Ok(Rc::clone(known));
        }
        let givers = match self.givers.take() {
            Some(known) => self.givers.insert(known),
            None => self.givers.insert(class_givers(self.resolver)?),
        };
        let is_reading = |text: &str| reads_classes(text, words) || givers.may_be_read(text, words);
        let found = Rc::new(files_with(self.resolver, &owned(words), MAX_REFLECTING, &is_reading)?);
        self.known.push((words, Rc::clone(&found)));
        Ok(found)
    }

    /// Like [`ReadingFiles::of`], with those that have a class in hand and name the one that has the names, one above it, or what mentions
    /// one of these.
    pub(super) fn with_naming(&mut self, names: &NamesInTexts) -> Result<SearchedFiles, Cancelled> {
        let reading = self.of(names)?;
        let naming = files_with_values(self.resolver, names, MAX_REFLECTING, &has_class_word)?;
        let is_new =
            |file: &Rc<CurrentFile>| reading.found.iter().all(|known| known.file.path != file.file.path);
        let new = naming.found.into_iter().filter(is_new);
        Ok(Searched {
            found: reading.found.iter().cloned().chain(new).collect(),
            are_others: reading.are_others || naming.are_others,
        })
    }
}

/// Returns the functions and properties of the project whose value is a class, also one that another of them gives.
fn class_givers(resolver: &Resolver) -> Result<ClassGivers, Cancelled> {
    let files = &resolver.sources.snapshot().files;
    let with_class = files.with_any_words(CLASS_WORDS.map(NeededWords::of_part));
    let mut all = givers_in(resolver, with_class, &may_give_class)?;
    let mut last = all.clone();
    for _ in 0..MAX_GIVERS {
        if last.is_empty() {
            break;
        }
        let hashes: Vec<u32> = last.names().iter().map(|name| name_hash(name.as_bytes())).collect();
        let naming = files.with_any_words(last.names().iter().map(|name| NeededWords::of_name(name)));
        let naming = naming.filter(|file| hashes.iter().any(|hash| file.holds_hash(*hash)));
        let mut new = givers_in(resolver, naming, &|declaration| last.may_be_given_by(declaration))?;
        new.remove(&all);
        all.extend(new.clone());
        last = new;
    }
    Ok(all)
}

/// Returns the functions and properties of the Kotlin files whose value is a class, and of whose text `may_give` is true.
fn givers_in<'f>(
    resolver: &Resolver,
    files: impl Iterator<Item = &'f Arc<FileEntry>>,
    may_give: &dyn Fn(&str) -> bool,
) -> Result<ClassGivers, Cancelled> {
    let mut givers = ClassGivers::default();
    for file in files {
        resolver.cancel.check()?;
        let Some(outline) = file.outline().filter(|_| has_types(file)) else { continue };
        let Some(text) = resolver.sources.text(&file.path) else { continue };
        let mut declared = outline.rows.iter().filter(|row| !row.is_local() && !is_class(row));
        let is_one = |row: &Row| text.get(row.start as usize..row.end as usize).is_some_and(may_give);
        if declared.any(is_one)
            && let Some((key, _)) = resolver.kotlin().file(&file.path)
        {
            givers.extend(resolver.kotlin().universe().class_givers(key, may_give));
        }
    }
    Ok(givers)
}

/// Whether a text has a class in hand and holds one of the words. Nearly every file has a `name`: it is one of Java's classes, not of `KClass`.
fn reads_classes(text: &str, words: &[&str]) -> bool {
    let has_javas = || {
        let is_javas = |at: usize| !text[..at].ends_with('K');
        text.contains(".java")
            || text.contains("javaClass")
            || text.match_indices("Class<").any(|(at, _)| is_javas(at))
    };
    let is_read = |word: &str| text.contains(word) && (word != "name" || has_javas());
    has_class_word(text) && words.iter().any(|word| is_read(word))
}

pub(super) fn owned(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the wanted Kotlin files that name the class that has the names, one above it, or what mentions one of these: there code has its
/// values in hand.
pub(super) fn files_with_values(
    resolver: &Resolver,
    names: &NamesInTexts,
    most: usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<SearchedFiles, Cancelled> {
    let kin = resolver.kotlin().universe().names_of_kin(names);
    let naming = files_with(resolver, &kin, MAX_REFLECTING, &|_| true)?;
    let mut around = BTreeSet::new();
    for here in &naming.found {
        for start in kin.iter().flat_map(|name| here.outline.occurrences.offsets_of(name)) {
            let is_around = |row: &&Row| row.start <= start && start < row.end && row.name_start != start;
            let inner = here.outline.rows.iter().rfind(is_around);
            around.extend(inner.map(|row| here.outline.name(row).to_owned()));
        }
    }
    let are_others = naming.are_others || around.len() > MAX_NAMES;
    let all = kin.into_iter().chain(around.into_iter().take(MAX_NAMES)).collect();
    let found = files_with(resolver, &all, most, is_wanted)?;
    Ok(Searched { are_others: found.are_others || are_others, ..found })
}

/// Returns the wanted Kotlin files that hold one of the names, `most` at most.
pub(super) fn files_with(
    resolver: &Resolver,
    names: &BTreeSet<String>,
    most: usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<SearchedFiles, Cancelled> {
    let needed = names.iter().map(|name| NeededWords::of_name(name));
    let hashes: Vec<u32> = names.iter().map(|name| name_hash(name.as_bytes())).collect();
    let mut searched = Searched::default();
    for file in resolver.sources.snapshot().files.with_any_words(needed) {
        resolver.cancel.check()?;
        let holds = has_types(file) && hashes.iter().any(|hash| file.holds_hash(*hash));
        if !holds || !resolver.sources.text(&file.path).is_some_and(|text| is_wanted(&text)) {
            continue;
        }
        if searched.found.len() == most {
            searched.are_others = true;
            break;
        }
        searched.found.extend(resolver.read_file(file));
    }
    Ok(searched)
}
