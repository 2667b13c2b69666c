//! Values whose text holds the name, where they become texts: they are printed, logged, joined to a text, or a constant is looked up by
//! its name. A place counts where the type of the value says so, or, where that is not known, its method has such values in hand.

use super::JavaRenamed;
use super::forwarded_names::ForwardedNames;
use super::is_record;
use super::made_texts::{MadeText, PRINTING, causes, joined_texts, made_texts};
use super::name_bearers::{BearerKind, NameBearer, code_around, writes_text};
use crate::conflicts::SourcePlace;
use crate::context::first_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::heads::without_texts;
use crate::jvm::java_values::{ShownTypes, shown_types};
use crate::name_reach::NameReach;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::Row;

/// Looks for values of one kind in the project's texts.
struct PrintedValueSearch<'q, 's> {
    symbol: &'q JavaRenamed<'q, 's>,
    bearer: NameBearer,
    /// What has values of the class, or holds them.
    reach: NameReach,
    places: Vec<SourcePlace>,
    /// Functions that make texts of what they are given as an `Object`.
    forwarding: ForwardedNames,
}

pub(super) fn find(symbol: &JavaRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(bearer) = NameBearer::of(symbol)? else { return Ok(None) };
    let of = bearer.class.name().to_owned();
    let is_constant = bearer.kind == BearerKind::Constant;
    if bearer.has_own_text && !is_constant {
        return Ok(None);
    }
    let names = bearer.declared.iter().map(|one| one.name().to_owned());
    let reach = match bearer.kind {
        BearerKind::Constant | BearerKind::Record => NameReach::of(symbol.resolver, texts, [of.clone()])?,
        BearerKind::Exception | BearerKind::Object => {
            NameReach::of_names(names.chain(bearer.outside.iter().cloned()))
        }
    };
    let has_texts = !bearer.has_own_text;
    let mut search = PrintedValueSearch {
        symbol,
        bearer,
        reach,
        places: Vec::new(),
        forwarding: ForwardedNames::default(),
    };
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        if is_constant {
            search.places.extend(named_in(&one, &of));
        }
        if has_texts && (search.reach.is_in(&one.text) || one.text.contains("ExecutionException")) {
            search.read(&one, None)?;
        }
    }
    while let Some(names) = search.forwarding.next_step() {
        for one in texts.with_any(&names) {
            if search.reach.is_in(&one.text) {
                search.read(&one, Some(&names))?;
            }
        }
    }
    let text =
        format!("a text is made here of a value of '{of}', with the name '{}', or read as one", symbol.old);
    Ok(RenameHazard::doubt(text, search.places))
}

/// Returns where constants are looked up by their names, or asked for them.
fn named_in(one: &FamilyText, of: &str) -> Vec<SourcePlace> {
    let text = &one.text;
    let mut places = Vec::new();
    for at in one.words(of) {
        let rest = &text[at + of.len()..];
        let argument = rest.strip_prefix(".valueOf(").map(str::trim_start);
        // A text that stands there is found as a mention.
        if argument.is_some_and(|argument| !argument.starts_with('"'))
            || rest.starts_with(".class") && text[..at].ends_with("valueOf(")
        {
            places.push(one.place(at, of.len()));
        }
    }
    if words_of(text, of).next().is_some() {
        for sign in [".name()", "::name", "::toString"] {
            places.extend(text.match_indices(sign).map(|(at, _)| one.place(at, sign.len())));
        }
    }
    places
}

impl PrintedValueSearch<'_, '_> {
    /// Reads one text: what becomes a text there, or what is given to the functions of these names.
    fn read(&mut self, one: &FamilyText, given_to: Option<&[String]>) -> Result<(), Cancelled> {
        let Some(here) = one.current(self.symbol.resolver) else { return Ok(()) };
        let code = without_texts(here.text.as_str(), here.language);
        let mut made = match given_to {
            Some(names) => made_texts(&code, names.iter().map(String::as_str)),
            None => {
                let mut made = made_texts(&code, PRINTING.iter().copied());
                made.extend(joined_texts(&code));
                if self.bearer.kind == BearerKind::Exception {
                    made.extend(causes(&code));
                    self.places.extend(wrapped_messages(one, &code));
                }
                made
            }
        };
        made.sort_by_key(|one| (one.end, one.at));
        made.dedup_by_key(|one| one.end);
        for part in made {
            self.symbol.resolver.cancel.check()?;
            self.judge(one, &here, (part, &code), given_to.is_some())?;
        }
        Ok(())
    }

    fn judge(
        &mut self,
        one: &FamilyText,
        here: &CurrentFile,
        (part, code): (MadeText, &str),
        is_forwarded: bool,
    ) -> Result<(), Cancelled> {
        let types = shown_types(self.symbol.resolver, here, (part.start, part.end))?;
        let is_class = types.outside.iter().any(|name| name == "Class");
        // The text of a class holds its own name.
        let has_name = !is_class || is_forwarded || self.symbol.is_type();
        if part.is_cause && types.declared.is_empty() {
            return Ok(());
        }
        if has_name && self.is_bearer(&types) {
            self.places.push(one.place(part.at, 1));
            return Ok(());
        }
        // `Enum.valueOf(c, name)` reads the names of a class that it is given.
        if !types.is_open || !has_name && !code[part.at..].starts_with("valueOf") {
            return Ok(());
        }
        let Some(row) = code_around(here, part.at) else { return Ok(()) };
        let around = here.text_of(row);
        let is_guess = matches!(self.bearer.kind, BearerKind::Constant | BearerKind::Record)
            || is_class && words_of(around, &self.symbol.old).next().is_some();
        let is_own = self.class_of(here, row).is_some_and(|class| class == self.bearer.class.name());
        // Only a text can be joined to a value of which nothing is known.
        let is_joined =
            is_forwarded || !code[part.at..].starts_with('+') || statement_has_text(code, part.at);
        if is_guess && has_name && is_joined && (is_own || self.reach.is_in(around)) {
            self.places.push(one.place(part.at, 1));
        } else if is_any_taken(around) {
            self.forwarding.add(here.outline.name(row));
        }
        Ok(())
    }

    /// Whether a value of these types may be, or hold, one whose text has the name.
    fn is_bearer(&self, types: &ShownTypes) -> bool {
        let is_it = |class: &IndexedDeclaration| {
            self.bearer.declared.iter().any(|one| one.is_same_declaration(class)) || self.holds(class)
        };
        types.declared.iter().any(is_it)
            || types.outside.iter().any(|name| self.bearer.outside.contains(name))
    }

    /// Whether a class is a record of which a component holds the values.
    fn holds(&self, class: &IndexedDeclaration) -> bool {
        let is_reached = matches!(self.bearer.kind, BearerKind::Constant | BearerKind::Record)
            && self.reach.is_in(class.name());
        let Some(there) = self.symbol.resolver.read_file(&class.file).filter(|_| is_reached) else {
            return false;
        };
        let Some(at) = there.row_of(class) else { return false };
        let row = &there.outline.rows[at];
        is_record(&there, row) && !writes_text(&there, at)
    }

    fn class_of<'t>(&self, here: &'t CurrentFile, row: &Row) -> Option<&'t str> {
        row.parent().map(|at| here.outline.name(&here.outline.rows[at]))
    }
}

/// Returns where code catches an exception of the library that wraps others, and reads its message: that holds the name of the wrapped
/// class.
fn wrapped_messages(one: &FamilyText, code: &str) -> Vec<SourcePlace> {
    let mut places = Vec::new();
    for wrapper in ["ExecutionException", "CompletionException", "UndeclaredThrowableException"] {
        for at in words_of(code, wrapper) {
            let behind = code[at + wrapper.len()..].trim_start();
            let name = first_word(behind);
            let body = &behind[name.len()..];
            let read = format!("{name}.getMessage()");
            if !name.is_empty() && body.trim_start().starts_with(')') && body.contains(&read) {
                places.push(one.place(at, wrapper.len()));
            }
        }
    }
    places
}

/// Whether the statement around a byte has a text in it.
fn statement_has_text(code: &str, at: usize) -> bool {
    let start = code[..at].rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let end = code[at..].find([';', '{', '}']).map_or(code.len(), |end| at + end);
    code[start..end].contains('"')
}

/// Whether a function has a parameter that takes values of any class.
fn is_any_taken(function: &str) -> bool {
    let head = function.split('{').next().unwrap_or("");
    ["Object", "Enum", "Record", "Comparable", "T", "E", "V", "K"]
        .iter()
        .any(|any| words_of(head, any).next().is_some())
}
