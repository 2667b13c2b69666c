//! Frames of overloads: the line tells which of several methods of a name a frame is in, and where the sources have changed since the
//! build it may be one of another. What the line of its caller calls shows that.

use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::{CurrentText, View};
use symd_parse::Attempt;
use symd_resolve::definitions;
use symd_syntax::Grammar;
use symd_syntax::imports::Imported;

use super::given_arguments::given_arguments;
use super::java_arguments::may_take;
use super::names::source_names;
use super::parse::ParsedFrame;
use super::{FramePlace, ResolvedTrace};
use crate::code_context::counted_lines;
use crate::spot::{is_word_char, whole_words};

/// How many frames of a text are compared with what their callers call: it is looked up by types.
const MAX_COMPARED: usize = 8;

/// What a row of a constructor is called; calls name the class.
const CONSTRUCTOR: &str = "constructor";

/// Functions that Kotlin calls by operators, or without a word.
const CALLED_BY_SIGNS: [&str; 31] = [
    "plus",
    "minus",
    "times",
    "div",
    "rem",
    "rangeTo",
    "rangeUntil",
    "unaryPlus",
    "unaryMinus",
    "not",
    "inc",
    "dec",
    "plusAssign",
    "minusAssign",
    "timesAssign",
    "divAssign",
    "remAssign",
    "get",
    "set",
    "contains",
    "invoke",
    "compareTo",
    "equals",
    "iterator",
    "next",
    "hasNext",
    "getValue",
    "setValue",
    "provideDelegate",
    "toString",
    "close",
];

/// Functions of Java's collections, texts, numbers and locks that Kotlin calls under other names, or through inline functions that have no
/// lines of their own: `map += a to b` calls `put`.
const CALLED_UNDER_OTHER_NAMES: [&str; 18] = [
    "charAt",
    "keySet",
    "entrySet",
    "getKey",
    "add",
    "addAll",
    "append",
    "put",
    "putAll",
    "remove",
    "removeAll",
    "containsKey",
    "lock",
    "unlock",
    "intValue",
    "longValue",
    "floatValue",
    "doubleValue",
];

/// Doubts the places of frames that only the line tells from other methods of the name, if the line of the next frame does not call them.
pub(super) fn doubt_others(
    view: &View,
    traces: &mut [ResolvedTrace],
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let mut left = MAX_COMPARED;
    for trace in traces {
        for at in 1..trace.frames.len() {
            let (before, behind) = trace.frames.split_at_mut(at);
            let (frame, caller) = (&mut before[at - 1], &mut behind[0]);
            let ([place], [of_caller]) = (frame.places.as_mut_slice(), caller.places.as_mut_slice()) else {
                continue;
            };
            let is_sure = |place: &FramePlace| place.doubt.is_none() && place.remark.is_none();
            let is_compared = place.is_by_line && is_sure(place) && is_sure(of_caller);
            let is_named = is_named(&frame.frame, place) && is_call_there(&caller.frame, of_caller);
            if !is_compared || frame.times > 1 || caller.times > 1 || !is_named {
                continue;
            }
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            if let Some(Difference { why, meant }) = difference(view, place, of_caller, cancel)? {
                let (path, line) = (&of_caller.path, of_caller.line);
                place.doubt = Some(format!("sources differ from the build: {path}:{line} {why}"));
                place.differs = true;
                if let Some((line, name_path)) = meant {
                    (place.line, place.name_path) = (line, name_path);
                }
                // The line may be one of another caller now.
                if of_caller.is_by_line {
                    of_caller.doubt = Some(format!("sources differ from the build: line {line} {why}"));
                    of_caller.differs = true;
                }
            }
        }
    }
    Ok(())
}

/// Whether a frame is of the very method at its place: no lambda in it, nothing that the compiler made of it, and under the name that callers
/// write.
fn is_named(frame: &ParsedFrame, place: &FramePlace) -> bool {
    let own = simple_name(&place.name_path);
    let Some(names) = source_names(frame).filter(|names| names.is_function && !names.is_accessor) else {
        return false;
    };
    let mut members = names.members.first().into_iter().chain(names.unhashed.first());
    if names.is_initializer { own == CONSTRUCTOR } else { members.any(|member| member.name == own) }
}

/// Whether the line at a caller's place is one of its code: a method that the compiler made for a class, such as a delegated one, has the line of
/// the class.
fn is_call_there(caller: &ParsedFrame, place: &FramePlace) -> bool {
    let Some(names) = source_names(caller) else { return true };
    let class = names.nested.last().unwrap_or(&names.outer);
    let is_made = !names.is_initializer && simple_name(&place.name_path) == class;
    caller.source_line() == Some(place.line) && !is_made
}

/// How a caller's line differs from what was built.
struct Difference {
    /// What is said of the line.
    why: String,
    /// The line and the name path of the method that it calls instead.
    meant: Option<(usize, String)>,
}

/// Compares a line of a caller with the method at `place`, which it must call.
fn difference(
    view: &View,
    place: &FramePlace,
    caller: &FramePlace,
    cancel: &Cancel,
) -> Result<Option<Difference>, Cancelled> {
    let own = simple_name(&place.name_path);
    let is_constructor = own == CONSTRUCTOR;
    // Of an initializer the class is known, and of a constructor what another one calls is `this` or `super`.
    let name = if is_constructor { class_of(&place.name_path) } else { own };
    let Some(uses) = uses(view, &caller.path, caller.line, name) else { return Ok(None) };
    let is_java = place.path.file_name().ends_with(".java");
    let is_by_sign = CALLED_BY_SIGNS.contains(&own);
    let offset = match uses.offsets.as_slice() {
        [] if is_constructor
            || is_by_sign
            || CALLED_UNDER_OTHER_NAMES.contains(&own)
            || (is_java && reads_property(&uses.line, own)) =>
        {
            return Ok(None);
        }
        [] => return Ok(Some(Difference { why: format!("does not call {own}"), meant: None })),
        [only] => *only,
        _ => return Ok(None),
    };
    // Types do not tell Java's overloads apart for Kotlin.
    if is_java && caller.path.file_name().ends_with(".kt") {
        // In `cache[list.get(0)]` the name is another object's.
        if is_by_sign {
            return Ok(None);
        }
        return Ok(difference_of_arguments(view, place, &caller.path, offset, own, cancel));
    }
    let meant = definitions(view, &caller.path, offset, cancel)?;
    let [only] = meant.declarations.as_slice() else { return Ok(None) };
    let Some((outline, row)) = only.row().filter(|_| !meant.is_guess) else { return Ok(None) };
    let name_path = outline.name_path(only.row);
    let is_other =
        only.file.path == place.path && name_path != place.name_path && simple_name(&name_path) == own;
    Ok(is_other.then(|| Difference {
        why: format!("calls another {own}"),
        meant: Some((row.name_line as usize + 1, name_path)),
    }))
}

/// Compares the arguments of a call in Kotlin, of whose name the offset is, with the Java method at `place`.
fn difference_of_arguments(
    view: &View,
    place: &FramePlace,
    caller: &RelPath,
    offset: u32,
    own: &str,
    cancel: &Cancel,
) -> Option<Difference> {
    let current = |path: &RelPath| view.saved(view.snapshot.files.get(path.as_str())?).ok();
    let calling = current(caller)?;
    let called = calling.text.as_str();
    // The name of an import's alias may be another one.
    let length = called.get(offset as usize..)?.find(|c: char| !is_word_char(c))?;
    let name = TextRange::new(offset, offset + u32::try_from(length).ok()?);
    let parsed = view.parsers.flat_tree(Grammar::named("kotlin")?, called, calling.hash, cancel);
    let Ok(Attempt::Parsed(tree)) = parsed else { return None };
    let given = given_arguments(&tree, called, name)?;
    let CurrentText { text, outline, .. } = current(&place.path)?;
    let here = (0..outline.rows.len()).find(|row| outline.name_path(*row) == place.name_path)?;
    let takes = |row: &usize| {
        let this = &outline.rows[*row];
        let behind = text.as_str().get(this.name_start as usize + usize::from(this.name_len)..);
        behind.is_none_or(|behind| may_take(behind, &given))
    };
    if takes(&here) {
        return None;
    }
    let is_overload = |row: &usize| {
        let this = &outline.rows[*row];
        this.parent() == outline.rows[here].parent() && this.kind().is_callable() && outline.name(this) == own
    };
    let mut others = (0..outline.rows.len()).filter(is_overload).filter(takes);
    let only = others.next().filter(|_| others.next().is_none());
    Some(Difference {
        why: format!("calls another {own}"),
        meant: only.map(|row| (outline.rows[row].name_line as usize + 1, outline.name_path(row))),
    })
}

/// Returns the name of a constructor's class.
fn class_of(name_path: &str) -> &str {
    name_path.rsplit('/').nth(1).map_or("", simple_name)
}

/// Returns the last name of a name path, without its number among others of that name.
fn simple_name(name_path: &str) -> &str {
    let last = name_path.rsplit('/').next().unwrap_or(name_path);
    last.split('[').next().unwrap_or(last)
}

/// Whether a line of Kotlin may call one of Java's accessors as a property: `view.text = s` calls `setText`.
fn reads_property(line: &str, accessor: &str) -> bool {
    let Some(property) = ["get", "set", "is"].iter().find_map(|prefix| accessor.strip_prefix(prefix)) else {
        return false;
    };
    // Of `setURLPath` the property is `urlPath`, of `setOpen` `isOpen` or `open`.
    let property = property.to_lowercase();
    let mut words = line.split(|c: char| !is_word_char(c)).map(str::to_lowercase);
    words.any(|word| word == property || word.strip_prefix("is") == Some(&property))
}

/// What a caller's line says of a name.
struct Uses {
    line: String,
    /// The bytes of the file at which the name occurs on the line, or one under which the file imports it.
    offsets: Vec<u32>,
}

/// Returns `None` where the line cannot be read as it was saved.
fn uses(view: &View, path: &RelPath, line: usize, name: &str) -> Option<Uses> {
    // What is looked up is the unsaved text.
    if view.files.is_unsaved(path) {
        return None;
    }
    let current = view.saved(view.snapshot.files.get(path.as_str())?).ok()?;
    if name.is_empty() || line == 0 || line > counted_lines(&current.text) {
        return None;
    }
    let start = current.text.line_start(line - 1);
    let text = current.text.line(line - 1)?;
    let imports = current.outline.imports.unpack();
    let aliases = imports.iter().filter(|import| import.imported == Imported::Name(name));
    let names = std::iter::once(name).chain(aliases.filter_map(|import| import.alias));
    let uses = names.flat_map(|name| whole_words(text, name));
    let offsets = uses.map(|at| u32::try_from(start + at).ok()).collect::<Option<_>>()?;
    Some(Uses { line: text.to_owned(), offsets })
}
