//! Strings that may name a member of TypeScript or JavaScript as a key, where only types could tell: `get(person, "name")`,
//! `type Key = "name"`, `["name", "age"] as const`. They count in files that name the member's type, and, as arguments behind a
//! value, in files that import from those, if nothing else has the name: elsewhere almost every such string means something else.
//! Invariant: none of them is an identifier of the outline.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::subclasses::heirs;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::profiles::LiteralKey;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{SymbolKind, key_strings};

/// Returns the strings that may name the member that `targets` declare, as unchecked.
pub(crate) fn member_keys(
    resolver: &Resolver,
    targets: &[IndexedDeclaration],
) -> Result<Vec<Occurrence>, Cancelled> {
    let mut found = Vec::new();
    if resolver.profile.spelling.literal_key != LiteralKey::Member {
        return Ok(found);
    }
    let owners: Vec<IndexedDeclaration> = targets.iter().filter_map(|one| owner(resolver, one)).collect();
    let Some(name) = targets.first().map(IndexedDeclaration::name).filter(|_| !owners.is_empty()) else {
        return Ok(found);
    };
    let types = TypeNames::read(resolver, &owners)?;
    let declared = resolver.declared(name)?;
    let is_unique = declared.iter().all(|one| targets.iter().any(|known| known.is_same_declaration(one)));
    let stems = if is_unique { &types.stems } else { &BTreeSet::new() };
    let words = types.names.iter().chain(stems);
    let words = words.map(|word| NeededWords::of_name(&format!("{name} {word}")));
    for file in resolver.sources.snapshot().files.with_any_words(words) {
        if Family::of(file) != Some(resolver.family) {
            continue;
        }
        let names_type = types.are_named_in(file);
        if !names_type && !imports_any(file, stems) {
            continue;
        }
        resolver.cancel.check()?;
        let Some(here) = resolver.read_uncached(file) else { continue };
        let text = here.text.as_str();
        if !text.contains(&format!("\"{name}\"")) && !text.contains(&format!("'{name}'")) {
            continue;
        }
        let known: HashSet<u32> = here.outline.occurrences.offsets_of(name).collect();
        let strings = key_strings(here.grammar, text, name, resolver.cancel).unwrap_or_default();
        resolver.cancel.check()?;
        let strings = strings.into_iter().filter(|one| names_type || one.is_behind_value);
        found.extend(strings.filter(|one| !known.contains(&one.range.start)).map(|one| Occurrence {
            path: here.file.path.clone(),
            range: one.range,
            judgement: Judgement::Unchecked,
            role: Role::Key,
        }));
    }
    Ok(found)
}

/// Returns the type of a member that code outside of it can name by a key. The constants of enumerations are named by their
/// values, so a string that equals one is hardly ever its key.
fn owner(resolver: &Resolver, member: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    use SymbolKind::{Constructor, EnumMember};
    let (outline, row) = member.row()?;
    let parent = row.parent().filter(|&at| is_class(&outline.rows[at]))?;
    let here = resolver.read_file(&member.file)?;
    let head = here.text_before_name(row);
    let is_hidden = head.split_whitespace().any(|word| matches!(word, "private" | "protected"));
    let is_key = !is_hidden && !row.is_local() && !matches!(row.kind(), Constructor | EnumMember);
    is_key.then(|| IndexedDeclaration { file: member.file.clone(), row: parent })
}

/// The names of a member's type, of the types below it, and of aliases that name one of them; and of the files that do.
struct TypeNames {
    names: BTreeSet<String>,
    /// The file names, as imports write them.
    stems: BTreeSet<String>,
}

impl TypeNames {
    fn read(resolver: &Resolver, owners: &[IndexedDeclaration]) -> Result<TypeNames, Cancelled> {
        let mut names = BTreeSet::new();
        for owner in owners {
            names.insert(owner.name().to_owned());
            names.extend(heirs(resolver, owner)?.iter().map(|heir| heir.name().to_owned()));
        }
        names.retain(|name| !name.is_empty());
        let mut types = TypeNames { names, stems: BTreeSet::new() };
        let words: Vec<NeededWords> = types.names.iter().map(|name| NeededWords::of_name(name)).collect();
        let mut aliases = BTreeSet::new();
        for file in resolver.sources.snapshot().files.with_any_words(words) {
            if Family::of(file) != Some(resolver.family) || !types.are_named_in(file) {
                continue;
            }
            resolver.cancel.check()?;
            types.stems.insert(file.path.file_stem().to_owned());
            if let Some(here) = resolver.read_uncached(file) {
                aliases.extend(types.aliases(&here));
            }
        }
        types.names.extend(aliases);
        Ok(types)
    }

    fn are_named_in(&self, file: &Arc<FileEntry>) -> bool {
        self.names.iter().any(|name| file.holds(name))
    }

    /// Returns the types that a file declares by one of the names: `type Row = Person & { … }`.
    fn aliases(&self, here: &CurrentFile) -> Vec<String> {
        let text = here.text.as_str();
        let uses = self.names.iter().flat_map(|name| here.outline.occurrences.offsets_of(name));
        let uses: Vec<u32> = uses.collect();
        let aliases = here.outline.rows.iter().filter(|row| {
            let is_alias = text.get(..row.name_start as usize).unwrap_or("").trim_end().ends_with("type");
            is_alias && uses.iter().any(|&at| row.name_start < at && at < row.end)
        });
        aliases.map(|row| here.outline.name(row).to_owned()).collect()
    }
}

/// Whether a file imports from a file of one of these names.
fn imports_any(file: &FileEntry, stems: &BTreeSet<String>) -> bool {
    if stems.is_empty() {
        return false;
    }
    let Some(imports) = file.imports() else { return false };
    let imports = imports.unpack();
    let stem = |module: &str| {
        let last = module.rsplit('/').next().unwrap_or(module);
        last.split('.').next().unwrap_or(last).to_owned()
    };
    imports.iter().any(|import| stems.contains(&stem(import.module)))
}
