//! Names of members that JavaScript itself calls, or that every object or class has: to take such a name, or to give it up, changes
//! what the program does.

use super::{RenamedSymbol, SymbolOwner};
use crate::rename_hazard::RenameHazard;

/// What calls a member by its name, of any object that has it.
const CALLED: [(&str, &str); 5] = [
    ("then", "`await` and promises call"),
    ("toJSON", "`JSON.stringify` calls"),
    ("toString", "JavaScript, which converts objects to strings, calls"),
    ("toLocaleString", "`toLocaleString` of an array calls"),
    ("valueOf", "JavaScript, which computes with objects, calls"),
];

/// Further members of every object.
const OF_OBJECTS: [&str; 9] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
];

/// Static members of every class, as it is a function.
const OF_CLASSES: [&str; 5] = ["arguments", "caller", "length", "name", "prototype"];

/// Members that a loop calls, of what `Symbol.iterator` gives.
const OF_ITERATORS: [&str; 3] = ["next", "return", "throw"];

/// Members that a browser calls, of a class of an element.
const OF_ELEMENTS: [&str; 9] = [
    "adoptedCallback",
    "attributeChangedCallback",
    "connectedCallback",
    "connectedMoveCallback",
    "disconnectedCallback",
    "formAssociatedCallback",
    "formDisabledCallback",
    "formResetCallback",
    "formStateRestoreCallback",
];

/// Static members that a browser reads of such a class.
const OF_ELEMENT_CLASSES: [&str; 3] = ["disabledFeatures", "formAssociated", "observedAttributes"];

pub(super) fn find(symbol: &RenamedSymbol) -> Vec<RenameHazard> {
    let SymbolOwner::Type { is_static, .. } = symbol.owner else { return Vec::new() };
    let texts = [taken(symbol.new, is_static), given_up(symbol, is_static)];
    texts.into_iter().flatten().map(RenameHazard::breaks).collect()
}

/// Returns what the new name of a member would mean besides.
fn taken(new: &str, is_static: bool) -> Option<String> {
    if is_static {
        let is_taken = OF_CLASSES.contains(&new);
        return is_taken.then(|| format!("every class has a static '{new}' of its own, as it is a function"));
    }
    if let Some((_, caller)) = CALLED.iter().find(|(name, _)| *name == new) {
        return Some(format!("{caller} '{new}' of any object that has it"));
    }
    OF_OBJECTS.contains(&new).then(|| match new {
        "constructor" => "in a class, 'constructor' is what makes its objects".to_owned(),
        _ => format!("every object has '{new}', which would be replaced"),
    })
}

/// Returns what calls a member by its old name.
fn given_up(symbol: &RenamedSymbol, is_static: bool) -> Option<String> {
    let old = symbol.old.as_str();
    let called = CALLED.iter().find(|(name, _)| !is_static && *name == old);
    if let Some((_, caller)) = called {
        return Some(format!("{caller} '{old}' by its name"));
    }
    let classes = symbol.owners();
    let any = |holds: &dyn Fn(&str, &str) -> bool| {
        classes.iter().any(|class| {
            let Some(there) = symbol.resolver.read_file(&class.file) else { return false };
            let Some(at) = there.row_of(class) else { return false };
            let row = &there.outline.rows[at];
            let text = there.text_from_name(row);
            let (head, body) = text.split_once('{').unwrap_or((text, ""));
            holds(head, body)
        })
    };
    let is_of_element = || any(&|head, _| head.contains("Element"));
    if is_static {
        let is_read = OF_ELEMENT_CLASSES.contains(&old) && is_of_element();
        return is_read.then(|| format!("browsers read '{old}' of an element's class by its name"));
    }
    if OF_ITERATORS.contains(&old)
        && any(&|_, body| body.contains("Symbol.iterator") || body.contains("Symbol.asyncIterator"))
    {
        return Some(format!("loops call '{old}' of an iterator by its name"));
    }
    if OF_ELEMENTS.contains(&old) && is_of_element() {
        return Some(format!("browsers call '{old}' of an element by its name"));
    }
    if old == "handleEvent" && any(&|_, body| body.contains("addEventListener")) {
        return Some("browsers call 'handleEvent' of a listener by its name".to_owned());
    }
    None
}
