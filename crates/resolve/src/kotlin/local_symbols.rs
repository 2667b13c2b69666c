//! Kotlin's locals, parameters and type parameters, which outlines leave out: by name paths as other symbols have them
//! (`Store/put/key`), and their uses, by scopes and by the calls that name arguments.

use crate::conflicts::SourcePlace;
use crate::context::is_word;
use crate::family::{Family, has_types};
use crate::name_places::places_of;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::Sources;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::NeededWords;
use symd_syntax::name_hash;
use symd_types::kotlin::{Certainty, DeclarationId, FileKey, NameAround, NameResolution};

/// A local, a parameter, a type parameter, or a function within a function.
#[derive(Clone, Debug)]
pub struct KotlinLocal {
    pub path: RelPath,
    /// Its name, without backticks.
    pub name: String,
    /// Where the name stands.
    pub range: TextRange,
    /// The names around it and its own.
    pub name_path: String,
    /// Whether it is a parameter of the function or class that the name path ends with, and no local further in.
    pub is_own_part: bool,
    /// Whether calls in other files may name it.
    pub is_named_by_calls: bool,
    /// Whether its function is declared for several platforms, each with parameters of its own.
    pub is_of_platforms: bool,
    pub(crate) id: DeclarationId,
}

/// The uses of a local, its declaration included; each list is in path order, then by position.
#[derive(Clone, Debug, Default)]
pub struct LocalUses {
    pub certain: Vec<SourcePlace>,
    /// What means it unless an object that is not known has a member of the name.
    pub probable: Vec<SourcePlace>,
    /// What may mean it or something else.
    pub open: Vec<SourcePlace>,
    /// Links and tags in the documentation of its function or class.
    pub documented: Vec<SourcePlace>,
    /// The delegate that may use its name.
    pub delegate: Option<SourcePlace>,
}

/// A name path of a local: `put/key`, `/Store/put[1]/key`.
#[derive(Debug)]
struct LocalPath<'t> {
    is_anchored: bool,
    around: Vec<(&'t str, Option<usize>)>,
    name: &'t str,
    index: Option<usize>,
}

impl<'t> LocalPath<'t> {
    fn parse(text: &'t str) -> Option<LocalPath<'t>> {
        let (is_anchored, rest) = text.strip_prefix('/').map_or((false, text), |rest| (true, rest));
        let mut parts: Vec<(&str, Option<usize>)> =
            rest.strip_suffix('/').unwrap_or(rest).split('/').map(with_index).collect();
        let (name, index) = parts.pop().filter(|(name, _)| !name.is_empty())?;
        Some(LocalPath { is_anchored, around: parts, name, index })
    }

    fn is_within(&self, names: &[NameAround]) -> bool {
        let Some(above) = names.len().checked_sub(self.around.len()) else { return false };
        (above == 0 || !self.is_anchored)
            && self.around.iter().zip(&names[above..]).all(|((name, index), around)| {
                around.name == *name && index.is_none_or(|index| index == around.index)
            })
    }
}

/// Splits off an index and removes backticks: `run[1]` becomes `run` and 1.
fn with_index(part: &str) -> (&str, Option<usize>) {
    let split = part.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let (name, index) = match split.and_then(|(name, digits)| Some((name, digits.parse().ok()?))) {
        Some((name, index)) => (name, Some(index)),
        None => (part, None),
    };
    (name.trim_matches('`'), index)
}

/// Finds the locals that a name path means, in the Kotlin files that `is_meant` accepts: in path order, then by position.
pub fn find_kotlin_locals(
    sources: &dyn Sources,
    name_path: &str,
    is_meant: &dyn Fn(&RelPath) -> bool,
    cancel: &Cancel,
) -> Result<Vec<KotlinLocal>, Cancelled> {
    let mut found = Vec::new();
    let Some(wanted) = LocalPath::parse(name_path) else { return Ok(found) };
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let hash = name_hash(wanted.name.as_bytes());
    for entry in sources.snapshot().files.with_words(NeededWords::of_name(wanted.name)) {
        cancel.check()?;
        if !has_types(entry) || !is_meant(&entry.path) || !entry.holds_hash(hash) {
            continue;
        }
        let Some((key, file)) = resolver.kotlin().file(&entry.path) else { continue };
        let mut of_file = Vec::new();
        for number in file.locals_named(wanted.name) {
            let names = file.names_around(number);
            let Some(range) = file.name_range(number).filter(|_| wanted.is_within(&names)) else { continue };
            let id = DeclarationId::new(key, number);
            let universe = resolver.kotlin().universe();
            of_file.push(KotlinLocal {
                path: entry.path.clone(),
                name: wanted.name.to_owned(),
                range,
                name_path: path_of(&names, wanted.name),
                is_own_part: file.is_own_part(number),
                is_named_by_calls: universe.is_named_by_calls(id),
                is_of_platforms: universe.is_of_platforms(id),
                id,
            });
        }
        match wanted.index {
            None => found.extend(of_file),
            Some(index) => found.extend(of_file.into_iter().nth(index)),
        }
    }
    found.sort_by(|a, b| (&a.path, a.range).cmp(&(&b.path, b.range)));
    Ok(found)
}

/// Leaves out locals further in that share the name path of a function's or class's own parameter.
pub fn without_locals_further_in(found: &mut Vec<KotlinLocal>) {
    let own: Vec<(RelPath, String)> = found
        .iter()
        .filter(|one| one.is_own_part)
        .map(|one| (one.path.clone(), one.name_path.clone()))
        .collect();
    found.retain(|one| {
        one.is_own_part || !own.iter().any(|(path, name)| *path == one.path && *name == one.name_path)
    });
}

fn path_of(around: &[NameAround], name: &str) -> String {
    let part = |one: &NameAround| match one.count {
        1 => one.name.clone(),
        _ => format!("{}[{}]", one.name, one.index),
    };
    around.iter().map(part).chain([name.to_owned()]).collect::<Vec<_>>().join("/")
}

/// Finds the uses of a local. One whose text changed since it was found has none.
pub fn kotlin_local_uses(
    sources: &dyn Sources,
    local: &KotlinLocal,
    cancel: &Cancel,
) -> Result<LocalUses, Cancelled> {
    let mut uses = LocalUses::default();
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let Some((_, declaring)) = resolver.kotlin().file(&local.path) else { return Ok(uses) };
    if declaring.slice(local.range) != local.name {
        return Ok(uses);
    }
    let universe = resolver.kotlin().universe();
    let place = |range: TextRange| (local.path.clone(), range);
    uses.delegate = universe.delegate_that_reads_name(local.id).map(place);
    if let Some(text) = universe.documentation_of(local.id) {
        let named = documented(declaring.slice(text), &local.name);
        uses.documented =
            named.map(|one| place(TextRange::new(text.start + one.start, text.start + one.end))).collect();
    }
    let hash = name_hash(local.name.as_bytes());
    for entry in sources.snapshot().files.with_words(NeededWords::of_name(&local.name)) {
        cancel.check()?;
        let is_own = entry.path == local.path;
        if !has_types(entry) || !entry.holds_hash(hash) || !is_own && !local.is_named_by_calls {
            continue;
        }
        let Some(here) = resolver.read_file(entry) else { continue };
        let Some((key, _)) = resolver.kotlin().file(&entry.path) else { continue };
        uses.add_of_file(&resolver, &here, (key, is_own), local);
    }
    for list in [&mut uses.certain, &mut uses.probable, &mut uses.open] {
        list.sort();
        list.dedup();
    }
    Ok(uses)
}

impl LocalUses {
    fn add_of_file(
        &mut self,
        resolver: &Resolver,
        here: &CurrentFile,
        (key, is_own): (FileKey, bool),
        local: &KotlinLocal,
    ) {
        let universe = resolver.kotlin().universe();
        for range in places_of(here, &local.name) {
            let names_argument = universe.names_argument(key, range);
            if !is_own && !names_argument {
                continue;
            }
            let Some(found) = universe.resolve(key, range) else { continue };
            let list = match judged(&found, local.id) {
                Some(UseCertainty::Certain) => &mut self.certain,
                Some(UseCertainty::Probable) => &mut self.probable,
                Some(UseCertainty::Open) => &mut self.open,
                None if names_argument && local.is_named_by_calls => {
                    // A call that is not resolved may call its function.
                    let is_unknown = found.declarations.is_empty() && found.may_be_other;
                    if !is_unknown || !universe.may_call_function_of(local.id, key, range) {
                        continue;
                    }
                    &mut self.open
                }
                None => continue,
            };
            list.push((here.file.path.clone(), range));
        }
    }
}

/// How sure it is that an identifier means a local.
enum UseCertainty {
    Certain,
    Probable,
    Open,
}

/// Returns how sure it is that a name means a declaration; `None` if it does not.
fn judged(found: &NameResolution, id: DeclarationId) -> Option<UseCertainty> {
    if !found.declarations.contains(&id) {
        return None;
    }
    let is_only = found.declarations.iter().all(|one| *one == id);
    Some(match found.certainty {
        _ if !is_only => UseCertainty::Open,
        Certainty::Possible => UseCertainty::Open,
        _ if found.may_be_other => UseCertainty::Probable,
        _ => UseCertainty::Certain,
    })
}

/// Returns where documentation names a part of what it documents: behind `@param`, and as a link.
fn documented<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = TextRange> + 't {
    let is_named = move |at: &usize| {
        let (before, behind) = (&text[..*at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(is_word) && !behind.starts_with(is_word);
        let is_link = before.ends_with('[') && behind.starts_with(']');
        is_whole && (is_link || before.trim_end_matches([' ', '\t', '[']).ends_with("@param"))
    };
    let found = text.match_indices(name).map(|(at, _)| at).filter(is_named);
    found.filter_map(move |at| {
        let start = u32::try_from(at).ok()?;
        Some(TextRange::new(start, start.checked_add(u32::try_from(name.len()).ok()?)?))
    })
}

/// Returns what has a name in the scope of a local, so that the local cannot have it too.
pub fn names_beside_local(
    sources: &dyn Sources,
    local: &KotlinLocal,
    new_name: &str,
    cancel: &Cancel,
) -> Vec<SourcePlace> {
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let Some((_, file)) = resolver.kotlin().file(&local.path) else { return Vec::new() };
    let beside = file.beside_local(local.id.number(), new_name.trim_matches('`'));
    beside.into_iter().map(|range| (local.path.clone(), range)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_names_parts_behind_tags_and_in_links() {
        let text = "/** Puts [key], not [Store.key] or key. @param key the key @param keys [name][key] é@param[key] */";
        let found: Vec<usize> = documented(text, "key").map(|range| range.start as usize).collect();
        let at = |marked: &str, offset: usize| text.find(marked).expect(marked) + offset;
        assert_eq!(
            found,
            [at("[key],", 1), at("@param key ", 7), at("[name][key]", 7), at("@param[key]", 7)]
        );
    }

    #[test]
    fn a_path_is_a_suffix_of_names_unless_anchored() {
        let around = |name: &str, index, count| NameAround { name: name.to_owned(), index, count };
        let names = [around("Store", 0, 1), around("put", 1, 2)];
        for (path, is_it) in [
            ("key", true),
            ("put/key", true),
            ("/put/key", false),
            ("/Store/put/key", true),
            ("Store/put[1]/key", true),
            ("put[0]/key", false),
            ("a/Store/put/key", false),
        ] {
            assert_eq!(LocalPath::parse(path).expect(path).is_within(&names), is_it, "{path}");
        }
        assert_eq!(path_of(&names, "key"), "Store/put[1]/key");
        assert!(LocalPath::parse("/").is_none() && LocalPath::parse("").is_none());
    }
}
