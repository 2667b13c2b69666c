//! Interprets names that are not name paths: `Flask.run`, `flask.app.Flask`, `Crawler::crawl`, `Flask/run()`,
//! `Account/create` in the companion of `Account`, `ApplicationCall/respondText`. Only used if the literal reading finds nothing. Invariant: the first kind
//! of reading that matches any symbol is used, with all symbols that it matches.

use super::entity_rules::EntityRules;
use super::qualified::{modules, receiver, without_arguments, words, words_above};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_engine::View;
use symd_index::{Hit, Query};
use symd_resolve as resolve;
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;

/// Maximum number of name paths that the description of a reading lists.
const NAMED: usize = 3;

/// An interpreted name.
#[derive(Clone, Debug)]
pub(crate) struct Interpretation {
    /// The matching symbols, in path order, then by position; never empty.
    pub(crate) hits: Vec<Hit>,
    /// A description of the reading.
    pub(crate) meaning: String,
    /// Whether the text is a name path in which a type stands for its `impl` (Rust), for the receiver of its method (Go), or for
    /// its companion (Kotlin): `Shop/open` for `impl Shop/open`, for `func (s *Shop) open()`, or for `Shop/Companion/open`.
    pub(crate) is_of_type: bool,
}

/// Kinds of reading, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadingKind {
    /// The types and namespaces around the symbol, with any separator.
    Around,
    /// The types around the symbol, without the companions among them: code reaches their members by the name of the class.
    PastCompanions,
    /// The receiver of an extension, or of a method that is declared outside its type.
    Receiver,
    /// The module, then the whole name path.
    Module,
    /// A package above the file, then the whole name path: names are exported from other modules.
    Package,
}

/// Reads `text`, which matches nothing as a name path, in another way; returns `None` if no reading matches.
/// The pattern of `query` is ignored.
pub(crate) fn interpret(
    view: &View,
    query: &Query,
    text: &str,
    cancel: &Cancel,
) -> Result<Option<Interpretation>, Cancelled> {
    let Some(spelling) = Spelling::read(text) else { return Ok(None) };
    let Some((last, above)) = spelling.words.split_last() else { return Ok(None) };
    let Ok(pattern) = NamePattern::parse(last, Matching::Exact) else { return Ok(None) };
    let mut candidates = view.snapshot.find(&Query { pattern, ..query.clone() }, cancel)?;
    candidates.retain(|hit| spelling.has_index(hit));
    for sense in [
        ReadingKind::Around,
        ReadingKind::PastCompanions,
        ReadingKind::Receiver,
        ReadingKind::Module,
        ReadingKind::Package,
    ] {
        let mut hits = Vec::new();
        for hit in &candidates {
            cancel.check()?;
            if fits(view, hit, above, spelling.is_anchored, sense) {
                hits.push(hit.clone());
            }
        }
        if !hits.is_empty() {
            let meaning = account(view, &hits, sense);
            let is_path = !text.contains(['.', '#', '(', '<']) && !text.contains("::");
            let is_of_type = is_path
                && match sense {
                    ReadingKind::Around => hits.iter().all(is_in_impl),
                    ReadingKind::PastCompanions => true,
                    ReadingKind::Receiver => hits.iter().all(is_method_outside),
                    ReadingKind::Module | ReadingKind::Package => false,
                };
            return Ok(Some(Interpretation { hits, meaning, is_of_type }));
        }
    }
    Ok(None)
}

/// Whether the symbol is declared in a Rust `impl`: only there a name begins so.
fn is_in_impl(hit: &Hit) -> bool {
    let parent = hit.file.outline().and_then(|outline| {
        let parent = outline.rows.get(hit.row)?.parent()?;
        Some(outline.name(outline.rows.get(parent)?).starts_with("impl "))
    });
    parent == Some(true)
}

/// Whether the symbol's receiver is the type that it is a method of.
fn is_method_outside(hit: &Hit) -> bool {
    EntityRules::of(&hit.file).has_methods_outside
}

fn fits(view: &View, hit: &Hit, above: &[String], is_anchored: bool, sense: ReadingKind) -> bool {
    let Some(outline) = hit.file.outline() else { return false };
    let own = words_above(outline, hit.row);
    match sense {
        ReadingKind::Around if is_anchored => own == above,
        ReadingKind::Around => own.ends_with(above),
        ReadingKind::PastCompanions => {
            let reached = words_past_companions(view, hit);
            !above.is_empty()
                && reached.len() < own.len()
                && if is_anchored { reached == above } else { reached.ends_with(above) }
        }
        ReadingKind::Receiver => {
            let receiver = receiver(view, &hit.file, hit.row);
            !receiver.is_empty() && !above.is_empty() && {
                let whole = [own, receiver].concat();
                whole.ends_with(above) || above.ends_with(&whole)
            }
        }
        ReadingKind::Module => above.strip_suffix(&*own).is_some_and(|module| {
            !module.is_empty() && modules(&hit.file).iter().any(|path| path.ends_with(module))
        }),
        ReadingKind::Package => above.strip_suffix(&*own).is_some_and(|package| {
            let directories = modules(&hit.file).pop().unwrap_or_default();
            !package.is_empty() && directories.windows(package.len()).any(|run| run == package)
        }),
    }
}

/// Returns the words above a symbol without those of Kotlin's companions.
fn words_past_companions(view: &View, hit: &Hit) -> Vec<String> {
    let Some(outline) = hit.file.outline() else { return Vec::new() };
    let mut above = Vec::new();
    let mut at = outline.rows.get(hit.row).and_then(|row| row.parent());
    while let Some(row) = at {
        let around = resolve::IndexedDeclaration { file: hit.file.clone(), row };
        if !resolve::is_companion(view, &around) {
            above.splice(0..0, words(outline.name(&outline.rows[row])));
        }
        at = outline.rows[row].parent();
    }
    above
}

/// Describes a reading: `Flask/run`, `respondText of ApplicationCall`, `Flask in src/flask/app.py`.
fn account(view: &View, hits: &[Hit], sense: ReadingKind) -> String {
    let mut all: Vec<String> = Vec::new();
    for hit in hits {
        let Some(outline) = hit.file.outline() else { continue };
        let row = &outline.rows[hit.row];
        let path = outline.name_path(hit.row);
        // Overloads of one name share a description.
        let name = if row.index > 0 { path.rsplit_once('[').map_or(&*path, |(name, _)| name) } else { &path };
        let meaning = match sense {
            ReadingKind::Around | ReadingKind::PastCompanions => name.to_owned(),
            ReadingKind::Receiver => {
                format!("{name} of {}", receiver(view, &hit.file, hit.row).join("."))
            }
            ReadingKind::Module | ReadingKind::Package => format!("{name} in {}", hit.file.path),
        };
        if !all.contains(&meaning) {
            all.push(meaning);
        }
    }
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    let named = all.join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// A name, split into words.
#[derive(Debug, PartialEq, Eq)]
struct Spelling {
    words: Vec<String>,
    /// The index after the last word.
    index: Option<u16>,
    is_anchored: bool,
}

impl Spelling {
    /// Returns `None` if the text holds no word.
    fn read(text: &str) -> Option<Spelling> {
        let called = text.trim();
        let (is_anchored, bare) = match called.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, called),
        };
        let bare = without_call(bare);
        let (bare, index) = with_index(bare);
        let bare = without_arguments(bare);
        let plain = bare.replace("::", "/").replace("->", "/").replace(['.', '#'], "/");
        let word = |word: &str| word.trim().trim_matches('`').to_owned();
        let mut words: Vec<String> = plain.split('/').map(word).filter(|word| !word.is_empty()).collect();
        if words.len() > 1 && words[0] == "crate" {
            words.remove(0);
        }
        Some(Spelling { words, index, is_anchored }).filter(|spelling| !spelling.words.is_empty())
    }

    fn has_index(&self, hit: &Hit) -> bool {
        let index = hit.file.outline().and_then(|outline| outline.rows.get(hit.row)).map(|row| row.index);
        self.index.is_none_or(|wanted| index.is_some_and(|index| index.saturating_sub(1) == wanted))
    }
}

/// Removes the arguments of a call: `Flask/run(self, host)` becomes `Flask/run`.
fn without_call(text: &str) -> &str {
    if !text.ends_with(')') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    return text[..at].trim_end();
                }
            }
            _ => {}
        }
    }
    text
}

/// Splits off an index: `run[1]` becomes `run` and 1.
fn with_index(text: &str) -> (&str, Option<u16>) {
    let split = text.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match split.and_then(|(name, digits)| Some((name, digits.parse().ok()?))) {
        Some((name, index)) => (name, Some(index)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_at_whatever_separates_them() {
        let cases: &[(&str, &[&str], Option<u16>)] = &[
            ("Flask.run", &["Flask", "run"], None),
            ("flask.app.Flask", &["flask", "app", "Flask"], None),
            ("Crawler::crawl", &["Crawler", "crawl"], None),
            ("crate::shop::Shop<T>::open", &["shop", "Shop", "open"], None),
            ("Flask/run()", &["Flask", "run"], None),
            ("Flask.run(self, f(1))", &["Flask", "run"], None),
            ("Shop#size[1]", &["Shop", "size"], Some(1)),
            ("run(a", &["run(a"], None),
            ("operator<", &["operator<"], None),
        ];
        for (text, words, index) in cases {
            let spelling = Spelling::read(text).expect(text);
            assert_eq!(
                (spelling.words.iter().map(String::as_str).collect::<Vec<_>>(), spelling.index),
                (words.to_vec(), *index),
                "{text}"
            );
        }
        assert_eq!(Spelling::read("..."), None);
        assert_eq!(Spelling::read("()"), None);
        assert!(Spelling::read("/Flask.run").is_some_and(|spelling| spelling.is_anchored));
    }
}
