//! Finds and judges all identifier occurrences of a declaration's name. Reads only files in which the name
//! occurs.

use std::sync::Arc;

use super::cpp;
use super::family::{Family, has_types};
use super::judge::TargetContext;
use super::occurrence::Occurrence;
use super::resolver::Resolver;
use super::sources::{IndexedDeclaration, Sources};
use crate::ecma::member_keys::member_keys;
use crate::python::code_strings::in_code_strings;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange, cores};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::name_hash;

/// How many files a thread of its own must have to judge: it resolves anew what others have resolved.
pub(super) const FILES_OF_THREAD: usize = 24;

/// Returns every identifier occurrence of the targets' name, judged, in files of their language and of those
/// that share its names (Java's for Kotlin); in path order, then by offset. The targets' own declarations are
/// included, as likely; strings that may name a member as a key are, as unchecked. Several targets are one symbol, declared in each of these places: a member with all
/// its overrides. Names of locals are searched for in their own file and, for parameters, where their
/// function is named.
pub fn occurrences(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<Occurrence>, Cancelled> {
    cancel.check()?;
    let Some(target) = targets.first() else { return Ok(Vec::new()) };
    let Some(family) = Family::of(&target.file) else { return Ok(Vec::new()) };
    let resolver = Resolver::new(sources, family, cancel);
    let mut targets = whole_symbol(&resolver, targets);
    let mut perhaps = Vec::new();
    // A prototype and its definition in C and C++ are one symbol.
    if resolver.profile.uses.has_prototypes {
        let mut same = Vec::new();
        for target in &targets {
            let linked = cpp::linked(&resolver, target)?;
            same.extend(linked.same);
            perhaps.extend(linked.perhaps);
        }
        add_declarations(&mut targets, same);
    }
    let Some(wanted) = TargetContext::new(&resolver, &targets, &perhaps)? else { return Ok(Vec::new()) };
    let name = wanted.name();
    let hash = name_hash(name.as_bytes());
    let functions = wanted.function_names();
    // A file elsewhere that holds a parameter's name and not its function's holds no use.
    let words: Vec<NeededWords> = match &functions {
        Some(names) => names.iter().map(|one| NeededWords::of_name(&format!("{name} {one}"))).collect(),
        None => vec![NeededWords::of_name(name)],
    };
    let functions: Option<Vec<u32>> =
        functions.map(|names| names.iter().map(|one| name_hash(one.as_bytes())).collect());
    let files = &sources.snapshot().files;
    // Needs the target's own file, whatever its text holds: it may have changed since the target was found.
    let _own = files.get(target.file.path.as_str());
    let may_hold = |file: &Arc<FileEntry>| {
        !name.is_empty()
            && Family::of(file) == Some(family)
            && file.holds_hash(hash)
            && (file.path == target.file.path
                || functions.as_ref().is_none_or(|all| all.iter().any(|one| file.holds_hash(*one))))
    };
    let holding: Vec<&Arc<FileEntry>> = files
        .with_any_words(words.into_iter().filter(|_| !name.is_empty()))
        .filter(|file| may_hold(file))
        .collect();
    let threads = cores::count().min(holding.len() / FILES_OF_THREAD).max(1);
    // What each thread resolves it resolves for itself. Files beside each other resolve much alike, so each gets every nth.
    let of_part = |part: usize| holding.iter().copied().skip(part).step_by(threads);
    let judge_here = || in_files(&resolver, &wanted, of_part(0));
    let found = cores::in_parts(threads, judge_here, |part| {
        let own = Resolver::new(sources, family, cancel);
        let Some(wanted) = TargetContext::new(&own, &targets, &perhaps)? else { return Ok(Vec::new()) };
        in_files(&own, &wanted, of_part(part))
    });
    let mut found = found.into_iter().collect::<Result<Vec<_>, Cancelled>>()?.concat();
    found.extend(member_keys(&resolver, &targets)?);
    found.sort_by(|a, b| (&a.path, a.range.start).cmp(&(&b.path, b.range.start)));
    wanted.judge_by_objects(&resolver, &mut found)?;
    Ok(found)
}

/// Returns the targets as the snapshot has them, with their counterparts: Kotlin's `expect` and `actual` are one symbol, whichever is
/// given.
pub(crate) fn whole_symbol(resolver: &Resolver, targets: &[IndexedDeclaration]) -> Vec<IndexedDeclaration> {
    let mut all = resolver.refresh_targets(targets);
    let typed = all.iter().filter(|one| has_types(&one.file));
    let counterparts = typed.flat_map(|one| resolver.kotlin().counterparts(resolver, one)).collect();
    add_declarations(&mut all, counterparts);
    all
}

/// Adds declarations that are not there yet.
fn add_declarations(all: &mut Vec<IndexedDeclaration>, more: Vec<IndexedDeclaration>) {
    for other in more {
        if !all.iter().any(|one| one.is_same_declaration(&other)) {
            all.push(other);
        }
    }
}

/// Judges the occurrences in these files.
fn in_files<'f>(
    resolver: &Resolver<'_>,
    wanted: &TargetContext<'_>,
    files: impl Iterator<Item = &'f Arc<FileEntry>>,
) -> Result<Vec<Occurrence>, Cancelled> {
    let name = wanted.name();
    let mut found = Vec::new();
    for file in files {
        resolver.cancel.check()?;
        let Some(here) = resolver.read_uncached(file) else { continue };
        for start in here.outline.occurrences.offsets_of(name) {
            let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
            let range = TextRange::new(start, start.saturating_add(length));
            // Two names can share a hash.
            if here.text.slice(range) != name || !is_whole(here.text.as_str(), range) {
                continue;
            }
            let (judgement, role) = wanted.judge(resolver, &here, range)?;
            found.push(Occurrence { path: here.file.path.clone(), range, judgement, role });
        }
        found.extend(in_code_strings(resolver, wanted, &here)?);
    }
    Ok(found)
}

/// Whether the identifier ends where the range ends: otherwise the offset is that of a longer name that
/// shares the hash.
fn is_whole(text: &str, range: TextRange) -> bool {
    let next = text.get(range.end as usize..).and_then(|rest| rest.chars().next());
    next.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
}
