//! Code that reads the name of a class as a text, `getClass().getSimpleName()`, or makes one.

use super::JavaRenamed;
use super::forwarded_names::ForwardedNames;
use super::made_texts::{made_texts, operand_start};
use super::name_bearers::code_around;
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::last_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::without_texts;
use crate::jvm::java_values::{ShownTypes, shown_types};
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::Row;

/// Calls that give a class's name.
const CLASS_NAMES: [&str; 5] =
    ["getSimpleName", "getName", "getTypeName", "getCanonicalName", "getClassName"];

struct ClassNameSearch<'q, 's> {
    symbol: &'q JavaRenamed<'q, 's>,
    /// The class, and what a value of it may be declared to be.
    kin: Vec<IndexedDeclaration>,
    places: Vec<SourcePlace>,
    /// Functions that read the class of what they are given.
    forwarding: ForwardedNames,
}

pub(super) fn find(symbol: &JavaRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(class) = symbol.targets.first().filter(|_| symbol.is_type()) else { return Ok(None) };
    let graph = ClassGraph::of_kin(symbol.resolver, std::slice::from_ref(class), Kin::Above)?;
    let kin = graph.classes(graph.all_ancestors(std::slice::from_ref(class)));
    let forwarding = ForwardedNames::default();
    let mut search = ClassNameSearch { symbol, kin, places: Vec::new(), forwarding };
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        search.places.extend(made_names(&one, &symbol.old));
        if CLASS_NAMES.iter().any(|call| one.text.contains(call)) {
            search.read_calls(&one)?;
        }
    }
    while let Some(names) = search.forwarding.next_step() {
        for one in texts.with_any(&names) {
            search.read_forwarded(&one, &names)?;
        }
    }
    let text = format!("code here reads, or makes, the class name '{}' as a text", symbol.old);
    Ok(RenameHazard::doubt(text, search.places))
}

impl ClassNameSearch<'_, '_> {
    /// Reads the calls that give a class's name.
    fn read_calls(&mut self, one: &FamilyText) -> Result<(), Cancelled> {
        let Some(here) = one.current(self.symbol.resolver) else { return Ok(()) };
        let text = here.text.as_str();
        for call in CLASS_NAMES {
            for at in words_of(text, call).filter(|at| text[at + call.len()..].starts_with("()")) {
                let Some(before) = text[..at].trim_end().strip_suffix('.') else { continue };
                let before = before.trim_end();
                let Some(row) = code_around(&here, at) else { continue };
                let around = here.text_of(row);
                let class = row.parent().map(|at| here.outline.name(&here.outline.rows[at]));
                let is_own = || {
                    class.is_some_and(|class| self.kin.iter().any(|one| one.name() == class))
                        || words_of(around, &self.symbol.old).next().is_some()
                };
                let is_read = if let Some(class) = before.strip_suffix(".class") {
                    last_word(class) == self.symbol.old
                } else if call == "getClassName" {
                    words_of(around, &self.symbol.old).next().is_some()
                } else if let Some(value) = before.strip_suffix("getClass()") {
                    match value.strip_suffix('.') {
                        Some(value) if last_word(value) != "this" => {
                            let types = shown_types(
                                self.symbol.resolver,
                                &here,
                                (operand_start(text, value.len()), value.len()),
                            )?;
                            self.is_read(&here, row, &types)
                        }
                        _ => is_own(),
                    }
                } else {
                    let types = shown_types(
                        self.symbol.resolver,
                        &here,
                        (operand_start(text, before.len()), before.len()),
                    )?;
                    let is_class = types.outside.iter().any(|name| name == "Class");
                    let is_only_of_classes = call != "getName" && types.outside.is_empty() && types.is_open;
                    (is_class || is_only_of_classes) && self.is_read(&here, row, &types)
                };
                if is_read {
                    self.places.push(one.place(at, call.len()));
                }
            }
        }
        Ok(())
    }

    /// Reads what is given to the functions of these names.
    fn read_forwarded(&mut self, one: &FamilyText, names: &[String]) -> Result<(), Cancelled> {
        let Some(here) = one.current(self.symbol.resolver) else { return Ok(()) };
        let code = without_texts(here.text.as_str(), here.language);
        for part in made_texts(&code, names.iter().map(String::as_str)) {
            self.symbol.resolver.cancel.check()?;
            let types = shown_types(self.symbol.resolver, &here, (part.start, part.end))?;
            let Some(row) = code_around(&here, part.at) else { continue };
            if self.is_read(&here, row, &types) {
                self.places.push(one.place(part.at, 1));
            }
        }
        Ok(())
    }

    /// Whether the name that is read of a value, or of a class, of these types may be the class's. Remembers functions that are given it.
    fn is_read(&mut self, here: &CurrentFile, row: &Row, types: &ShownTypes) -> bool {
        let around = here.text_of(row);
        let is_kin = |class: &IndexedDeclaration| self.kin.iter().any(|one| one.is_same_declaration(class));
        if types.declared.iter().any(is_kin) {
            return true;
        }
        if !types.is_open {
            return false;
        }
        if words_of(around, &self.symbol.old).next().is_some() {
            return true;
        }
        let head = around.split('{').next().unwrap_or("");
        if ["Object", "Class", "T", "E"].iter().any(|any| words_of(head, any).next().is_some()) {
            self.forwarding.add(here.outline.name(row));
        }
        false
    }
}

/// Returns the calls of `Class.forName` and the like whose argument joins texts, one of which begins or ends the class's name; and texts
/// that name a nested class as the runtime does, `Outer$Inner`.
fn made_names(one: &FamilyText, old: &str) -> Vec<SourcePlace> {
    let mut places = Vec::new();
    let nested = format!("${old}");
    for at in one.text.match_indices(&nested).map(|(at, _)| at) {
        let rest = &one.text[at + nested.len()..];
        if rest.starts_with(['"', '$', '.']) {
            places.push(one.place(at + 1, old.len()));
        }
    }
    for call in ["forName", "loadClass", "getBundle"] {
        for at in one.words(call) {
            let open = at + call.len();
            if !one.text[open..].starts_with('(') {
                continue;
            }
            let argument = &one.text[open..close_bracket(&one.text, open)];
            let fits = |part: &str| {
                let part = part.rsplit(['.', '$']).next().unwrap_or("");
                part.len() >= 3 && part != old && (old.ends_with(part) || old.starts_with(part))
            };
            if argument.contains('+') && argument.split('"').skip(1).step_by(2).any(fits) {
                places.push(one.place(at, call.len()));
            }
        }
    }
    places
}
