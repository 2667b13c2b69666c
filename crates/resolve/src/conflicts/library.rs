//! Members of classes outside the project that have the new name: what it would override, or what would be called instead of an
//! extension. Only of classes whose members are known.

use std::collections::BTreeSet;

use super::extended::extended_type;
use super::{SourcePlace, name_place};
use crate::family::Family;
use crate::hierarchy::bases::bases;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::overrides::class_of;
use crate::hierarchy::signature::MemberHead;
use crate::library_members::{JAVA_ROOT, MemberLookup, WantedMember, base_declares, root_class_with};
use crate::meaning::Meaning;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// A member outside the project that has the new name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LibraryConflict {
    /// The declaration that would get the name.
    pub place: SourcePlace,
    /// The class outside the project: `kotlin.Any`.
    pub declared_by: String,
    /// Whether the declaration is an extension, which is not called where a member is.
    pub is_of_extension: bool,
}

/// Finds the members of classes outside the project that `targets`, the declarations of one symbol, would override or be hidden by if
/// they were called `new_name`. Sorted.
pub fn find_library_conflicts(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<LibraryConflict>, Cancelled> {
    cancel.check()?;
    let Some(family) = targets.first().and_then(|target| Family::of(&target.file)) else {
        return Ok(Vec::new());
    };
    // Of the other languages' libraries nothing is known.
    if !matches!(family, Family::Python | Family::Jvm) {
        return Ok(Vec::new());
    }
    let resolver = Resolver::new(sources, family, cancel);
    let targets = &resolver.refresh_targets(targets);
    let new = new_name.trim_matches('`');
    let mut found = BTreeSet::new();
    for target in targets {
        found.extend(of_extension(&resolver, target, new)?);
    }
    let mut members = Vec::new();
    for target in targets {
        members.extend(class_of(&resolver, target)?.map(|class| (target, class)));
    }
    let classes: Vec<IndexedDeclaration> = members.iter().map(|(_, class)| class.clone()).collect();
    if classes.is_empty() {
        return Ok(found.into_iter().collect());
    }
    let graph = ClassGraph::of_kin(&resolver, &classes, Kin::Around)?;
    for (target, class) in members {
        let Some(wanted) = wanted(&resolver, target, new) else { continue };
        let mut add = |declared_by: String| {
            found.insert(LibraryConflict { place: name_place(target), declared_by, is_of_extension: false });
        };
        if family == Family::Jvm {
            root_class_with(wanted).into_iter().for_each(&mut add);
        }
        let Some(number) = graph.number(&class) else { continue };
        let around: BTreeSet<usize> =
            graph.descendants(number).into_iter().flat_map(|heir| graph.ancestors(heir)).collect();
        for at in around {
            lookup_bases(&resolver, &graph.node(at).class, wanted)?.into_iter().for_each(&mut add);
        }
    }
    Ok(found.into_iter().collect())
}

/// Finds what would be called instead of an extension.
fn of_extension(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    new: &str,
) -> Result<Vec<LibraryConflict>, Cancelled> {
    let Some(here) = resolver.read_file(&target.file) else { return Ok(Vec::new()) };
    let row = here.row_of(target).map(|row| &here.outline.rows[row]);
    let Some(range) = row.and_then(|row| extended_type(&here, row)) else { return Ok(Vec::new()) };
    let Some(wanted) = wanted(resolver, target, new) else { return Ok(Vec::new()) };
    let mut declared = match resolver.kotlin().library_class_declares(&here.file.path, range, wanted) {
        MemberLookup::Yes(class) => vec![class],
        MemberLookup::No | MemberLookup::Unknown => root_class_with(wanted).into_iter().collect(),
    };
    // An object of Kotlin has no members of Java's root class, so the extension is called.
    declared.retain(|class| class != JAVA_ROOT);
    if let Some(Meaning::Declared(classes)) = resolver.kotlin().meaning(resolver, &here, range)
        && !classes.is_empty()
    {
        let graph = ClassGraph::of_kin(resolver, &classes, Kin::Above)?;
        for at in graph.all_ancestors(&classes) {
            declared.extend(lookup_bases(resolver, &graph.node(at).class, wanted)?);
        }
    }
    let conflict =
        |declared_by| LibraryConflict { place: name_place(target), declared_by, is_of_extension: true };
    Ok(declared.into_iter().map(conflict).collect())
}

/// Returns the member that the target would be under its new name.
fn wanted<'n>(resolver: &Resolver, target: &IndexedDeclaration, new: &'n str) -> Option<WantedMember<'n>> {
    let here = resolver.read_file(&target.file)?;
    let head = MemberHead::read(&here, &resolver.profile.members, here.row_of(target)?);
    Some(WantedMember { name: new, parameters: head.parameters.map(|all| all.len()) })
}

/// Returns the bases of a class outside the project that are known to declare the member.
fn lookup_bases(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    wanted: WantedMember,
) -> Result<Vec<String>, Cancelled> {
    let Some(here) = resolver.read_file(&class.file) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for base in bases(resolver, class)?.iter() {
        for named in &base.outside {
            if let MemberLookup::Yes(declared_by) =
                base_declares(resolver, &here, (&base.written, named), wanted)
            {
                found.push(declared_by);
            }
        }
    }
    Ok(found)
}
