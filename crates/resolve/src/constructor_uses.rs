//! The calls that run a constructor without its name: `A()` runs `__init__` of `A`, or that of the nearest base; `this(1)`
//! and `super(1)` run another constructor.

use super::family::{Family, has_types};
use super::meaning::Meaning;
use super::occurrence::{Judgement, Occurrence, Role};
use super::occurrences::occurrences;
use super::resolver::{CurrentFile, Resolver};
use super::sources::{IndexedDeclaration, Sources};
use crate::hierarchy::bases::bases;
use crate::hierarchy::classes::member;
use crate::hierarchy::subclasses::heirs_and_possible;
use crate::kotlin::alias_uses::alias_uses;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
use symd_syntax::call_site::is_called;
use symd_syntax::{Row, SymbolKind};

/// Returns the calls that run the constructor `target`, each with the name that is called; none for other symbols.
pub(super) fn constructor_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = Vec::new();
    let constructor = target.row().filter(|(_, row)| row.kind() == SymbolKind::Constructor);
    let (Some((outline, row)), Some(family)) = (constructor, Family::of(&target.file)) else {
        return Ok(found);
    };
    let Some(class) = row.parent() else { return Ok(found) };
    let class = IndexedDeclaration { file: target.file.clone(), row: class };
    let resolver = Resolver::new(sources, family, cancel);
    let rules = &resolver.profile.members.constructors;
    // Arguments tell the constructors of a class apart, and a Kotlin class has another in its head.
    let certainty = if rules.are_inherited { Judgement::Likely } else { Judgement::Unchecked };
    let (heirs, possible) = heirs_and_possible(&resolver, &class)?;
    found.extend(delegating(&resolver, &class, rules.own_word, Judgement::Unchecked));
    for heir in &heirs {
        let is_base = |one: &IndexedDeclaration| one.is_same_declaration(&class);
        if bases(&resolver, heir)?.iter().any(|base| base.classes.iter().any(is_base)) {
            found.extend(delegating(&resolver, heir, rules.base_word, certainty));
        }
    }
    for heir in &possible {
        found.extend(delegating(&resolver, heir, rules.base_word, Judgement::Unchecked));
    }
    let own_name = target.file.grammar().and_then(|grammar| grammar.rules().names.constructor);
    if own_name != Some(outline.name(row)) {
        return Ok(found);
    }
    let mut classes = vec![(class, certainty)];
    for heir in heirs.into_iter().filter(|_| rules.are_inherited) {
        match member(&resolver, &heir, outline.name(row))? {
            Meaning::Declared(all) if all.iter().any(|one| one.is_same_declaration(target)) => {
                classes.push((heir, Judgement::Likely));
            }
            Meaning::Declared(_) => {}
            _ => classes.push((heir, Judgement::Unchecked)),
        }
    }
    for (class, certainty) in &classes {
        let calls = occurrences(sources, std::slice::from_ref(class), cancel)?.into_iter();
        let calls = calls.filter(|one| one.role == Role::Call && one.judgement != Judgement::Unlikely);
        let call = |one: Occurrence| {
            (class.name().to_owned(), Occurrence { judgement: one.judgement.max(*certainty), ..one })
        };
        found.extend(calls.map(call));
        let by_alias = alias_uses(sources, class, cancel)?.into_iter();
        found.extend(by_alias.filter(|(_, one)| one.role == Role::Call));
        found.extend(calls_of_own_class(&resolver, class, *certainty));
    }
    if has_types(&target.file) {
        found.retain_mut(|(_, one)| {
            let told = resolver.kotlin().calls_constructor(&one.path, one.range, target);
            one.judgement = told.unwrap_or(one.judgement);
            one.judgement != Judgement::Unlikely
        });
        found.extend(resolver.kotlin().constructed_entries(target).into_iter().map(
            |(range, name, judgement)| {
                (name, Occurrence { path: target.file.path.clone(), range, judgement, role: Role::Call })
            },
        ));
    }
    Ok(found)
}

/// Returns the calls of `word` by which the constructors that `class` declares call another: `super(1)`.
fn delegating(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    word: Option<&str>,
    judgement: Judgement,
) -> Vec<(String, Occurrence)> {
    let (Some(word), Some(here)) = (word, resolver.read_file(&class.file)) else { return Vec::new() };
    let Some(class) = here.row_of(class) else { return Vec::new() };
    let is_own = |row: &&Row| row.kind() == SymbolKind::Constructor && row.parent() == Some(class);
    let mut found = Vec::new();
    for row in here.outline.rows.iter().filter(is_own) {
        found.extend(called(&here, row, word).into_iter().map(|range| {
            let path = here.file.path.clone();
            (word.to_owned(), Occurrence { path, range, judgement, role: Role::Call })
        }));
    }
    found
}

/// Returns the places in a row where a keyword is called.
fn called(here: &CurrentFile, row: &Row, word: &str) -> Vec<TextRange> {
    let text = here.text.as_str();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let inside = text.get(row.name_start as usize..row.end as usize).unwrap_or_default();
    let place = |(at, _): (usize, &str)| {
        let (before, behind) = (&inside[..at], &inside[at + word.len()..]);
        let is_call = behind.trim_start_matches([' ', '\t']).starts_with('(');
        let is_whole = !before.ends_with(|c: char| is_word(c) || c == '.');
        let is_code = !before.rsplit('\n').next().unwrap_or_default().contains("//");
        let start = row.name_start.checked_add(u32::try_from(at).ok()?)?;
        let end = start.checked_add(u32::try_from(word.len()).ok()?)?;
        (is_call && is_whole && is_code).then(|| TextRange::new(start, end))
    };
    inside.match_indices(word).filter_map(place).collect()
}

/// Returns the calls in the body of `class` by which its members create an instance of their own class: `cls()`.
fn calls_of_own_class(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    judgement: Judgement,
) -> Vec<(String, Occurrence)> {
    let Some(here) = resolver.read_file(&class.file) else { return Vec::new() };
    let Some(row) = here.row_of(class).map(|row| &here.outline.rows[row]) else { return Vec::new() };
    let mut found = Vec::new();
    for &name in resolver.profile.members.constructors.own_class_names {
        for start in here.outline.occurrences.offsets_of(name) {
            let range = TextRange::new(start, start + u32::try_from(name.len()).unwrap_or(0));
            if row.range().contains(range)
                && here.text.slice(range) == name
                && is_called(here.grammar, here.text.as_str(), range)
            {
                let path = here.file.path.clone();
                found.push((name.to_owned(), Occurrence { path, range, judgement, role: Role::Call }));
            }
        }
    }
    found
}
