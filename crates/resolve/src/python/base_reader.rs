//! Members of Python that a base from outside the project finds by the beginning of their names: `visit_Num` of an
//! `ast.NodeVisitor`, `do_GET` of a request handler. In a class that has the base, or that a class with the base inherits from as well.

use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::profiles::LanguageProfile;
use crate::python::builtin_classes::inherits;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Returns the base that finds the member `target` by its name, and would not by `new_name`, or without a name for `None`.
pub(crate) fn find_base_reader(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    new_name: Option<&str>,
    cancel: &Cancel,
) -> Result<Option<&'static str>, Cancelled> {
    let (Some(language), Some(family)) = (LanguageProfile::of(&target.file), Family::of(&target.file)) else {
        return Ok(None);
    };
    let name = target.name();
    let readers = || language.base_readers.iter().filter(|one| one.loses(name, new_name));
    let is_read = readers().next().is_some();
    let class = target.row().and_then(|(outline, row)| {
        let is_member = matches!(row.kind(), SymbolKind::Method | SymbolKind::Function) && is_read;
        row.parent().filter(|&at| is_member && is_class(&outline.rows[at]))
    });
    let Some(class) = class else { return Ok(None) };
    let resolver = Resolver::new(sources, family, cancel);
    let class = resolver.refreshed(&IndexedDeclaration { file: target.file.clone(), row: class });
    let graph = ClassGraph::of_kin(&resolver, std::slice::from_ref(&class), Kin::Around)?;
    let Some(at) = graph.number(&class) else { return Ok(None) };
    for heir in graph.descendants(at) {
        let above = graph.ancestors(heir);
        let outside = above.iter().flat_map(|&at| graph.node(at).bases.iter()).flat_map(|base| &base.outside);
        for base in outside {
            if let Some(found) = readers().find(|one| inherits(base, one.base)) {
                return Ok(Some(found.base));
            }
        }
    }
    Ok(None)
}
