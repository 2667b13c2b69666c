//! Where a program reads the name of a Python class or function: `Till.__name__`, `cls.__name__` in the class or one above it,
//! `f.__name__` in a function that decorates it or is given it. By the text. What only tells of a failure is none, nor is `__repr__`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::brackets::{open_bracket, open_parenthesis};
use crate::conflicts::SourcePlace;
use crate::context::{before_last_chain, is_word, last_chain, last_word};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::name_places::{places_of, with_name};
use crate::python::computed_names::OWN_CLASS;
use crate::python::dynamic_receivers::held;
use crate::python::receiving_functions::{SUPER, functions_called};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::{Imported, SymbolKind, name_hash};

/// A file as a whole.
const WHOLE: TextRange = TextRange { start: 0, end: u32::MAX };

/// Attributes that hold the name.
const NAMES: [&str; 2] = ["__name__", "__qualname__"];

/// Of how many functions that are given the symbol, and whose files read names, is looked at what they read.
const MAX_RECEIVERS: usize = 200;

/// Words behind which a parenthesis opens a tuple.
const KEYWORDS: [&str; 9] = ["in", "return", "yield", "and", "or", "not", "if", "else", "is"];

/// What was found of reads.
pub(crate) struct NameReads {
    pub(crate) places: Vec<SourcePlace>,
    /// Whether all functions that are given the symbol were looked at.
    pub(crate) is_whole: bool,
}

/// A call or decorator that is given the symbol: the file, the names by which it calls, and the class around where it calls a base.
type GivenTo = (RelPath, String, Option<u32>);

/// Finds where the name of the class or function `target` is read.
pub(crate) fn reads_of_name(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<NameReads, Cancelled> {
    let none = NameReads { places: Vec::new(), is_whole: true };
    let Some(row) = target.row().map(|(_, row)| *row) else { return Ok(none) };
    let is_method = row.kind() == SymbolKind::Method;
    if !is_class(&row) && !is_method && row.kind() != SymbolKind::Function {
        return Ok(none);
    }
    let mut found = BTreeSet::new();
    let mut receivers: BTreeMap<GivenTo, (Rc<CurrentFile>, u32)> = BTreeMap::new();
    let mut add = |here: &Rc<CurrentFile>, chain: String, at: u32| {
        let is_of_base = last_word(&chain).starts_with("__");
        let class = scope::class_around(here, at).filter(|_| is_of_base);
        let class = class.and_then(|class| Some(class.row()?.1.start));
        receivers.insert((here.file.path.clone(), chain, class), (Rc::clone(here), at));
    };
    if let Some(here) = resolver.read_file(&target.file) {
        decorators(&here, target).into_iter().for_each(|chain| add(&here, chain, row.start));
    }
    for name in names_of(resolver, target.name())? {
        for here in with_name(resolver, &name)? {
            let reads = reads_in(&here, WHOLE, |receiver| last_word(receiver) == name);
            let reads = reads.into_iter().filter(|range| !is_local(&here, &name, range.start));
            found.extend(reads.map(|range| (here.file.path.clone(), range)));
            for range in places_of(&here, &name) {
                // The name alone is no method's.
                if is_method && !here.text.as_str()[..range.start as usize].ends_with('.') {
                    continue;
                }
                if let Some(chain) = given_to(&here, range) {
                    add(&here, chain, range.start);
                } else if is_listed(&here, range) {
                    let reads = reads_of_elements(&here, range.start);
                    found.extend(reads.into_iter().map(|range| (here.file.path.clone(), range)));
                }
            }
        }
    }
    if is_class(&row) {
        let graph = ClassGraph::of_kin(resolver, std::slice::from_ref(target), Kin::Around)?;
        for at in graph.all_ancestors(std::slice::from_ref(target)) {
            let class = &graph.node(at).class;
            let Some(here) = resolver.read_file(&class.file) else { continue };
            let Some(range) = class.row().map(|(_, row)| row.range()) else { continue };
            let reads = reads_in(&here, range, is_own_class);
            found.extend(reads.into_iter().map(|range| (here.file.path.clone(), range)));
        }
    }
    let mut functions = BTreeMap::new();
    for ((_, chain, _), (here, at)) in &receivers {
        resolver.cancel.check()?;
        for function in functions_called(resolver, here, chain, *at)? {
            let is_reader = NAMES.iter().any(|name| function.file.holds_hash(name_hash(name.as_bytes())));
            if let Some(start) = function.row().map(|(_, row)| row.start).filter(|_| is_reader) {
                functions.insert((function.file.path.clone(), start), function);
            }
        }
    }
    functions.remove(&(target.file.path.clone(), row.start));
    let is_whole = functions.len() <= MAX_RECEIVERS;
    for function in functions.into_values().take(MAX_RECEIVERS) {
        resolver.cancel.check()?;
        let Some((_, row)) = function.row() else { continue };
        let Some(here) = resolver.read_file(&function.file) else { continue };
        let reads = reads_in(&here, row.range(), |receiver| is_given(last_chain(receiver)));
        found.extend(reads.into_iter().map(|range| (here.file.path.clone(), range)));
    }
    Ok(NameReads { places: found.into_iter().collect(), is_whole })
}

/// Returns the name and the other names under which files import it.
fn names_of(resolver: &Resolver, name: &str) -> Result<BTreeSet<String>, Cancelled> {
    let mut names = BTreeSet::from([name.to_owned()]);
    for here in with_name(resolver, name)? {
        let is_it = here.imports().iter().filter(|import| import.imported == Imported::Name(name));
        names.extend(is_it.filter_map(|import| import.alias).map(str::to_owned));
    }
    Ok(names)
}

/// Whether a function around byte `at` has a parameter or a variable of this name.
fn is_local(here: &CurrentFile, name: &str, at: u32) -> bool {
    let rows = &here.outline.rows;
    rows.iter()
        .filter(|row| row.is_local() && here.outline.name(row) == name)
        .any(|row| row.parent().is_some_and(|around| rows[around].start <= at && at < rows[around].end))
}

/// Returns the names by which a declaration's decorators are called: `kit.fixture`.
fn decorators(here: &CurrentFile, target: &IndexedDeclaration) -> Vec<String> {
    let Some(row) = here.row_of(target).map(|at| here.outline.rows[at]) else { return Vec::new() };
    let head = here.text_before_name(&row);
    let lines = head.lines().filter_map(|line| line.trim().strip_prefix('@'));
    lines
        .map(|line| last_chain(line[..line.find('(').unwrap_or(line.len())].trim_end()).to_owned())
        .filter(|chain| !last_word(chain).is_empty())
        .collect()
}

/// Returns the names by which the function is called that is given what stands at `range`, as a whole argument: `.append` of
/// `made().append`, `super().append`.
fn given_to(here: &CurrentFile, range: TextRange) -> Option<String> {
    let text = here.text.as_str();
    let behind = text[range.end as usize..].trim_start();
    let chain = last_chain(&text[..range.start as usize]);
    let start = range.start as usize - chain.len();
    let before = text[..start].trim_end();
    if !behind.starts_with([')', ',']) || !before.ends_with(['(', ',', '=']) {
        return None;
    }
    let open = open_parenthesis(text, start)?;
    let callee = last_chain(text[..open].trim_end());
    // The bases of a class are no arguments.
    let line = text[..open].rsplit('\n').next().unwrap_or_default();
    let is_head = matches!(line.split_whitespace().next(), Some("class" | "def" | "import" | "from"));
    let is_tuple = KEYWORDS.contains(&callee);
    (!last_word(callee).is_empty() && !is_tuple && !is_head).then(|| {
        let object = text[..open].trim_end().strip_suffix(callee).filter(|_| callee.starts_with('.'));
        match object.map(held) {
            Some("super") => format!("{SUPER}{callee}"),
            _ => callee.to_owned(),
        }
    })
}

/// Whether a receiver may be what a function was given.
fn is_given(receiver: &str) -> bool {
    !receiver.is_empty() && receiver.chars().all(is_word) && !is_own_class(receiver)
}

/// Whether what stands at `range` is an element of a list, a tuple or a set.
fn is_listed(here: &CurrentFile, range: TextRange) -> bool {
    let text = here.text.as_str();
    let behind = text[range.end as usize..].trim_start();
    let before = before_last_chain(&text[..range.start as usize]).trim_end();
    if !behind.starts_with([']', ')', '}', ',']) || !before.ends_with(['[', '(', '{', ',']) {
        return false;
    }
    let open = open_bracket(text, before.len());
    open.is_some_and(|open| {
        let callee = last_word(text[..open].trim_end());
        let outer = open_bracket(text, open).map_or("", |outer| last_word(&text[..outer]));
        // No subscript, no call, no import, and no classes that are told apart.
        (callee.is_empty() || KEYWORDS.contains(&callee))
            && !text[..open].ends_with([')', ']'])
            && !matches!(outer, "isinstance" | "issubclass")
    })
}

/// Returns where the function around byte `at`, or the file outside of functions, reads names of what it may have from a list there.
fn reads_of_elements(here: &CurrentFile, at: u32) -> Vec<TextRange> {
    let around = scope::function_around(here, at);
    let range = around.map_or(WHOLE, |row| here.outline.rows[row].range());
    let mut reads = reads_in(here, range, |receiver| is_given(last_chain(receiver)));
    reads.retain(|read| around.is_some() || scope::function_around(here, read.start).is_none());
    reads
}

/// Whether a receiver in a class is the object's class.
fn is_own_class(receiver: &str) -> bool {
    let chain = last_chain(receiver);
    chain == "klass" || OWN_CLASS.contains(&chain) || receiver.ends_with("type(self)")
}

/// Returns where a part of a file reads names of what `is_meant`, in statements that tell of no failure.
fn reads_in(here: &CurrentFile, part: TextRange, is_meant: impl Fn(&str) -> bool) -> Vec<TextRange> {
    let text = here.text.as_str();
    let mut found = Vec::new();
    for name in NAMES.iter().filter(|name| here.outline.occurrences.contains(name)) {
        for range in places_of(here, name).into_iter().filter(|range| part.contains(*range)) {
            let receiver = text[..range.start as usize].strip_suffix('.');
            if receiver.is_some_and(&is_meant)
                && !tells_of_failure(text, range.start as usize)
                && !is_in_repr(here, range.start)
            {
                found.push(range);
            }
        }
    }
    found
}

/// Whether byte `at` stands in `__repr__`, which has the name without that, too.
fn is_in_repr(here: &CurrentFile, at: u32) -> bool {
    let function = scope::function_around(here, at);
    function.is_some_and(|row| here.outline.name(&here.outline.rows[row]) == "__repr__")
}

/// Whether the statement at byte `at` raises an error, or writes to a log.
fn tells_of_failure(text: &str, at: usize) -> bool {
    let mut begin = at;
    while let Some(open) = open_bracket(text, begin) {
        begin = open;
    }
    let line = text[..begin].rsplit('\n').next().unwrap_or_default().trim_start();
    let first = word_chain_at_start(line);
    let is_log = |part: &str| {
        matches!(part.trim_start_matches('_'), "log" | "logger" | "logging" | "LOG" | "warnings")
    };
    matches!(first, "raise" | "assert") || first.split('.').any(is_log)
}

fn word_chain_at_start(line: &str) -> &str {
    &line[..line.find(|c: char| !is_word(c) && c != '.').unwrap_or(line.len())]
}
