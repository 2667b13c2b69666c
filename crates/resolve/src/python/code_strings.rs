//! Names in strings that a program runs as code, `eval("n > limit")`, or fills from the variables around them,
//! `"{limit}".format(**locals())`. Invariant: none of them is an identifier of the outline.

use crate::brackets::close_bracket;
use crate::context::{text_after, text_before};
use crate::hierarchy::heads::without_texts;
use crate::judge::TargetContext;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::resolver::{CurrentFile, Resolver};
use std::ops::Range;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Returns the places in strings of a file that may name the target when they are run or filled, as unchecked.
pub(crate) fn in_code_strings(
    resolver: &Resolver,
    wanted: &TargetContext<'_>,
    here: &CurrentFile,
) -> Result<Vec<Occurrence>, Cancelled> {
    let rules = &resolver.profile.uses;
    let holds = |name: &&&str| here.outline.occurrences.contains(name);
    let mut found = Vec::new();
    if !rules.code_calls.iter().chain(rules.variable_maps).any(|name| holds(&name)) {
        return Ok(found);
    }
    let (text, name) = (here.text.as_str(), wanted.name());
    let blank = without_texts(text, here.language);
    for (part, is_code) in code_parts(here, &blank, rules.code_calls, rules.variable_maps) {
        let Some(inside) = text.get(part.clone()) else { continue };
        for (at, _) in inside.match_indices(name) {
            let (start, end) = (part.start + at, part.start + at + name.len());
            let is_in_string =
                blank.as_bytes().get(start..end).is_some_and(|part| part.iter().all(|&byte| byte == b' '));
            if !is_in_string || !is_whole(text, start, end) || !(is_code || is_filled(text, start)) {
                continue;
            }
            let range = TextRange::new(
                u32::try_from(start).unwrap_or(u32::MAX),
                u32::try_from(end).unwrap_or(u32::MAX),
            );
            let is_member = text[..start].ends_with('.');
            if wanted.may_be_named_in_code(resolver, here, range, is_member)? {
                let judgement = Judgement::Unchecked;
                found.push(Occurrence { path: here.file.path.clone(), range, judgement, role: Role::Use });
            }
        }
    }
    found.sort_by_key(|one| one.range.start);
    found.dedup();
    Ok(found)
}

/// Returns the parts of a file whose strings are code, and those whose strings have places for variables.
fn code_parts(
    here: &CurrentFile,
    blank: &str,
    code_calls: &[&str],
    variable_maps: &[&str],
) -> Vec<(Range<usize>, bool)> {
    let mut parts = Vec::new();
    let offsets =
        |name: &str| here.outline.occurrences.offsets_of(name).map(|at| at as usize).collect::<Vec<_>>();
    for name in code_calls {
        for at in offsets(name) {
            let behind = text_after(blank, at + name.len());
            let open = blank.len() - behind.len();
            if behind.starts_with('(') && !text_before(blank, at, here.language.family).ends_with('.') {
                parts.push((open..close_bracket(blank, open), true));
            }
        }
    }
    for name in variable_maps {
        for at in offsets(name) {
            if !text_after(blank, at + name.len()).starts_with("()") {
                continue;
            }
            // The string may stand lines above: `text = "{name}"`, `text.format(**locals())`.
            let around =
                here.outline.rows.iter().rfind(|row| (row.start as usize) <= at && at < row.end as usize);
            parts.push((around.map_or(0..blank.len(), |row| row.start as usize..row.end as usize), false));
        }
    }
    parts
}

fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text[..start].ends_with(is_part) && !text[end..].starts_with(is_part)
}

/// Whether a name in a string stands where a variable is filled in: `{name}`, `%(name)s`, `$name`.
fn is_filled(text: &str, start: usize) -> bool {
    ["{", "%(", "$", "${"].iter().any(|mark| text[..start].ends_with(mark))
}
