//! Uses that may arrive at a member through another one: calls of what it overrides, or of what overrides it. Found without the
//! graph of all classes: only classes that declare the name are looked at, with their bases. Invariant: each use is one member's, the one
//! that the type before the dot names.

use crate::family::{Family, declares_types};
use crate::hierarchy::bases::bases;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::overrides::class_of;
use crate::hierarchy::signature::MemberHead;
use crate::meaning::Meaning;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::occurrences::occurrences;
use crate::place::{OccurrenceKind, classify_occurrence};
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// A name with more declarations than this is too common: its families are not searched.
const MAX_DECLARED: usize = 400;

/// The most classes that a walk through bases visits.
const MAX_CLASSES: usize = 64;

/// A member that the target overrides, or that overrides it, with its uses in path order.
pub type KinUses = (IndexedDeclaration, Vec<Occurrence>);

/// Returns the uses of the members that the target overrides, then of those that override it, each by the number of steps between their
/// classes. Members without uses are left out. None where symd reads no types: there uses are judged by the name.
pub fn kin_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<KinUses>, Cancelled> {
    cancel.check()?;
    let Some(family) = Family::of(&target.file).filter(|_| declares_types(&target.file)) else {
        return Ok(Vec::new());
    };
    let resolver = Resolver::new(sources, family, cancel);
    let members = kin(&resolver, &resolver.refreshed(target))?;
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let mut uses: Vec<KinUses> = members.iter().map(|one| (one.clone(), Vec::new())).collect();
    for one in occurrences(sources, &members, cancel)? {
        if !matches!(one.judgement, Judgement::Likely | Judgement::Probable) || one.role == Role::Declaration
        {
            continue;
        }
        let here = resolver.file(one.path.as_str()).and_then(|file| resolver.read_file(file));
        let Some(here) = here.filter(|here| here.text.slice(one.range) == target.name()) else { continue };
        let meaning = match classify_occurrence(&resolver, &here, one.range, target.name())? {
            OccurrenceKind::Member(meaning) | OccurrenceKind::Bare(meaning) => meaning,
            _ => continue,
        };
        if let Meaning::Declared(found) | Meaning::Probable(found) = meaning {
            let is_meant =
                |(member, _): &&mut KinUses| found.iter().any(|one| one.is_same_declaration(member));
            if let Some((_, of_member)) = uses.iter_mut().find(is_meant) {
                of_member.push(one);
            }
        }
    }
    uses.retain(|(_, uses)| !uses.is_empty());
    Ok(uses)
}

/// Returns the members above a member, then those below it, the nearest first.
fn kin(resolver: &Resolver, target: &IndexedDeclaration) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let Some(class) = class_of(resolver, target)? else { return Ok(Vec::new()) };
    let declared = resolver.declared(target.name())?;
    let is_few = (2..=MAX_DECLARED).contains(&declared.len());
    let Some(head) = head_of(resolver, target).filter(|head| is_few && !head.is_own) else {
        return Ok(Vec::new());
    };
    let above = with_bases(resolver, &class)?;
    let mut found = Vec::new();
    for other in declared.iter() {
        let Some((outline, row)) = other.row() else { continue };
        let Some(owner) = row.parent().filter(|&at| is_class(&outline.rows[at])) else { continue };
        let owner = IndexedDeclaration { file: other.file.clone(), row: owner };
        if owner.is_same_declaration(&class) {
            continue;
        }
        let steps_above = steps(&above, &owner).map(|steps| (0, steps));
        let place = match steps_above {
            Some(place) => Some(place),
            None => steps(&with_bases(resolver, &owner)?, &class).map(|steps| (1, steps)),
        };
        if let Some(place) = place
            && head_of(resolver, other).is_some_and(|other| are_linked(&head, &other))
        {
            found.push((place, other.clone()));
        }
    }
    found.sort_by(|(a, one), (b, other)| (a, &one.file.path, one.row).cmp(&(b, &other.file.path, other.row)));
    Ok(found.into_iter().map(|(_, member)| member).collect())
}

/// Whether one of two members of related classes may override the other; `one` may be overridden.
fn are_linked(one: &MemberHead, other: &MemberHead) -> bool {
    !other.is_own
        && one.has_arity_of(other)
        && (one.parameters == other.parameters || one.overrides || other.overrides)
}

fn head_of(resolver: &Resolver, member: &IndexedDeclaration) -> Option<MemberHead> {
    let here = resolver.read_file(&member.file)?;
    Some(MemberHead::read(&here, &resolver.profile.members, here.row_of(member)?))
}

/// Returns a class and those that it inherits from, each with the number of steps.
fn with_bases(
    resolver: &Resolver,
    class: &IndexedDeclaration,
) -> Result<Vec<(IndexedDeclaration, usize)>, Cancelled> {
    let mut seen = vec![(class.clone(), 0)];
    let mut at = 0;
    while let Some((class, steps)) = seen.get(at).cloned() {
        resolver.cancel.check()?;
        at += 1;
        for base in bases(resolver, &class)?.iter().flat_map(|base| &base.classes) {
            if seen.len() < MAX_CLASSES && !seen.iter().any(|(known, _)| known.is_same_declaration(base)) {
                seen.push((base.clone(), steps + 1));
            }
        }
    }
    Ok(seen)
}

fn steps(all: &[(IndexedDeclaration, usize)], class: &IndexedDeclaration) -> Option<usize> {
    all.iter().find(|(one, _)| one.is_same_declaration(class)).map(|(_, steps)| *steps)
}
