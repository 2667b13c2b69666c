//! Code of Python that takes the values of a named tuple apart by position: `a, b = point`, `for x, y in points`, `point[0]`. By the
//! text around the names that code gives to values of the type, so a value that is passed on to a function without an annotation is
//! not followed.

use super::{PositionUse, TypeUses};
use crate::brackets::{close_bracket, open_bracket};
use crate::context::{first_word, last_word};
use crate::hierarchy::heads::without_texts;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use symd_base::cancel::Cancelled;
use symd_index::NeededWords;
use symd_syntax::Row;

/// How many names of values are followed in a file. Beyond them the values are taken to be unpacked.
const MAX_NAMES: usize = 200;

/// Functions that go through the items of an argument.
const ITERATING: [&str; 13] = [
    "all",
    "any",
    "array",
    "enumerate",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "sorted",
    "sum",
    "tuple",
];

/// Methods that add an item to a container.
const ADDING: [&str; 4] = ["add", "append", "appendleft", "put"];

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// The type itself: a call makes a value.
    Type,
    /// A value of the type.
    Value,
    /// A list of values, or another container of them.
    Container,
}

/// A name of a value, and the part of the file in which it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ValueName {
    name: String,
    held: Held,
    within: Range<usize>,
}

/// Finds code that takes values of the named tuple `class` apart by position, so that it needs the field at the 0-based `place`.
pub(super) fn find(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    place: usize,
    uses: &[TypeUses],
) -> Result<Option<PositionUse>, Cancelled> {
    // Names that other files can use, with what they hold.
    let mut shared: BTreeMap<String, Held> = BTreeMap::new();
    for one in uses {
        resolver.cancel.check()?;
        let file = UserFile::read(one.here.clone(), place);
        let names = file.typed(class, one);
        if let Some(at) = file.taken_apart(names.clone()) {
            return Ok(Some(PositionUse::at(&one.here, at)));
        }
        let is_shared = |name: &&ValueName| name.within == (0..file.blank.len()) && name.held != Held::Type;
        shared.extend(names.iter().filter(is_shared).map(|one| (one.name.clone(), one.held)));
    }
    // Elsewhere a name counts if nothing else in the project has it.
    let mut known = Vec::new();
    for (name, held) in shared {
        if resolver.declared(&name)?.len() == 1 {
            known.push((name, held));
        }
    }
    let words = known.iter().map(|(name, _)| NeededWords::of_name(name));
    for file in resolver.sources.snapshot().files.with_any_words(words) {
        let holds = |name: &str| file.holds(name);
        let is_user = uses.iter().any(|user| user.here.file.path == file.path);
        if is_user
            || resolver.file(file.path.as_str()).is_none()
            || !known.iter().any(|(name, _)| holds(name))
        {
            continue;
        }
        resolver.cancel.check()?;
        let Some(here) = resolver.read_uncached(file) else { continue };
        let file = UserFile::read(here.clone(), place);
        let names = known.iter().map(|(name, held)| file.everywhere(name, *held)).collect();
        if let Some(at) = file.taken_apart(names) {
            return Ok(Some(PositionUse::at(&here, at)));
        }
    }
    Ok(None)
}

/// A file that may use values of the type, without its comments and strings.
struct UserFile {
    here: Rc<CurrentFile>,
    blank: String,
    /// The 0-based place of the field.
    place: usize,
}

impl UserFile {
    fn read(here: Rc<CurrentFile>, place: usize) -> UserFile {
        let blank = without_texts(here.text.as_str(), here.language);
        UserFile { here, blank, place }
    }

    fn everywhere(&self, name: &str, held: Held) -> ValueName {
        ValueName { name: name.to_owned(), held, within: 0..self.blank.len() }
    }

    /// Returns the names that the file gives to values where it names the type: by annotations, as results, by assignments.
    fn typed(&self, class: &IndexedDeclaration, uses: &TypeUses) -> Vec<ValueName> {
        let mut names = vec![self.everywhere(class.name(), Held::Type)];
        if class.file.path == self.here.file.path
            && let Some((_, row)) = class.row()
        {
            let within = row.start as usize..row.end as usize;
            names.push(ValueName { name: "self".to_owned(), held: Held::Value, within });
        }
        for place in &uses.ranges {
            let (start, end) = (place.start as usize, place.end as usize);
            names.extend(self.annotated(start, end).or_else(|| self.assigned(start, end)));
        }
        names.retain(|one| !one.name.is_empty());
        names
    }

    /// Returns the name that is declared with an annotation around the type, or the function that returns it.
    fn annotated(&self, start: usize, end: usize) -> Option<ValueName> {
        // The annotation may be a string, so this is the text itself.
        let text = self.here.text.as_str();
        let is_part = |c: char| c.is_alphanumeric() || "_.[]|'\" ".contains(c);
        let (mut left, mut inner) = (text[..start].trim_end_matches(is_part), false);
        // `dict[str, Point]`
        while let Some(rest) = left.strip_suffix(',')
            && open_bracket(text, rest.len()).is_some_and(|open| text[open..].starts_with('['))
        {
            left = rest.trim_end_matches(is_part);
            inner = true;
        }
        let written = &text[left.len()..start];
        let is_bare = written
            .rsplit('[')
            .nth(1)
            .is_none_or(|outer| outer.ends_with("Optional") || outer.ends_with("Annotated"));
        let held = if is_bare && !inner { Held::Value } else { Held::Container };
        let behind = text[end..].trim_start_matches(['\'', '"', ' ', '\t']);
        if let Some(before) = left.strip_suffix("->") {
            let open =
                before.trim_end().strip_suffix(')').and_then(|inside| open_bracket(text, inside.len()))?;
            let name = last_word(text[..open].trim_end());
            return Some(self.declared_at(name, open - name.len(), held));
        }
        let before = left.strip_suffix(':')?.trim_end();
        let name = last_word(before);
        let is_annotation =
            behind.is_empty() || behind.starts_with([',', ')', '=', '\n', '\r', '#', ']', '|', '[']);
        let line = before[..before.len() - name.len()].rsplit('\n').next().unwrap_or("").trim();
        let is_statement = !matches!(last_word(line), "lambda" | "if" | "elif" | "while" | "case");
        (is_annotation && is_statement && !name.is_empty())
            .then(|| self.declared_at(name, before.len() - name.len(), held))
    }

    /// Returns the variable that gets a value made where the type is named, or the function that returns it.
    fn assigned(&self, start: usize, end: usize) -> Option<ValueName> {
        if !self.blank[end..].starts_with(['(', '.']) {
            return None;
        }
        let begins = statement_start(&self.blank, start);
        let before = &self.blank[begins..start];
        let held = if before.trim_end().ends_with(['[', '{', '(', ',']) || before.contains(" for ") {
            Held::Container
        } else {
            Held::Value
        };
        if before.contains("return ") || before.contains("yield ") {
            let function = self.function_around(start)?;
            let held = if before.contains("yield") { Held::Container } else { held };
            let name = self.here.outline.name(function).to_owned();
            return Some(ValueName { name, held, within: 0..self.blank.len() });
        }
        // `points.append(Point(1, 2))`
        let added = before.trim_end().strip_suffix('(').map_or("", str::trim_end);
        if let Some(list) = ADDING.iter().find_map(|method| added.strip_suffix(method)?.strip_suffix('.')) {
            let name = last_word(list);
            return (!name.is_empty())
                .then(|| self.declared_at(name, begins + list.len() - name.len(), Held::Container));
        }
        let (targets, _) = before.split_once('=').filter(|(_, rest)| !rest.starts_with('='))?;
        let target = targets.split(':').next().unwrap_or(targets).trim();
        let is_name = target.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let name = last_word(target);
        let indent = targets.len() - targets.trim_start().len();
        (is_name && !name.is_empty())
            .then(|| self.declared_at(name, begins + indent + target.len() - name.len(), held))
    }

    /// Returns the name of a value that is declared at byte `at`: a local counts in its function.
    fn declared_at(&self, name: &str, at: usize, held: Held) -> ValueName {
        let rows = &self.here.outline.rows;
        let is_shared = rows.iter().any(|row| row.name_start as usize == at && !row.is_local())
            || self.blank[..at].ends_with('.');
        let function = self.function_around(at).filter(|_| !is_shared);
        let within = function.map_or(0..self.blank.len(), |row| row.start as usize..row.end as usize);
        ValueName { name: name.to_owned(), held, within }
    }

    fn function_around(&self, at: usize) -> Option<&Row> {
        let row = scope::function_around(&self.here, u32::try_from(at).ok()?)?;
        self.here.outline.rows.get(row)
    }

    /// Returns where one of the named values is taken apart, also by way of further names: `for point in points`.
    fn taken_apart(&self, names: Vec<ValueName>) -> Option<usize> {
        let mut known: Vec<ValueName> = Vec::new();
        let mut left: VecDeque<ValueName> = names.into();
        while let Some(one) = left.pop_front() {
            if known.contains(&one) {
                continue;
            }
            let offsets = self.here.outline.occurrences.offsets_of(&one.name).map(|at| at as usize);
            let offsets: Vec<usize> = offsets.filter(|at| one.within.contains(at)).collect();
            // `self` and the like are no identifiers of the outline in every place.
            for at in offsets {
                match self.at_name(&one, at) {
                    Use::Apart => return Some(at),
                    Use::Named(name, held, at) => left.push_back(self.declared_at(&name, at, held)),
                    Use::Other => {}
                }
            }
            known.push(one);
            if known.len() > MAX_NAMES {
                return Some(known[0].within.start);
            }
        }
        None
    }

    /// Returns what is done with the value named at byte `at`.
    fn at_name(&self, one: &ValueName, at: usize) -> Use {
        let text = self.blank.as_str();
        let mut end = at + one.name.len();
        let mut held = one.held;
        // Whether each item of a container has its key, or its number, before it.
        let mut is_numbered = false;
        loop {
            let rest = &text[end..];
            if rest.starts_with('(') {
                end = close_bracket(text, end);
                held = if held == Held::Type { Held::Value } else { held };
            } else if rest.starts_with('[') && held != Held::Type {
                let close = close_bracket(text, end);
                let index = text[end + 1..close.saturating_sub(1).max(end + 1)].trim();
                let is_slice = index.contains(':');
                match held {
                    // The items before the field stay where they are.
                    Held::Value if index.parse().is_ok_and(|index: usize| index < self.place) => {
                        return Use::Other;
                    }
                    Held::Value | Held::Type => return Use::Apart,
                    Held::Container if is_slice => {}
                    Held::Container => held = Held::Value,
                }
                end = close;
            } else if held == Held::Container && (rest.starts_with(".values()") || rest.starts_with(".pop("))
            {
                held = if rest.starts_with(".pop(") { Held::Value } else { held };
                end += rest.find('(').unwrap_or(0);
            } else if held == Held::Container && rest.starts_with(".items()") {
                end += ".items()".len();
                is_numbered = true;
            } else {
                break;
            }
        }
        if held == Held::Type || text[end..].starts_with('.') {
            return Use::Other;
        }
        let chain = text[..at].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let left = chain.trim_end();
        let left = left.strip_suffix("await").map_or(left, str::trim_end);
        let right = text[end..].trim_start_matches([' ', '\t']);
        if held == Held::Value
            && (left.ends_with('%') || is_spread(left) || is_compared(left, right) || is_matched(left, right))
        {
            return Use::Apart;
        }
        // `x, y = point, 1`
        if right.starts_with(',') && open_bracket(text, at).is_none_or(|open| !text[open..].starts_with('('))
        {
            return Use::Other;
        }
        if held == Held::Container && left.ends_with("zip(*") {
            return Use::Apart;
        }
        if let Some(open) = left.strip_suffix('(') {
            let called = last_word(open.trim_end());
            match held {
                Held::Value if ITERATING.contains(&called) => return Use::Apart,
                // `enumerate(points)`, `sorted(points, key=lambda point: point[1])`
                Held::Container if ITERATING.contains(&called) => {
                    if is_indexed_in_lambda(&text[open.len()..close_bracket(text, open.len())]) {
                        return Use::Apart;
                    }
                    let start = open.trim_end().len() - called.len();
                    return self.target(start, Held::Container, called == "enumerate");
                }
                _ => {}
            }
        }
        self.target(chain.len(), held, is_numbered)
    }

    /// Returns what gets the value that begins at byte `start`: `a, b = …`, `for a, b in …`, `name = …`. `is_numbered`: whether
    /// each item has its number before it.
    fn target(&self, start: usize, held: Held, is_numbered: bool) -> Use {
        let text = self.blank.as_str();
        let left = text[..start].trim_end();
        let left = left.strip_suffix("await").map_or(left, str::trim_end);
        if let Some(before) = left.strip_suffix('=')
            && !before.ends_with(['=', '!', '<', '>', '+', '-', '*', '/', ':', '|', '&', '%'])
        {
            // `(x,` may stand lines above `y) = point`.
            let end = before.trim_end().strip_suffix([')', ']']).map_or(before.len(), str::len);
            let begins = statement_start(text, end);
            let target = before[begins..].trim();
            let target = target.rsplit('=').next().unwrap_or(target).trim();
            let is_argument = open_bracket(text, start).is_some_and(|open| open >= begins);
            if is_argument {
                return Use::Other;
            }
            if held == Held::Value && is_list(target) {
                return Use::Apart;
            }
            let name = last_word(target.split(':').next().unwrap_or(target).trim());
            let at = begins + before[begins..].rfind(name).unwrap_or(0);
            return if name.is_empty() { Use::Other } else { Use::Named(name.to_owned(), held, at) };
        }
        let Some(before) = left.strip_suffix("in").filter(|before| before.ends_with(char::is_whitespace))
        else {
            return Use::Other;
        };
        let Some(begins) = before.rfind("for ") else { return Use::Other };
        let target = before[begins + 4..].trim();
        if target.contains([':', '='])
            || target.ends_with("not")
            || [" in ", " if "].iter().any(|word| target.contains(word))
        {
            return Use::Other;
        }
        if held == Held::Value {
            return Use::Apart;
        }
        let item = match is_numbered {
            true => target.split_once(',').map_or("", |(_, item)| item.trim()),
            false => target,
        };
        match is_list(item) || item.starts_with('(') {
            true => Use::Apart,
            false if item.is_empty() => Use::Other,
            false => Use::Named(item.to_owned(), Held::Value, begins + 4),
        }
    }
}

/// What code does with a value.
enum Use {
    /// It takes it apart by position.
    Apart,
    /// It gives it another name, declared at that byte.
    Named(String, Held, usize),
    Other,
}

/// Returns where the statement begins that holds byte `at`: at a line outside of brackets.
fn statement_start(text: &str, at: usize) -> usize {
    let mut from = at;
    while let Some(open) = open_bracket(text, from) {
        from = open;
    }
    text[..from].rfind(['\n', ';']).map_or(0, |end| end + 1)
}

/// Whether a target has several names: `a, b`, `(a, b)`, `[a, b]`.
fn is_list(target: &str) -> bool {
    target.contains(',') && !target.contains(':')
}

/// Whether what stands before a value spreads it: `f(*point)`, `[*point]`, but not `n * point`.
fn is_spread(left: &str) -> bool {
    let Some(before) = left.strip_suffix('*').map(str::trim_end) else { return false };
    before.ends_with(['(', ',', '[', '{', '=']) || matches!(last_word(before), "return" | "yield")
}

/// Whether what stands around a value compares it with a tuple: `(1, 2) == point`, but not what a call returns.
fn is_compared(left: &str, right: &str) -> bool {
    let is_behind = || {
        let tuple = left.strip_suffix("==").and_then(|rest| rest.trim_end().strip_suffix(')'))?;
        let open = open_bracket(left, tuple.len())?;
        Some(last_word(&left[..open]).is_empty() && tuple[open..].contains(','))
    };
    let compared = right.trim_start_matches(['=', '!', '<', '>']);
    let is_operator = right.len() > compared.len() && (!right.starts_with('=') || right.starts_with("=="));
    is_operator && compared.trim_start().starts_with('(') || is_behind() == Some(true)
}

/// How many bytes behind `match point:` are searched for a pattern that is a list.
const MAX_MATCH: usize = 2000;

/// Whether a value is matched with a list of patterns: `match point:`, `case (x, y):`.
fn is_matched(left: &str, right: &str) -> bool {
    let is_match = last_word(left) == "match" && right.starts_with(':');
    let end = right.len().min(MAX_MATCH);
    is_match && ["case (", "case ["].iter().any(|case| right.find(case).is_some_and(|at| at < end))
}

/// Whether the arguments of a call have a function that indexes its argument: `key=lambda point: point[1]`.
fn is_indexed_in_lambda(arguments: &str) -> bool {
    let Some((_, rest)) = arguments.split_once("lambda ") else { return false };
    let name = first_word(rest);
    let index = format!("{name}[");
    !name.is_empty() && rest.match_indices(&index).any(|(at, _)| last_word(&rest[..at]).is_empty())
}
