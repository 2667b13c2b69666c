//! Whether all uses of a local of Python are known without a server: the scopes of the syntax tree and the text around the
//! names are read apart, and must agree about every place of the name in its file. Outside of it only a keyword of a call can
//! mean a local, and only a parameter. Invariant: a file with syntax errors is never agreed on.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::conflicts::SourcePlace;
use crate::family::Family;
use crate::judge::TargetContext;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::python::function_heads::is_parameter;
use crate::python::keyword_uses::keyword_uses;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_syntax::SymbolKind;

/// What is known of a local all of whose uses are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundLocal {
    /// Places of unknown meaning that cannot mean it: attributes.
    pub attributes: Vec<SourcePlace>,
    /// The keywords that mean it, in files that name neither its function nor its class.
    pub further_keywords: Vec<SourcePlace>,
    /// The keywords that may mean it, and are not judged likely to.
    pub open_keywords: Vec<SourcePlace>,
}

/// Returns what is known of a local of Python; `None` for other declarations, and where the two readings of its file do not
/// agree. `judged` are the occurrences of its name in the project.
pub fn found_local(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    judged: &[Occurrence],
    cancel: &Cancel,
) -> Result<Option<FoundLocal>, Cancelled> {
    let Some(family) = targets.first().and_then(|first| Family::dynamic_of(&first.file)) else {
        return Ok(None);
    };
    let resolver = Resolver::new(sources, family, cancel);
    let targets = resolver.refresh_targets(targets);
    let paths: BTreeSet<&RelPath> = targets.iter().map(|one| &one.file.path).collect();
    let mut found = FoundLocal::default();
    for path in paths {
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        let own: Vec<&IndexedDeclaration> = targets.iter().filter(|one| one.file.path == *path).collect();
        let places = here.and_then(|here| places(&resolver, &here, &own).map(|places| (here, places)));
        let Some((here, places)) = places else { return Ok(None) };
        if !agrees(&here, &places, judged) {
            return Ok(None);
        }
    }
    let name = targets.first().map_or("", IndexedDeclaration::name);
    let open = judged.iter().filter(|one| one.judgement.is_open() && one.role != Role::Argument);
    for one in open {
        let there = resolver.file(one.path.as_str()).and_then(|file| resolver.read_file(file));
        let before = there.as_ref().and_then(|there| there.text.as_str().get(..one.range.start as usize));
        let is_identifier = || {
            there.as_ref().is_some_and(|there| {
                there.outline.occurrences.offsets_of(name).any(|at| at == one.range.start)
            })
        };
        if before.is_some_and(|before| before.trim_end().ends_with('.')) && is_identifier() {
            found.attributes.push((one.path.clone(), one.range));
        }
    }
    let wanted = TargetContext::new(&resolver, &targets, &[])?;
    for target in &targets {
        let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
        let Some(function) = function_of_parameter(&here, target) else { continue };
        for place in keyword_uses(&resolver, (&here, function), target)? {
            let is_likely = |one: &Occurrence| {
                one.judgement == Judgement::Likely && one.path == place.0 && one.range == place.1
            };
            let is_known = |known: &[SourcePlace]| known.contains(&place);
            if judged.iter().any(is_likely)
                || is_known(&found.open_keywords)
                || is_known(&found.further_keywords)
            {
                continue;
            }
            let is_meant = match (&wanted, resolver.file(place.0.as_str())) {
                (Some(wanted), Some(file)) => match resolver.read_file(file) {
                    Some(there) => {
                        wanted.judge(&resolver, &there, place.1)? == (Judgement::Likely, Role::Argument)
                    }
                    None => false,
                },
                _ => false,
            };
            if is_meant { &mut found.further_keywords } else { &mut found.open_keywords }.push(place);
        }
    }
    Ok(Some(found))
}

/// Whether the target is a variable of a function of Python and none of its parameters: nothing gives it a value by its name but
/// what reaches all variables of the function, `locals()`.
pub fn is_variable_of_function(sources: &dyn Sources, target: &IndexedDeclaration, cancel: &Cancel) -> bool {
    let Some(family) = Family::dynamic_of(&target.file) else { return false };
    let resolver = Resolver::new(sources, family, cancel);
    resolver.read_file(&target.file).is_some_and(|here| {
        let row = here.row_of(target).map(|at| &here.outline.rows[at]);
        row.is_some_and(|row| row.is_local()) && function_of_parameter(&here, target).is_none()
    })
}

/// Returns the function whose parameter the target is, which calls may name as a keyword.
pub(crate) fn function_of_parameter(here: &CurrentFile, target: &IndexedDeclaration) -> Option<usize> {
    let row = &here.outline.rows[here.row_of(target)?];
    let parent = row.parent().filter(|_| row.is_local())?;
    is_parameter(here, parent, row.name_start).then_some(parent)
}

/// Returns the places in the file of the variables that these declarations bind; `None` where one is no local, or is not sure.
fn places(resolver: &Resolver, here: &Rc<CurrentFile>, own: &[&IndexedDeclaration]) -> Option<BTreeSet<u32>> {
    let name = own.first()?.name();
    let mut found = BTreeSet::new();
    for target in own {
        let row = &here.outline.rows[here.row_of(target)?];
        let is_in_function = row.parent().is_some_and(|parent| {
            matches!(here.outline.rows[parent].kind(), SymbolKind::Function | SymbolKind::Method)
        });
        if !row.is_local() && !is_in_function {
            return None;
        }
        let mut locals = here.locals_called(resolver, name)?;
        let local = locals.find(|local| local.scopes.iter().any(|place| place.start == row.name_start))?;
        if !local.is_sure {
            return None;
        }
        found.extend(local.scopes.iter().map(|place| place.start));
    }
    Some(found)
}

/// Whether the text around the names says the same as the tree: `places` are those of the tree.
fn agrees(here: &CurrentFile, places: &BTreeSet<u32>, judged: &[Occurrence]) -> bool {
    let mut likely = BTreeSet::new();
    for one in judged.iter().filter(|one| one.path == here.file.path && one.role != Role::Argument) {
        match one.judgement {
            Judgement::Likely => {
                likely.insert(one.range.start);
            }
            Judgement::Unlikely if places.contains(&one.range.start) => return false,
            _ => {}
        }
    }
    likely == *places
}
