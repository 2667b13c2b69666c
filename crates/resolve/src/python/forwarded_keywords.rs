//! Calls of a function of Python that may pass a parameter among keywords which they do not name: `f(**options)`. Invariant: a call
//! is left out only where it certainly runs something else, or gives the parameter in another way, which excludes the keyword.

use crate::brackets::{close_bracket, open_parenthesis};
use crate::conflicts::SourcePlace;
use crate::context::{Receiver, first_word, last_word, receiver};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::heads::arguments_of;
use crate::meaning::Meaning;
use crate::name_places::with_name;
use crate::python::function_heads::{is_head, parameters_of};
use crate::python::function_values::{ClassKin, class_of, may_mean};
use crate::python::keywords::holds_value;
use crate::python::reached_unnamed::is_in_string;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, function_around};
use crate::sources::IndexedDeclaration;
use std::collections::BTreeSet;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind::{Constant, Field, Variable};

/// A parameter, as calls see it.
pub(crate) struct PassedParameter<'n> {
    name: &'n str,
    function: IndexedDeclaration,
    /// Its position in the function's head, from 0.
    position: usize,
    /// Whether the first parameter is the object.
    is_method: bool,
    is_constructor: bool,
}

impl<'n> PassedParameter<'n> {
    /// Describes the parameter `name` of the function in a row.
    pub(crate) fn new(here: &CurrentFile, function: usize, name: &'n str) -> PassedParameter<'n> {
        let rows = &here.outline.rows;
        let of = here.target(function);
        let class = rows[function].parent().filter(|&at| is_class(&rows[at]));
        let constructed = class.filter(|_| of.name() == "__init__");
        let head = parameters_of(here, function);
        let position =
            head.iter().take_while(|one| !one.starts_with('*')).position(|one| first_word(one) == name);
        PassedParameter {
            name,
            function: of,
            position: position.unwrap_or(usize::MAX),
            is_method: class.is_some(),
            is_constructor: constructed.is_some(),
        }
    }

    /// Whether the call of the name at `range`, which may mean `called`, may pass it so: the function, or a class that it constructs.
    /// `is_value`: whether the function is a value somewhere.
    pub(crate) fn may_be_passed(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        (range, called): (TextRange, &IndexedDeclaration),
        is_value: bool,
    ) -> Result<bool, Cancelled> {
        let text = here.text.as_str();
        let open = range.end as usize;
        let all = arguments_of(&text[open..close_bracket(text, open)]).unwrap_or_default();
        let all: Vec<&str> = all.into_iter().map(str::trim).collect();
        let is_named = |one: &&str| one[first_word(one).len()..].trim_start().starts_with('=');
        let names_it = |one: &&str| is_named(one) && first_word(one) == self.name;
        let mut unnamed = all.iter().filter_map(|one| one.strip_prefix("**"));
        if all.iter().any(|one| names_it(&one.trim()))
            || !unnamed.any(|one| !is_given_by_name(here, range.start, one, self.name))
        {
            return Ok(false);
        }
        let receiver = receiver(text, range.start as usize, resolver.family);
        let is_bound = match &receiver {
            Receiver::Super => true,
            Receiver::Chain(chain, _) => chain == &["self"] || chain == &["cls"],
            _ => false,
        };
        let taken = usize::from(self.is_method && (is_bound || self.is_constructor));
        let positional = all.iter().take_while(|one| !one.starts_with('*') && !is_named(one)).count();
        if positional + taken > self.position {
            return Ok(false);
        }
        match receiver {
            Receiver::None => {
                let meaning = scope::resolve_name(resolver, here, range.start, here.text.slice(range))?;
                Ok(match meaning {
                    Meaning::Local => is_value,
                    _ => may_mean(resolver, here, range, called)? || is_value && is_variable(&meaning),
                })
            }
            // `super()` leads to the bases of the class around it.
            Receiver::Super => match scope::own_class(here, range.start) {
                Meaning::Declared(own) => match class_of(&self.function) {
                    Some(class) => Ok(ClassKin::of(resolver, &class)?.holds_any(&own)),
                    None => Ok(true),
                },
                _ => Ok(true),
            },
            _ => may_mean(resolver, here, range, called),
        }
    }
}

/// Finds the calls of variables, in files that name one of `called`, or the parameter `name`, whose unnamed keywords may hold it:
/// `fn(**options)` where a string or a keyword of `dict` is the name, `fn(**vars(x))`.
pub(crate) fn unnamed_to_variables<'n>(
    resolver: &Resolver,
    called: impl IntoIterator<Item = &'n str>,
    name: &'n str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut files = Vec::new();
    for word in called.into_iter().chain([name]) {
        files.extend(with_name(resolver, word)?);
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for here in &files {
        if !seen.insert(here.file.path.clone()) {
            continue;
        }
        let text = here.text.as_str();
        let is_key = is_in_string(text, name) || text.contains(&format!("dict({name}="));
        for (at, _) in text.match_indices("**") {
            let Some((range, keywords)) = callee_of_unnamed(text, at) else { continue };
            let is_whole = ["vars(", "__dict__", "asdict("].iter().any(|one| keywords.contains(one));
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            if (is_key || is_whole)
                && !is_handed_on(here, start, keywords, name)
                && is_variable_called(resolver, here, range)?
            {
                found.push((here.file.path.clone(), range));
            }
        }
    }
    Ok(found)
}

/// Returns the last name of what is called, possibly empty, with the keywords that stand behind `**` at byte `at`, and these.
fn callee_of_unnamed(text: &str, at: usize) -> Option<(TextRange, &str)> {
    if !text[..at].trim_end().ends_with(['(', ',']) {
        return None;
    }
    let open = open_parenthesis(text, at)?;
    let callee = text[..open].trim_end();
    let word = last_word(callee);
    if is_head(callee) || last_word(callee[..callee.len() - word.len()].trim_end()) == "class" {
        return None;
    }
    let all = arguments_of(&text[open..close_bracket(text, open)])?;
    let begins = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let one = all.into_iter().map(str::trim).find(|one| begins(one) == at)?;
    let end = u32::try_from(callee.len()).ok()?;
    Some((TextRange::new(end - u32::try_from(word.len()).ok()?, end), one[2..].trim()))
}

/// Whether keywords are those that the function around byte `at`, or a lambda of its line, was called with, as they came.
fn is_handed_on(here: &CurrentFile, at: u32, keywords: &str, name: &str) -> bool {
    let text = here.text.as_str();
    let line = text[..at as usize].rsplit('\n').next().unwrap_or_default();
    if line.contains("lambda") && line.contains(&format!("**{keywords}")) {
        return true;
    }
    let Some(function) = function_around(here, at) else { return false };
    let head = parameters_of(here, function);
    let rest = head.iter().find_map(|one| one.strip_prefix("**")).map(|one| first_word(one.trim()));
    let inside = text.get(here.outline.rows[function].range().as_range()).unwrap_or_default();
    rest == Some(keywords) && !is_in_string(inside, name)
}

/// Whether the name at `range` of something called is a variable; an empty one is that of an expression.
fn is_variable_called(resolver: &Resolver, here: &CurrentFile, range: TextRange) -> Result<bool, Cancelled> {
    let text = here.text.as_str();
    let word = &text[range.as_range()];
    let before = &text[..range.start as usize];
    if word.is_empty() {
        return Ok(before.ends_with([')', ']']));
    }
    if before.ends_with('.') {
        return holds_value(resolver, word);
    }
    let meaning = scope::resolve_name(resolver, here, range.start, word)?;
    Ok(matches!(meaning, Meaning::Local | Meaning::LocalOrDeclared(_)) || is_variable(&meaning))
}

fn is_variable(meaning: &Meaning) -> bool {
    let is_one = |one: &IndexedDeclaration| {
        one.row().is_some_and(|(_, row)| matches!(row.kind(), Variable | Constant | Field))
    };
    matches!(meaning, Meaning::Declared(found) if found.iter().any(is_one))
}

/// Whether the keywords of `keywords`, handed on at byte `at`, are those that a function around it did not name, and it names `name`:
/// then these do not hold it.
fn is_given_by_name(here: &CurrentFile, at: u32, keywords: &str, name: &str) -> bool {
    let Some(function) = function_around(here, at) else { return false };
    let head = parameters_of(here, function);
    let rest = head.iter().find_map(|one| one.strip_prefix("**")).map(|one| first_word(one.trim()));
    let text = here.text.as_str().get(here.outline.rows[function].range().as_range()).unwrap_or_default();
    let is_added = [format!("\"{name}\""), format!("'{name}'")].iter().any(|one| text.contains(one.as_str()));
    rest == Some(keywords.trim()) && head.iter().any(|one| first_word(one) == name) && !is_added
}
