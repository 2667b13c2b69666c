//! Symbols in `native`'s answers: as text, one per line, grouped by file; or as JSON. Invariant: the answer
//! keeps to the limit, and its last line (or last fields) says what was left out.

use serde_json::{Value, json};

use super::answer::{Footer, Format};
use super::files::counted;
use super::server_tools::{note_reading, reading_json};
use super::tree;
use symd_ops::find_symbol::{FindSymbol, FoundSymbols};
use symd_ops::outline::FileOutline;
use symd_ops::symbol::Symbol;
use symd_syntax::SymbolKind;

/// The maximum number of symbols shown with signatures, which in a longer list cost more than they tell. With
/// them, an answer is half as long as the serena contract's JSON, without them a third.
const MAX_WITH_SIGNATURES: usize = 40;

/// The maximum number of characters of a signature in a list.
const SIGNATURE_CHARS: usize = 100;

/// The maximum number of symbols shown that have the name but do not match.
const MAX_KEPT_OUT: usize = 5;

/// The length in characters at which a line shared by several symbols ends, with the first symbol that passes
/// it.
const SHARED_LINE_CHARS: usize = 100;

/// The minimum number of symbols with one signature, and the minimum of saved characters, for which it is
/// written once.
const MANY_ALIKE: usize = 3;
const WORTH_ONCE: usize = 30;

/// The estimated characters of a line besides paths, names and bodies: line numbers, kind, separators.
const LINE_OVERHEAD: usize = 24;

/// Formats the outline of a file as text.
pub(super) fn outline_text(found: &FileOutline, limit: usize) -> String {
    let signatures = Signatures::for_count(found.symbols.iter().map(count).sum());
    let mut lines = Vec::new();
    siblings_lines(&found.symbols, 1, signatures, &mut lines);
    let total: usize = lines.iter().map(|line| line.symbols).sum();
    let mut text = found.path.to_string();
    let mut chars = text.chars().count();
    let mut shown = 0;
    for line in &lines {
        chars += line.text.chars().count() + 1;
        if chars > limit && shown > 0 {
            break;
        }
        text.push('\n');
        text.push_str(&line.text);
        shown += line.symbols;
    }
    let mut footer = Footer::new(counted(total, "symbol", "symbols"));
    footer.add_note(format!("file revision {}", found.hash.short()));
    signatures.tell(&mut footer);
    if found.has_errors {
        footer.add_incomplete("the file has syntax errors, symbols may be missing".to_owned());
    }
    if shown < total {
        footer.add_incomplete(format!(
            "the first {shown} shown; give a smaller depth, use find_symbol for a part, or raise limit (now {limit})"
        ));
    }
    format!("{text}\n{footer}")
}

/// Formats the outline of a file as JSON.
pub(super) fn outline_json(found: &FileOutline, limit: usize) -> String {
    let mut left = limit;
    let symbols: Vec<Value> = found.symbols.iter().map(symbol_json).collect();
    let fitting =
        symbols.iter().take_while(|symbol| fits(symbol.to_string().chars().count() + 1, &mut left)).count();
    let shown = &symbols[..fitting.max(1).min(symbols.len())];
    let left_out = symbols.len() - shown.len();
    json!({
        "path": found.path.as_str(), "file_revision": found.hash.short(), "has_errors": found.has_errors,
        "symbols": shown, "left_out": left_out,
        "revision": found.revision, "source": "syntax", "complete": !found.has_errors && left_out == 0,
    })
    .to_string()
}

/// Formats the result of `find_symbol` as text.
pub(super) fn found_text<'a>(
    ask: &FindSymbol,
    found: &'a FoundSymbols,
    missing: Vec<String>,
    limit: usize,
) -> String {
    let total = found.symbols.len();
    let shown = best_that_fit(ask, found, limit, &cost);
    let style = Style::of(&shown);
    let by_file: Vec<&[&Symbol]> = shown.chunk_by(|a, b| a.path == b.path).collect();
    let mut lines = Vec::new();
    if let Some(name) = style.shared_name {
        lines.push(format!("… is {name}"));
    }
    lines.extend(style.shared_signature.as_deref().map(of_each_line));
    let leaf = &mut |of_file: &[&Symbol], depth: usize, file: &str, lines: &mut Vec<String>| {
        file_lines(of_file, depth, file, &style, lines);
    };
    tree::write(&by_file, &|of_file: &[&'a Symbol]| of_file[0].path.as_str(), leaf, (0, 0), &mut lines);
    let mut footer = Footer::new(counted(total, "symbol", "symbols"));
    note_reading(found.read_as.as_ref(), &mut footer);
    style.signatures.tell(&mut footer);
    if shown.len() < total {
        footer.add_incomplete(format!(
            "{} of {total} shown; narrow with path, kinds or a longer name path, or raise limit (now {limit})",
            shown.len()
        ));
    }
    let mut text = lines.join("\n");
    if truncate(&mut text, limit) {
        footer.add_incomplete(format!(
            "cut at {limit} characters; give a smaller depth, leave out bodies, or raise limit"
        ));
    }
    missing.into_iter().for_each(|why| footer.add_incomplete(why));
    format!("{text}\n{footer}")
}

/// Truncates `text` to `limit` characters, at the end of a line where there is one; returns whether it was
/// longer.
pub(super) fn truncate(text: &mut String, limit: usize) -> bool {
    let Some((end, _)) = text.char_indices().nth(limit) else { return false };
    let end = text[..end].rfind('\n').unwrap_or(end);
    text.truncate(end);
    true
}

/// Formats the symbols of one file. A single symbol is put on the file's line. In a long list, shared
/// prefixes of name paths are written once.
fn file_lines(symbols: &[&Symbol], depth: usize, file: &str, style: &Style, lines: &mut Vec<String>) {
    let indent = " ".repeat(depth);
    let is_plain = |symbol: &Symbol| symbol.body.is_none() && symbol.children.is_empty();
    if let [only] = symbols
        && is_plain(only)
    {
        lines.push(format!(
            "{indent}{file}:{}",
            line(only, &style.name_path(&only.name_path), style.signatures)
        ));
        return;
    }
    lines.push(format!("{indent}{file}"));
    if style.signatures == Signatures::LeftOut && symbols.iter().all(|symbol| is_plain(symbol)) {
        let leaf = &mut |symbol: &Symbol, depth: usize, rest: &str, lines: &mut Vec<String>| {
            let text = line(symbol, &style.name_path(rest), style.signatures);
            lines.push(format!("{}{text}", " ".repeat(depth)));
        };
        tree::write(symbols, &|symbol: &Symbol| &*symbol.name_path, leaf, (0, depth + 1), lines);
        return;
    }
    for symbol in symbols {
        let mut tree = Vec::new();
        tree_lines(symbol, depth + 1, &symbol.name_path, style.signatures, &mut tree);
        lines.extend(tree.into_iter().map(|line| line.text));
        lines.extend(symbol.body.as_ref().map(|body| format!("{}{body}", symbol.indent)));
    }
}

/// The style of a list of symbols.
struct Style<'a> {
    signatures: Signatures,
    /// In a long list, the name that all symbols have; `…` replaces it.
    shared_name: Option<&'a str>,
    /// The signature that all symbols have, where it is written once.
    shared_signature: Option<String>,
}

impl<'a> Style<'a> {
    fn of(shown: &[&'a Symbol]) -> Style<'a> {
        let signatures = Signatures::for_count(shown.iter().copied().map(count).sum());
        let first = shown.first().map_or("", |symbol| &symbol.name);
        let is_shared = first.len() > 1 && shown.iter().all(|symbol| symbol.name == *first);
        let is_plain = shown.iter().all(|symbol| symbol.body.is_none() && symbol.children.is_empty());
        let is_told = signatures == Signatures::Shown;
        let shared_signature = shared_signature(shown).filter(|_| is_told && is_plain);
        Style {
            signatures: if shared_signature.is_some() { Signatures::Once } else { signatures },
            shared_name: (signatures == Signatures::LeftOut && is_shared).then_some(first),
            shared_signature,
        }
    }

    fn name_path(&self, name_path: &str) -> String {
        let parents = self.shared_name.and_then(|name| name_path.strip_suffix(name));
        parents.map_or_else(|| name_path.to_owned(), |parents| format!("{parents}…"))
    }
}

/// Returns the signature that all the symbols have, if they are several and writing it once is shorter.
pub(super) fn shared_signature(symbols: &[&Symbol]) -> Option<String> {
    let behind = |symbol: &&Symbol| {
        let signature = symbol.signature.as_ref().map(|signature| signature.truncated_to(SIGNATURE_CHARS));
        signature.unwrap_or_default()
    };
    let first = symbols.first().map(behind)?;
    let saved = first.chars().count() * symbols.len().saturating_sub(1);
    let is_shared = symbols.len() >= MANY_ALIKE && saved >= WORTH_ONCE;
    (is_shared && symbols.iter().all(|symbol| behind(symbol) == first)).then_some(first)
}

/// Formats a shared signature: `signature of each: (self, key)`.
pub(super) fn of_each_line(signature: &str) -> String {
    format!("signature of each: {}", signature.trim_start())
}

/// Formats the result of `find_symbol` as JSON.
pub(super) fn found_json(ask: &FindSymbol, found: &FoundSymbols, missing: &[String], limit: usize) -> String {
    let as_json = |symbol: &Symbol| symbol_json(symbol).to_string().chars().count() + 1;
    let shown = best_that_fit(ask, found, limit, &as_json);
    let left_out = found.symbols.len() - shown.len();
    let symbols: Vec<Value> = shown.into_iter().map(symbol_json).collect();
    let mut object = json!({
        "symbols": symbols, "left_out": left_out,
        "revision": found.revision, "source": "syntax", "complete": left_out == 0 && missing.is_empty(),
    });
    reading_json(found.read_as.as_ref(), &mut object);
    if !missing.is_empty() {
        object["notes"] = json!(missing);
    }
    object.to_string()
}

/// Formats an empty result with near misses: symbols with that name elsewhere, else similar names.
pub(super) fn nothing_found(kept_out: &[Symbol], similar: &SimilarNames, missing: Vec<String>) -> String {
    let mut text = "No symbols match.".to_owned();
    if !kept_out.is_empty() {
        text.push_str(" Symbols with this name elsewhere:");
        for symbol in kept_out.iter().take(MAX_KEPT_OUT) {
            text.push_str(&format!(
                "\n{}:{}",
                symbol.path,
                line(symbol, &symbol.name_path, Signatures::LeftOut)
            ));
        }
        if let more @ 1.. = kept_out.len().saturating_sub(MAX_KEPT_OUT) {
            text.push_str(&format!("\n… and {more} more"));
        }
    }
    if !similar.names.is_empty() {
        text.push_str(&format!(" Similar names: {}", similar.names.join(", ")));
    }
    if kept_out.is_empty() && similar.may_lack {
        text.push_str(if similar.names.is_empty() { " Similar names" } else { "; others" });
        text.push_str(" are not known before all files are read.");
    }
    let mut footer = Footer::new("0 symbols".to_owned());
    missing.into_iter().for_each(|why| footer.add_incomplete(why));
    format!("{text}\n{footer}")
}

/// Names similar to one that was not found.
#[derive(Debug, Default)]
pub(super) struct SimilarNames {
    pub(super) names: Vec<String>,
    /// Whether files are still being read that may hold others.
    pub(super) may_lack: bool,
}

/// Returns all symbols, or, if they would not fit, the best of them in path order: exact names before parts
/// of names, shallow before deep. At least one, whatever its size: an empty answer is useless.
fn best_that_fit<'a>(
    ask: &FindSymbol,
    found: &'a FoundSymbols,
    limit: usize,
    cost: &dyn Fn(&Symbol) -> usize,
) -> Vec<&'a Symbol> {
    let mut ranked: Vec<(usize, &Symbol)> = found.symbols.iter().enumerate().collect();
    if found.symbols.iter().map(cost).sum::<usize>() > limit {
        let is_exact = |symbol: &Symbol| symbol.name.split('[').next() == Some(ask.query.pattern.last_name());
        ranked.sort_by_key(|(at, symbol)| (!is_exact(symbol), symbol.name_path.matches('/').count(), *at));
        let mut left = limit;
        let fitting = ranked.iter().take_while(|(_, symbol)| fits(cost(symbol), &mut left)).count();
        ranked.truncate(fitting.max(1));
        ranked.sort_by_key(|&(at, _)| at);
    }
    ranked.into_iter().map(|(_, symbol)| symbol).collect()
}

/// Subtracts `cost` from what is left; returns whether there was enough.
fn fits(cost: usize, left: &mut usize) -> bool {
    let rest = left.checked_sub(cost);
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// Estimates the number of characters that the symbol takes.
fn cost(symbol: &Symbol) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    symbol.path.as_str().len()
        + symbol.name_path.len()
        + symbol.signature.as_ref().map_or(0, |signature| signature.truncated_to(SIGNATURE_CHARS).len())
        + optional(&symbol.body)
        + LINE_OVERHEAD
        + symbol.children.iter().map(cost).sum::<usize>()
}

/// Returns the maximum number of symbols that an answer in this format shows with signatures.
pub(super) fn with_signatures(format: Format) -> usize {
    match format {
        Format::Text => MAX_WITH_SIGNATURES,
        Format::Json => usize::MAX,
    }
}

/// Whether signatures are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signatures {
    Shown,
    /// One signature is shown above all symbols.
    Once,
    LeftOut,
}

impl Signatures {
    fn for_count(symbols: usize) -> Signatures {
        if symbols <= MAX_WITH_SIGNATURES { Signatures::Shown } else { Signatures::LeftOut }
    }

    fn tell(self, footer: &mut Footer) {
        if self == Signatures::LeftOut {
            footer.add_note(format!("no signatures over {MAX_WITH_SIGNATURES} symbols"));
        }
    }
}

fn count(symbol: &Symbol) -> usize {
    1 + symbol.children.iter().map(count).sum::<usize>()
}

/// A line of a tree, with the number of symbols that it shows.
struct TreeLine {
    text: String,
    symbols: usize,
}

fn tree_lines(symbol: &Symbol, depth: usize, name: &str, signatures: Signatures, lines: &mut Vec<TreeLine>) {
    let text = format!("{}{}", " ".repeat(depth), line(symbol, name, signatures));
    lines.push(TreeLine { text, symbols: 1 });
    siblings_lines(&symbol.children, depth + 1, signatures, lines);
}

/// Formats one symbol per line. In a long list, those of one kind without members share lines: `property
/// parent 31, children 42-44`.
fn siblings_lines(symbols: &[Symbol], depth: usize, signatures: Signatures, lines: &mut Vec<TreeLine>) {
    let is_short = |symbol: &Symbol| {
        signatures == Signatures::LeftOut && symbol.body.is_none() && symbol.children.is_empty()
    };
    for alike in symbols.chunk_by(|a, b| is_short(a) && is_short(b) && a.kind == b.kind) {
        if let [only] = alike {
            tree_lines(only, depth, &only.name, signatures, lines);
            continue;
        }
        let head = format!("{}{}", " ".repeat(depth), short_word(alike[0].kind));
        let mut shared = TreeLine { text: head.clone(), symbols: 0 };
        for symbol in alike {
            if shared.text.chars().count() > SHARED_LINE_CHARS {
                lines.push(std::mem::replace(&mut shared, TreeLine { text: head.clone(), symbols: 0 }));
            }
            let comma = if shared.symbols == 0 { "" } else { "," };
            shared.text.push_str(&format!("{comma} {} {}", symbol.name, lines_of(symbol)));
            shared.symbols += 1;
        }
        lines.push(shared);
    }
}

/// Formats the lines of a symbol: `12-40`, 1-based, inclusive.
fn lines_of(symbol: &Symbol) -> String {
    let (start, end) = (symbol.start_line + 1, symbol.end_line + 1);
    if start == end { start.to_string() } else { format!("{start}-{end}") }
}

/// Formats a symbol as `12-40 class Name(Base)`: lines (1-based, inclusive), kind, name, signature. A
/// receiver precedes the name: `3 function (List<T>) second(): T`.
pub(super) fn line(symbol: &Symbol, name: &str, signatures: Signatures) -> String {
    let lines = lines_of(symbol);
    // A body begins with the signature.
    let is_told = signatures != Signatures::LeftOut && symbol.body.is_none();
    let signature = symbol.signature.as_ref().filter(|_| is_told);
    let receiver = signature.map(|signature| &*signature.receiver).filter(|receiver| !receiver.is_empty());
    let receiver = receiver.map_or_else(String::new, |receiver| format!("({receiver}) "));
    let behind = signature.filter(|_| signatures == Signatures::Shown);
    let behind = behind.map_or_else(String::new, |signature| signature.truncated_to(SIGNATURE_CHARS));
    // `self.path = path` tells no more than the name.
    let behind = if behind.strip_prefix(" = ") == Some(name) { String::new() } else { behind };
    format!("{lines} {} {receiver}{name}{behind}", short_word(symbol.kind))
}

/// Returns the kind as programmers abbreviate it; JSON answers have the full words.
pub(super) fn short_word(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Variable => "var",
        SymbolKind::Constant => "const",
        SymbolKind::EnumMember => "member",
        other => other.word(),
    }
}

fn symbol_json(symbol: &Symbol) -> Value {
    let mut object = json!({
        "name_path": symbol.name_path,
        "path": symbol.path.as_str(),
        "kind": symbol.kind.word(),
        "start_line": symbol.start_line + 1,
        "end_line": symbol.end_line + 1,
    });
    if let Some(signature) = &symbol.signature {
        object["signature"] = json!(signature.full());
        if !signature.receiver.is_empty() {
            object["receiver"] = json!(signature.receiver);
        }
    }
    if let Some(body) = &symbol.body {
        object["body"] = json!(body);
    }
    if !symbol.children.is_empty() {
        object["children"] = symbol.children.iter().map(symbol_json).collect();
    }
    object
}
