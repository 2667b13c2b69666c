//! Python classes that no `class` statement declares: those that `type("D", (Base,), {})`, `types.new_class`,
//! a metaclass or `make_dataclass(bases=…)` creates. Detected by the text of the call alone.

use std::collections::{BTreeSet, HashSet};

use crate::family::Family;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::heads::{arguments, named_type};
use crate::other_names::other_names;
use crate::resolver::Resolver;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_index::NeededWords;

/// Callables that create classes, each with the 0-based position of the bases among its arguments; `None`
/// where they can only be passed by keyword.
const MAKERS: [(&str, Option<usize>); 5] = [
    ("type", Some(1)),
    ("new_class", Some(1)),
    ("ABCMeta", Some(1)),
    ("EnumMeta", Some(1)),
    ("make_dataclass", None),
];

/// A call that creates a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DynamicClass {
    pub path: RelPath,
    /// The range of the callee's name.
    pub range: TextRange,
    /// The line of the call, 0-based.
    pub line: u32,
    /// The callee's name, such as `type`.
    pub maker: String,
}

/// Finds the calls that create a class that inherits from one of `classes`, or whose bases are computed.
pub(crate) fn find_dynamic_classes(
    resolver: &Resolver,
    graph: &ClassGraph,
    classes: &BTreeSet<usize>,
) -> Result<Vec<DynamicClass>, Cancelled> {
    if !resolver.profile.is_dynamic {
        return Ok(Vec::new());
    }
    let mut names: HashSet<String> =
        classes.iter().map(|&at| graph.node(at).class.name().to_owned()).collect();
    names.extend(other_names(resolver, &names)?);
    let calls = class_calls(resolver)?;
    let mut made: Vec<DynamicClass> =
        calls.into_iter().filter(|call| call.may_inherit(&names)).map(|call| call.class).collect();
    made.sort();
    made.dedup();
    Ok(made)
}

/// A call that creates a class from some bases.
pub(crate) struct ClassCall {
    class: DynamicClass,
    /// The last names of the bases; `None` for one that is computed.
    bases: Vec<Option<String>>,
}

impl ClassCall {
    /// Whether the class inherits, or may inherit, from a class of one of these names.
    pub(crate) fn may_inherit(&self, names: &HashSet<String>) -> bool {
        self.bases.iter().any(|base| base.as_ref().is_none_or(|base| names.contains(base)))
    }
}

/// Finds all calls that create a class from bases.
pub(crate) fn class_calls(resolver: &Resolver) -> Result<Vec<ClassCall>, Cancelled> {
    let mut calls = Vec::new();
    if !resolver.profile.is_dynamic {
        return Ok(calls);
    }
    let files = &resolver.sources.snapshot().files;
    for file in files.with_any_words(MAKERS.map(|(maker, _)| NeededWords::of_call(maker))) {
        let is_ours = Family::of(file) == Some(resolver.family);
        if !is_ours || !MAKERS.iter().any(|(maker, _)| file.holds(maker)) {
            continue;
        }
        resolver.cancel.check()?;
        let Some(here) = resolver.read_uncached(file) else { continue };
        let text = here.text.as_str();
        for (maker, place) in MAKERS {
            for start in here.outline.occurrences.offsets_of(maker) {
                let end = start.saturating_add(u32::try_from(maker.len()).unwrap_or(u32::MAX));
                let Some(bases) = bases_of_call(text, end as usize, place) else { continue };
                let last = |base: &String| {
                    named_type(here.language, base)
                        .map(|chain| chain.rsplit('.').next().unwrap_or("").to_owned())
                };
                let bases = bases.iter().map(last).collect();
                let (range, line) = (TextRange::new(start, end), here.text.line_column(start).line);
                let class = DynamicClass { path: file.path.clone(), range, line, maker: maker.to_owned() };
                calls.push(ClassCall { class, bases });
            }
        }
    }
    Ok(calls)
}

/// Returns the bases in the call whose parenthesis opens at byte `at`, each as written; `None` where the call
/// creates no class.
fn bases_of_call(text: &str, at: usize, place: Option<usize>) -> Option<Vec<String>> {
    let all = arguments(text, at)?;
    let named = all
        .iter()
        .find_map(|one| one.trim_start().strip_prefix("bases").map(str::trim_start)?.strip_prefix('='));
    let given = match place {
        Some(place) => named.or_else(|| all.get(place).copied())?.trim(),
        None => named?.trim(),
    };
    // A call with a single argument creates no class.
    if all.len() < 2 {
        return None;
    }
    Some(match given.starts_with('(') {
        true => arguments(given, 0)?.into_iter().map(|base| base.trim().to_owned()).collect(),
        // The argument is a name for the whole tuple of bases.
        false => vec![format!("*{given}")],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_read_from_calls() {
        let read = |text: &str, place| bases_of_call(text, text.find('(').expect("a call"), place);
        assert_eq!(
            read("type('D', (Abs, b.C), {'a': (1,)})", Some(1)),
            Some(vec!["Abs".into(), "b.C".into()])
        );
        assert_eq!(read("type('D', (), {})", Some(1)), Some(vec![]));
        assert_eq!(read("type('D', bases, {})", Some(1)), Some(vec!["*bases".into()]));
        assert_eq!(read("type(x)", Some(1)), None);
        assert_eq!(read("make_dataclass('D', ['a'], bases=(Abs,))", None), Some(vec!["Abs".into()]));
        assert_eq!(read("make_dataclass('D', ['a'])", None), None);
    }
}
