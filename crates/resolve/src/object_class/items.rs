//! The class of one of the values that Python unpacks: of `b` in `a, b = make()`.

use super::agreed_class::GivenValue;
use super::chain::{Chain, read_chain};
use super::results::{CallReceiver, result_item};
use super::walk::Walk;
use super::{ChainValue, class_of_chain, container_class, ends_value, value_of_parts};
use crate::brackets::close_bracket;
use crate::hierarchy::classes;
use crate::hierarchy::heads::without_comments;
use crate::meaning::Meaning;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use symd_base::cancel::Cancelled;

/// The longest list of values that is read, in bytes.
const MAX_LIST: usize = 4000;

/// Reads what stands around the name at byte `start` in a list of targets, `a, name = value`. Returns the byte at which the value begins, and
/// the name's number among the targets, from 0.
pub(super) fn unpacked_at(text: &str, start: usize, name: &str) -> Option<(usize, usize)> {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[line_start..].split('\n').next().unwrap_or_default();
    let is_target = |c: char| c.is_alphanumeric() || "_,. ".contains(c);
    let equals = line.find('=').filter(|&at| line[..at].trim_start().chars().all(is_target))?;
    let (targets, behind) = (&line[..equals], &line[equals + 1..]);
    let is_alone = targets.split(',').all(|one| !one.trim().contains(' '));
    if !is_alone
        || behind.starts_with('=')
        || !targets.contains(',')
        || line_start + equals < start + name.len()
    {
        return None;
    }
    let value = line_start + equals + 1 + (behind.len() - behind.trim_start().len());
    Some((value, text[line_start..start].matches(',').count()))
}

/// Returns the value of that number among those that the value at byte `at` holds: of a list as it is written, or of what a call gives.
pub(super) fn item_value(
    resolver: &Resolver,
    here: &CurrentFile,
    (at, number): (usize, usize),
    walk: &Walk,
) -> Result<GivenValue, Cancelled> {
    let text = here.text.as_str();
    let Some((items, _)) = items_at(text, at, here) else { return Ok(GivenValue::Unknown) };
    if let [(start, end)] = items[..] {
        let Some(chain) = read_chain(text, start, here.language).filter(|chain| chain.end == end) else {
            return Ok(GivenValue::Unknown);
        };
        return Ok(GivenValue::of(called_item(resolver, here, (start, &chain), number, walk)?));
    }
    let Some(&(start, end)) = items.get(number) else { return Ok(GivenValue::Unknown) };
    if &text[start..end] == "None" {
        return Ok(GivenValue::Nothing);
    }
    match read_chain(text, start, here.language).filter(|chain| chain.end == end) {
        Some(chain) => Ok(GivenValue::of(class_of_chain(resolver, here, (start, &chain), walk)?)),
        None => Ok(GivenValue::Unknown),
    }
}

/// Returns where the values of a list begin and end, that begins at byte `at`, in parentheses or without, and where the list ends. A single value is a list of one.
fn items_at(text: &str, at: usize, here: &CurrentFile) -> Option<(Vec<(usize, usize)>, usize)> {
    let whole = text.get(at..)?;
    let whole = &whole[..whole.floor_char_boundary(MAX_LIST)];
    let blank = without_comments(whole, here.language);
    let close = close_bracket(&blank, 0);
    let is_in_parentheses = blank.starts_with('(')
        && blank[..close].ends_with(')')
        && ends_value(&blank, close, here.language.family);
    let (from, to) = if is_in_parentheses { (1, close - 1) } else { (0, blank.len()) };
    let (mut items, mut start, mut index) = (Vec::new(), from, from);
    let mut push = |start: usize, end: usize| {
        let item = &whole[start..end];
        if !item.trim().is_empty() {
            let lead = item.len() - item.trim_start().len();
            items.push((at + start + lead, at + start + item.trim_end().len()));
        }
    };
    while index < to {
        match blank.as_bytes()[index] {
            b'(' | b'[' | b'{' => index = close_bracket(&blank, index).max(index + 1),
            b',' => {
                push(start, index);
                (start, index) = (index + 1, index + 1);
            }
            b'\n' | b';' if !is_in_parentheses => break,
            _ => index += 1,
        }
    }
    let end = index.min(to);
    // A comment behind the list is blank.
    push(start, start + blank[start..end].trim_end().len());
    Some((items, at + end))
}

/// Returns the class of the item of that number of what a chain gives, whose last part is called.
fn called_item(
    resolver: &Resolver,
    here: &CurrentFile,
    (start, chain): (usize, &Chain),
    number: usize,
    walk: &Walk,
) -> Result<Option<crate::sources::IndexedDeclaration>, Cancelled> {
    let Some((last, before)) = chain.parts.split_last().filter(|(last, _)| last.is_called) else {
        return Ok(None);
    };
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    let value = match before {
        [] => None,
        parts => match value_of_parts(resolver, here, (start, parts), chain.is_new, walk)? {
            None => return Ok(None),
            value => value,
        },
    };
    let (meaning, receiver) = match &value {
        None => (scope::resolve_name(resolver, here, at, last.name)?, None),
        Some(ChainValue::Object(class)) => {
            (classes::member(resolver, class, last.name)?, Some(CallReceiver { class, is_exact: false }))
        }
        Some(ChainValue::Container(container)) => {
            let receiver = container_class(container).map(|class| CallReceiver { class, is_exact: true });
            (scope::resolve_member(resolver, container, last.name)?, receiver)
        }
    };
    match meaning {
        Meaning::Declared(found) => match &found[..] {
            [function] => result_item(resolver, function, receiver, number, walk),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_name_is_unpacked() {
        for (text, expected) in [
            ("a, it = make()", Some((8, 1))),
            ("it, a = 1, 2", Some((8, 0))),
            ("    a, self.it = make()", Some((17, 1))),
            ("it = 1", None),
            ("for a, it in x: y = 1", None),
            ("a, it == 1", None),
            ("f(a, it=1)", None),
            ("x = a, it", None),
            ("a, (it, b) = x", None),
        ] {
            assert_eq!(unpacked_at(text, text.find("it").expect("in it"), "it"), expected, "{text}");
        }
    }
}
