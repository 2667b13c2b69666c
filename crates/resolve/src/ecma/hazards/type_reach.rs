//! Which values hold an object of a type, as far as annotations and constructors show it: `user: User`, `users = new Map<string, User>()`,
//! and, through members of other types, `order: Order` where `Order` has a `buyer: User`.

use std::collections::BTreeSet;

use super::RenamedSymbol;
use crate::context::{first_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::subclasses::heirs;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// The most steps from a type to one that holds it.
const MAX_STEPS: usize = 3;

/// The most types that are followed.
const MAX_TYPES: usize = 24;

/// The names of the types whose objects are, or hold, objects of the symbol's type.
pub(super) struct TypeReach {
    /// The type, those that inherit from it, and aliases of these.
    pub(super) own: BTreeSet<String>,
    /// These, and the types that have members of them.
    pub(super) all: Vec<String>,
}

impl TypeReach {
    pub(super) fn of(
        symbol: &RenamedSymbol,
        class: &IndexedDeclaration,
        texts: &FamilyTexts,
    ) -> Result<TypeReach, Cancelled> {
        let mut own = BTreeSet::from([class.name().to_owned()]);
        for owner in symbol.owners() {
            own.insert(owner.name().to_owned());
            own.extend(heirs(symbol.resolver, &owner)?.iter().map(|heir| heir.name().to_owned()));
        }
        own.remove("");
        let mut all = own.clone();
        let mut open = own.clone();
        for step in 0..MAX_STEPS {
            let names: Vec<String> = open.into_iter().collect();
            let mut next = BTreeSet::new();
            for one in texts.with_any(&names) {
                symbol.resolver.cancel.check()?;
                let Some(here) = one.current(symbol.resolver) else { continue };
                for name in names.iter().filter(|name| one.holds(name)) {
                    next.extend(one.words(name).filter_map(|at| holder(&here, at)));
                }
            }
            next.retain(|name| !all.contains(name));
            if all.len() + next.len() > MAX_TYPES {
                break;
            }
            all.extend(next.iter().cloned());
            if step == 0 {
                own.extend(next.iter().filter(|name| is_alias(texts, name)).cloned());
            }
            open = next;
        }
        Ok(TypeReach { own, all: all.into_iter().collect() })
    }

    /// Whether a written type names one that holds the symbol's: not `Order["id"]`, which is the type of a member.
    pub(super) fn is_in(&self, written: &str) -> bool {
        let is_whole = |name: &str, at: usize| {
            let behind = &written[at + name.len()..];
            !behind.starts_with("['") && !behind.starts_with("[\"")
        };
        self.all.iter().any(|name| words_of(written, name).any(|at| is_whole(name, at)))
    }

    /// Whether the value, as written, may hold an object of the symbol's type: a variable, a member or a call whose last name has
    /// that type in this file, or is declared with it.
    pub(super) fn holds(
        &self,
        symbol: &RenamedSymbol,
        text: &FamilyText,
        value: &str,
        at: usize,
    ) -> Result<bool, Cancelled> {
        self.holds_within(symbol, text, (value, at), MAX_STEPS)
    }

    /// [`TypeReach::holds`], through at most `steps` variables that are given by others.
    fn holds_within(
        &self,
        symbol: &RenamedSymbol,
        text: &FamilyText,
        (value, at): (&str, usize),
        steps: usize,
    ) -> Result<bool, Cancelled> {
        let value = value.trim();
        let value = value.strip_prefix("await ").unwrap_or(value).trim();
        let value = value.strip_prefix("...").unwrap_or(value);
        if let Some((_, cast)) = value.rsplit_once(" as ") {
            return Ok(self.is_in(cast));
        }
        if let Some(made) = value.strip_prefix("new ") {
            return Ok(self.is_in(first_word(made.trim_start())));
        }
        if value.starts_with(['[', '{']) {
            // `{ ...user }` holds what `user` does. All spreads within the value are looked at here, those in nested literals too.
            for (spread, _) in value.match_indices("...") {
                let rest = &value[spread + "...".len()..];
                let spread = &rest[..rest.find([',', '}', ']', '(']).unwrap_or(rest.len())];
                let is_nested = spread.trim_start_matches(['.', ' ']).starts_with(['[', '{']);
                if !is_nested && self.holds_within(symbol, text, (spread, at), steps)? {
                    return Ok(true);
                }
            }
            // `[new User(), other]`
            let made = value.match_indices("new ").map(|(new, word)| first_word(&value[new + word.len()..]));
            return Ok(value.starts_with('[') && made.into_iter().any(|made| self.is_in(made)));
        }
        if value == "this" {
            return Ok(self.is_around(symbol, text, at));
        }
        let called = value.find('(').map_or(value, |open| &value[..open]);
        let called = called.find('[').map_or(called, |open| &called[..open]);
        let name = last_word(called.trim_end().trim_end_matches(['!', '?']));
        if name.is_empty() {
            return Ok(false);
        }
        let written = words_of(&text.text, name).map(|at| written_type(&text.text[at + name.len()..]));
        let written: Vec<&str> = written.filter(|written| !written.trim().is_empty()).collect();
        // What the file itself says of the name counts before what others say of it.
        if !written.is_empty() {
            return Ok(written.iter().any(|written| self.is_in(written)));
        }
        // `const made = make();` has the type that the function gives.
        if let Some(rest) = steps.checked_sub(1).filter(|_| called == name) {
            let mut given =
                words_of(&text.text, name).filter_map(|at| given_value(&text.text[at + name.len()..]));
            if let Some(given) = given.next() {
                return self.holds_within(symbol, text, (given, at), rest);
            }
        }
        // `const { id, ...rest } = user;` leaves the other members of `user` to `rest`.
        if let Some(rest) = steps.checked_sub(1).filter(|_| called == name) {
            for of in words_of(&text.text, name).filter_map(|at| rest_of(&text.text, at, name)) {
                let holds = match of {
                    Rest::Type(written) => self.is_in(written),
                    Rest::Value(value) => self.holds_within(symbol, text, (value, at), rest)?,
                };
                if holds {
                    return Ok(true);
                }
            }
        }
        let is_imported = || {
            let here = text.current(symbol.resolver);
            here.is_some_and(|here| here.imports().iter().any(|import| import.bound() == Some(name)))
        };
        if !called.contains('.') && !is_imported() {
            return Ok(false);
        }
        for one in symbol.resolver.declared(name)?.iter() {
            let Some(there) = symbol.resolver.read_file(&one.file) else { continue };
            let Some(row) = there.row_of(one).map(|at| &there.outline.rows[at]) else { continue };
            let end = row.name_start as usize + usize::from(row.name_len);
            if self.is_in(written_type(there.text.as_str().get(end..row.end as usize).unwrap_or(""))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether byte `at` is in a class of these names.
    fn is_around(&self, symbol: &RenamedSymbol, text: &FamilyText, at: usize) -> bool {
        let Some(here) = text.current(symbol.resolver) else { return false };
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        here.outline.rows.iter().any(|row| {
            crate::hierarchy::classes::is_class(row)
                && row.start <= at
                && at < row.end
                && self.all.iter().any(|name| name == here.outline.name(row))
        })
    }
}

/// Returns the type whose member, or definition, names another at byte `at`.
fn holder(here: &crate::resolver::CurrentFile, at: usize) -> Option<String> {
    let text = here.text.as_str();
    let at = u32::try_from(at).ok()?;
    let mut around =
        here.outline.rows.iter().filter(|row| row.start <= at && at < row.end && row.name_start < at);
    let inner = around.next_back()?;
    let is_type_alias = last_word(text.get(..inner.name_start as usize)?.trim_end()) == "type";
    if is_type_alias {
        return Some(here.outline.name(inner).to_owned());
    }
    let parent = inner.parent().map(|at| &here.outline.rows[at])?;
    // A method only takes or gives it.
    let is_data = matches!(inner.kind(), symd_syntax::SymbolKind::Property | symd_syntax::SymbolKind::Field);
    (is_data && crate::hierarchy::classes::is_class(parent)).then(|| here.outline.name(parent).to_owned())
}

/// Whether a type is an alias somewhere.
fn is_alias(texts: &FamilyTexts, name: &str) -> bool {
    texts.iter().any(|one| one.words(name).any(|at| last_word(one.text[..at].trim_end()) == "type"))
}

/// Returns what is written as the type of a name, in the text behind it: of an annotation, a function's result, what a variable is made by.
fn written_type(behind: &str) -> &str {
    let behind = behind.trim_start_matches(['?', '!']).trim_start();
    if let Some(annotation) = behind.strip_prefix(':') {
        return annotated(annotation);
    }
    if let Some(value) = behind.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>'])) {
        let line = up_to(value, &[';', '\n']);
        if let Some(made) = line.trim_start().strip_prefix("new ") {
            return up_to(made, &['(']);
        }
        return match line.rsplit_once(" as ") {
            Some((_, cast)) => cast,
            // `const save = (user: User): User => …` gives what stands behind its parameters.
            None => result_type(line.trim_start().trim_start_matches("async ")),
        };
    }
    result_type(behind)
}

/// Returns the call or the name that a variable is declared with, in the text behind its name.
fn given_value(behind: &str) -> Option<&str> {
    // `for (const user of users)`
    if let Some(items) = behind.strip_prefix(" of ") {
        return Some(up_to(items, &[')', '\n']).trim());
    }
    let value = behind.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>']))?;
    let value = up_to(value, &[';', '\n']).trim();
    let value = value.strip_prefix("await ").unwrap_or(value).trim_start();
    let is_name = value.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
    ((is_name || value.starts_with('[')) && !value.contains("=>")).then_some(value)
}

/// What a pattern takes apart, of which a variable gets the rest.
#[derive(Debug, PartialEq, Eq)]
enum Rest<'t> {
    Value(&'t str),
    Type(&'t str),
}

/// Returns what the pattern takes apart whose rest the name at byte `at` gets: `{ id, ...name } = value`, `({ id, ...name }: Type)`.
fn rest_of<'t>(text: &'t str, at: usize, name: &str) -> Option<Rest<'t>> {
    if !text[..at].ends_with("...") {
        return None;
    }
    let behind = text[at + name.len()..].trim_start().strip_prefix('}')?.trim_start();
    if let Some(annotation) = behind.strip_prefix(':') {
        return Some(Rest::Type(annotated(annotation)));
    }
    let value = behind.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>']))?;
    Some(Rest::Value(up_to(value, &[';', '\n']).trim()))
}

/// Returns the type of the result in a head that begins with parameters.
fn result_type(head: &str) -> &str {
    let head = head.trim_start();
    let parameters = match head.starts_with('<') {
        true => head.find('(').map_or("", |open| &head[open..]),
        false => head,
    };
    if !parameters.starts_with('(') {
        return "";
    }
    let close = crate::brackets::close_bracket(parameters, 0);
    let result = parameters[close..].trim_start().strip_prefix(':');
    result.map_or("", |result| up_to(result, &['{', ';', '\n', '=']))
}

/// Returns the type that a text begins with: what stands in brackets belongs to it.
fn annotated(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '{' => depth += 1,
            '>' | ']' | '}' if depth > 0 => depth -= 1,
            ',' | ';' | ')' | '}' | '=' | '\n' | '(' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text
}

fn up_to<'t>(text: &'t str, ends: &[char]) -> &'t str {
    &text[..text.find(ends).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_variable_is_declared_with() {
        for (behind, expected) in [
            (" = make(1, 2);", Some("make(1, 2)")),
            (" = await load(\"a\")\n", Some("load(\"a\")")),
            (" = other;", Some("other")),
            (" = [new User()];", Some("[new User()]")),
            (" of users) f(x);", Some("users")),
            (" = { a: 1 };", None),
            (" = x => x;", None),
            (" == make()", None),
            (": User", None),
        ] {
            assert_eq!(given_value(behind), expected, "{behind}");
        }
    }

    #[test]
    fn the_rest_of_a_pattern() {
        for (text, expected) in [
            ("const { a, ...rest } = user;", Some(Rest::Value("user"))),
            ("f({ a, ...rest }: User) {}", Some(Rest::Type(" User"))),
            ("g({ ...rest });", None),
            ("const [a, ...rest] = users;", None),
        ] {
            let at = text.find("rest").expect("in it");
            assert_eq!(rest_of(text, at, "rest"), expected, "{text}");
        }
    }

    #[test]
    fn the_type_written_behind_a_name() {
        for (behind, expected) in [
            (": User = f();", "User"),
            ("?: User[];", "User[]"),
            (": any, user: User)", "any"),
            (": Map<string, User>, n: number)", "Map<string, User>"),
            (" = new Map<string, User>();", "Map<string, User>"),
            (" = JSON.parse(s) as User;", "User"),
            ("(id: number): Promise<User> {", "Promise<User>"),
            (" = async (id: number): Promise<User> => {", "Promise<User>"),
            ("<T>(s: string): T {", "T"),
            (" = f();", ""),
            (".x", ""),
        ] {
            assert_eq!(written_type(behind).trim(), expected, "{behind}");
        }
    }
}
