//! Text → outline: parses, walks the tree once for identifiers and runs the grammar's query at the nodes where its matches
//! begin, and lets `scopes` build rows from the matches. This is on the cold-start path of every file, so parser, cursors and
//! buffers are kept per thread. Invariant: no recursion over the tree, so a nesting depth of 10,000 costs
//! memory, not stack.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, StreamingIterator, Tree};

use super::cpp_macros;
use super::grammar::{Compiled, Grammar};
use super::imports::{self, Draft, ImportCoverage};
use super::index_writes;
use super::items::{Item, item, offset, unquoted};
use super::object_arguments;
use super::occurrences::PackedOccurrence;
use super::open_texts::{ends_in_comment, ends_with_its_line};
use super::outline::{Occurrences, Outline};
use super::roles::QueryError;
use super::scopes::{HiddenRows, Listed, Scopes};
use super::swallowed_functions;
use super::templates;
use super::text_rules::NamesInStrings;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// Maximum number of matches in progress that begin at one node. Beyond it tree-sitter drops the oldest, as of an `export` of ten
/// thousand names; without the limit such a file would take minutes. The outline says that it lacks something.
const MATCH_LIMIT: u32 = 8192;

/// The identifier walk checks the cancel flag once per this many nodes.
const NODES_BETWEEN_CHECKS: u32 = 4096;

/// How often a text is parsed again for its objects, in lengths of the text: those that are nested deeper are not listed.
const MAX_READ_AGAIN: usize = 8;

/// Reasons why there is no outline.
#[derive(Debug, thiserror::Error)]
pub enum OutlineError {
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The text is too large: offsets have 32 bits.
    #[error("the file is larger than 4 GiB and is not parsed")]
    TooLarge,
    /// The query does not load: a bug in this binary that the user should report.
    #[error("the query of this grammar does not load: {0}")]
    Query(&'static QueryError),
    /// The grammar has a version that this tree-sitter cannot run: a bug in this binary.
    #[error("grammar {0} does not fit this tree-sitter: {1}")]
    Version(&'static str, tree_sitter::LanguageError),
}

impl From<Cancelled> for OutlineError {
    fn from(_: Cancelled) -> OutlineError {
        OutlineError::Cancelled
    }
}

/// State that a thread keeps between two files.
struct Extractor {
    parser: Parser,
    loaded: Option<Grammar>,
    cursor: QueryCursor,
    items: Vec<Item>,
    /// The composed names of `items`.
    composed: String,
    seen: Vec<PackedOccurrence>,
    imports: Vec<Draft>,
    /// Whether tree-sitter dropped matches of the last text.
    has_lost_matches: bool,
    /// What the last parse left out of its text, by byte ranges.
    macros: Vec<Range<usize>>,
    /// The objects of the last text that the grammar did not read as a whole.
    objects: Vec<Range<usize>>,
    /// Whether a string of the last text is not closed where the language ends it.
    has_open_string: bool,
    parsed: ParseCounters,
}

thread_local! {
    static WORKER: RefCell<Extractor> = RefCell::new(Extractor {
        parser: Parser::new(),
        loaded: None,
        cursor: QueryCursor::new(),
        items: Vec::new(),
        composed: String::new(),
        seen: Vec::new(),
        imports: Vec::new(),
        has_lost_matches: false,
        macros: Vec::new(),
        objects: Vec::new(),
        has_open_string: false,
        parsed: ParseCounters { texts: 0, bytes: 0 },
    });
}

/// Counters of what a thread has parsed so far, for tests and measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseCounters {
    pub texts: u64,
    pub bytes: u64,
}

impl ParseCounters {
    /// Returns the counters of the calling thread.
    pub fn of_this_thread() -> ParseCounters {
        WORKER.with_borrow(|worker| worker.parsed)
    }

    /// Returns the difference between the calling thread's counters now and `self`.
    pub fn since(self) -> ParseCounters {
        let now = ParseCounters::of_this_thread();
        ParseCounters { texts: now.texts - self.texts, bytes: now.bytes - self.bytes }
    }
}

/// Returns the outline of `text`. Text that does not parse in `grammar`'s language is skipped, see
/// [`Outline::has_errors`]. Stops soon after `cancel` is raised.
pub fn outline(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<Outline, OutlineError> {
    Ok(outline_with(grammar, text, cancel, |_| ())?.0)
}

/// Returns the outline of `text`, and the result of `look` on the tree from which it was built. Offsets are
/// those of `text`.
pub(super) fn outline_with<T>(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
    look: impl FnOnce(&Tree) -> T,
) -> Result<(Outline, T), OutlineError> {
    if u32::try_from(text.len()).is_err() {
        return Err(OutlineError::TooLarge);
    }
    let compiled = grammar.compiled().map_err(OutlineError::Query)?;
    let (outline, tree) = WORKER.with_borrow_mut(|worker| worker.outline(grammar, compiled, text, cancel))?;
    Ok((outline, look(&tree)))
}

/// Returns the outline of `text` with additional rows for the types that it hides (those in function bodies and those
/// without a name) and for their members. These types are flagged as local; their members are not.
pub fn outline_with_hidden_types(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
) -> Result<Outline, OutlineError> {
    outline_with_hidden(grammar, text, HiddenRows::Types, cancel)
}

/// Like [`outline_with_hidden_types`], with rows for the functions in bodies, too; they are flagged as local. Functions without a
/// name are none.
pub fn outline_with_hidden_functions(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
) -> Result<Outline, OutlineError> {
    outline_with_hidden(grammar, text, HiddenRows::TypesAndFunctions, cancel)
}

fn outline_with_hidden(
    grammar: Grammar,
    text: &str,
    hidden: HiddenRows,
    cancel: &Cancel,
) -> Result<Outline, OutlineError> {
    if u32::try_from(text.len()).is_err() {
        return Err(OutlineError::TooLarge);
    }
    let compiled = grammar.compiled().map_err(OutlineError::Query)?;
    let (outline, listed) = WORKER.with_borrow_mut(|worker| {
        let (outline, _) = worker.outline(grammar, compiled, text, cancel)?;
        Ok::<_, OutlineError>((outline, worker.rows(compiled, &with_line_feeds(text), hidden)))
    })?;
    Ok(Outline { rows: listed.rows, names: listed.names, ..outline })
}

/// Returns the result of `look` on the tree of `text`, for queries that the outline does not answer. Offsets
/// are those of `text`.
pub(super) fn with_tree<T>(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
    look: impl FnOnce(&Tree) -> T,
) -> Result<T, OutlineError> {
    if u32::try_from(text.len()).is_err() {
        return Err(OutlineError::TooLarge);
    }
    let compiled = grammar.compiled().map_err(OutlineError::Query)?;
    cancel.check()?;
    let tree =
        WORKER.with_borrow_mut(|worker| worker.parse(grammar, compiled, &with_line_feeds(text), cancel))?;
    Ok(look(&tree))
}

/// Parses a part of a text alone, and returns the result of `look` on its tree.
pub(super) fn with_tree_of_part<T>(
    grammar: Grammar,
    text: &str,
    part: &Range<usize>,
    cancel: &Cancel,
    look: impl FnOnce(&Tree) -> T,
) -> Result<T, OutlineError> {
    let compiled = grammar.compiled().map_err(OutlineError::Query)?;
    let text = &*with_line_feeds(text);
    let tree =
        WORKER.with_borrow_mut(|worker| worker.parse_part(grammar, compiled, text, Some(part), cancel))?;
    Ok(look(&tree))
}

impl Extractor {
    fn outline(
        &mut self,
        grammar: Grammar,
        compiled: &Compiled,
        text: &str,
        cancel: &Cancel,
    ) -> Result<(Outline, Tree), OutlineError> {
        cancel.check()?;
        let text = &*with_line_feeds(text);
        let tree = self.parse(grammar, compiled, text, cancel)?;
        self.walk(grammar, compiled, &tree, text, cancel)?;
        let mut has_errors = tree.root_node().has_error();
        let mut taken = 0;
        let mut left = text.len().saturating_mul(MAX_READ_AGAIN);
        // An object may hold others, which are found in its own tree.
        while let Some(bytes) = self.objects.get(taken).cloned() {
            taken += 1;
            let Some(rest) = left.checked_sub(bytes.len()) else {
                has_errors = true;
                break;
            };
            left = rest;
            has_errors |= self.take_object(grammar, compiled, text, &bytes, cancel)?;
        }
        // The same string can occur in two nodes that are visited.
        self.seen.sort_unstable();
        self.seen.dedup();
        let Listed { rows, names, hides_types } = self.rows(compiled, text, HiddenRows::LeftOut);
        let (imports, all_imports) = imports::build(&mut self.imports);
        let outline = Outline {
            rows,
            names,
            occurrences: Occurrences::build(&mut self.seen),
            imports,
            // Omitted imports and matches count as text that was not understood.
            has_errors: has_errors
                || self.has_lost_matches
                || all_imports == ImportCoverage::Truncated
                || ends_in_comment(&tree, text)
                || self.has_open_string,
            hides_types,
        };
        Ok((outline, tree))
    }

    fn parse(
        &mut self,
        grammar: Grammar,
        compiled: &Compiled,
        text: &str,
        cancel: &Cancel,
    ) -> Result<Tree, OutlineError> {
        self.parse_part(grammar, compiled, text, None, cancel)
    }

    /// Parses a text, or only a part of it. Offsets are those of the text.
    fn parse_part(
        &mut self,
        grammar: Grammar,
        compiled: &Compiled,
        text: &str,
        part: Option<&Range<usize>>,
        cancel: &Cancel,
    ) -> Result<Tree, OutlineError> {
        if self.loaded != Some(grammar) {
            let refused = |error| OutlineError::Version(grammar.name(), error);
            self.parser.set_language(&compiled.language).map_err(refused)?;
            self.loaded = Some(grammar);
        }
        self.macros = if grammar.rules().has_head_macros { cpp_macros::macros(text) } else { Vec::new() };
        let mut bytes = cpp_macros::masked(text, &self.macros);
        let part = part.map(|part| range_of(text, part));
        let mut tree = self.parse_bytes(&bytes, part, cancel)?;
        for _ in 0..swallowed_functions::MAX_PASSES {
            let ends = match compiled.infix_call {
                0 => Vec::new(),
                infix => swallowed_functions::missing_ends(&tree, &bytes, infix),
            };
            if ends.is_empty() {
                break;
            }
            ends.into_iter().for_each(|end| bytes.to_mut()[end] = b';');
            tree = self.parse_bytes(&bytes, part, cancel)?;
        }
        Ok(tree)
    }

    /// Parses all bytes, or a part of them, with the language that is loaded.
    fn parse_bytes(
        &mut self,
        bytes: &[u8],
        part: Option<tree_sitter::Range>,
        cancel: &Cancel,
    ) -> Result<Tree, OutlineError> {
        self.parsed.texts += 1;
        self.parsed.bytes += u64::from(offset(bytes.len()));
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or(&[]);
        let mut progress = |_: &tree_sitter::ParseState| stop_if(cancel);
        let options = ParseOptions::new().progress_callback(&mut progress);
        // No range is the whole text. Ranges in a wrong order are refused: there is one.
        let _ = self.parser.set_included_ranges(part.as_slice());
        let tree = self.parser.parse_with_options(&mut read, None, Some(options));
        let _ = self.parser.set_included_ranges(&[]);
        tree.ok_or_else(|| {
            // Otherwise the next parse would resume this one where it stopped.
            self.parser.reset();
            OutlineError::Cancelled
        })
    }

    /// Returns the rows of the last text, as `text` spells it. They can be asked for again, with other types.
    fn rows(&mut self, compiled: &Compiled, text: &str, hidden: HiddenRows) -> Listed {
        Scopes::new(&compiled.roles, text, &self.composed, hidden).rows(&mut self.items)
    }

    /// Forgets the matches of the last text.
    fn begin_matches(&mut self) {
        self.items.clear();
        self.composed.clear();
        self.imports.clear();
        self.has_lost_matches = false;
        self.cursor.set_match_limit(MATCH_LIMIT);
        // The walk runs the query at each node where a match may begin.
        self.cursor.set_max_start_depth(Some(0));
    }

    /// Runs the query at a node, and adds its matches to `items` and `imports`. Stops soon after `cancel` is raised.
    fn run_query(&mut self, compiled: &Compiled, node: Node, text: &str, cancel: &Cancel) {
        let mut progress = |_: &tree_sitter::QueryCursorState| stop_if(cancel);
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut matches = self.cursor.matches_with_options(&compiled.query, node, text.as_bytes(), options);
        while let Some(found) = matches.next() {
            let symbols = &compiled.roles.by_pattern;
            match symbols.get(found.pattern_index) {
                Some(Some(role)) => self.items.extend(item(compiled, role, found, text, &mut self.composed)),
                Some(None) => {}
                None => {
                    if let Some(role) = compiled.roles.imports.get(found.pattern_index - symbols.len()) {
                        imports::draft(role, found, text, &mut self.imports);
                    }
                }
            }
        }
        self.has_lost_matches |= self.cursor.did_exceed_match_limit();
    }

    /// Replaces what was found in an object by what its own tree holds. Returns whether that has errors.
    fn take_object(
        &mut self,
        grammar: Grammar,
        compiled: &Compiled,
        text: &str,
        bytes: &Range<usize>,
        cancel: &Cancel,
    ) -> Result<bool, OutlineError> {
        let tree = self.parse_part(grammar, compiled, text, Some(bytes), cancel)?;
        let Some(object) = object_arguments::object_in(tree.root_node(), bytes) else { return Ok(true) };
        let (start, end) = (offset(bytes.start), offset(bytes.end));
        self.items.retain(|item| item.start < start || item.end > end);
        self.visit(grammar, compiled, object, text, cancel)?;
        Ok(object.has_error())
    }

    /// Records every identifier, and the names in strings, and runs the query at each node where a match may begin.
    fn walk(
        &mut self,
        grammar: Grammar,
        compiled: &Compiled,
        tree: &Tree,
        text: &str,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.begin_matches();
        self.seen.clear();
        self.objects.clear();
        self.has_open_string = false;
        let bytes = text.as_bytes();
        for range in self.macros.iter().filter(|range| cpp_macros::is_code(tree, range)) {
            for word in cpp_macros::words(text, range) {
                self.seen.push(PackedOccurrence::new(&bytes[word.clone()], offset(word.start)));
            }
        }
        self.visit(grammar, compiled, tree.root_node(), text, cancel)
    }

    fn visit(
        &mut self,
        grammar: Grammar,
        compiled: &Compiled,
        root: Node,
        text: &str,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let bytes = text.as_bytes();
        let mut cursor = root.walk();
        let mut countdown = NODES_BETWEEN_CHECKS;
        loop {
            let node = cursor.node();
            let kind = usize::from(node.kind_id());
            if compiled.match_roots.get(kind) == Some(&true) {
                self.run_query(compiled, node, text, cancel);
            }
            let mut note = |range: Range<usize>| {
                let name = bytes.get(range.clone()).unwrap_or(&[]);
                // A missing node (error recovery) is empty. Kotlin's label declarations end with `@`.
                if !name.is_empty() && !name.ends_with(b"@") {
                    self.seen.push(PackedOccurrence::new(name, offset(range.start)));
                }
            };
            if compiled.is_identifier.get(kind) == Some(&true) {
                note(unquoted(bytes, node.byte_range(), b"`"));
            } else if node.kind_id() == compiled.index_write {
                index_writes::written_variable(node).into_iter().for_each(&mut note);
            } else if compiled.is_template.get(kind) == Some(&true) {
                templates::names(grammar, node, text, &mut note);
                let literal = text.get(node.byte_range()).unwrap_or_default();
                self.has_open_string |= grammar.rules().named_in_strings == NamesInStrings::Dollars
                    && !ends_with_its_line(literal);
            }
            if node.kind_id() == compiled.object_literal
                && let Some(object) = object_arguments::whole_object(node)
                && !self.objects.contains(&object)
            {
                self.objects.push(object);
            }
            countdown -= 1;
            if countdown == 0 {
                cancel.check()?;
                countdown = NODES_BETWEEN_CHECKS;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    // The query stops early, and a small tree is walked without another look.
                    return cancel.check();
                }
            }
        }
    }
}

/// Returns the text with every lone carriage return replaced by a line feed, because grammars treat a
/// carriage return as white space. The length is the same, so offsets remain valid. Almost never copies.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    if memchr::memchr_iter(b'\r', bytes).any(is_lone) {
        let mut chars = text.chars().peekable();
        let mut fed = String::with_capacity(text.len());
        while let Some(c) = chars.next() {
            fed.push(if c == '\r' && chars.peek() != Some(&'\n') { '\n' } else { c });
        }
        return Cow::Owned(fed);
    }
    Cow::Borrowed(text)
}

/// Returns a part of a text with the rows and columns of its ends.
fn range_of(text: &str, part: &Range<usize>) -> tree_sitter::Range {
    let point = |at: usize| {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        let row = memchr::memchr_iter(b'\n', before).count();
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        tree_sitter::Point { row, column }
    };
    tree_sitter::Range {
        start_byte: part.start,
        end_byte: part.end,
        start_point: point(part.start),
        end_point: point(part.end),
    }
}

fn stop_if(cancel: &Cancel) -> ControlFlow<()> {
    if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the query finds in a text, as it is run over the whole tree, or only where its matches begin.
    fn matches_of(grammar: Grammar, text: &str, is_whole: bool) -> Vec<String> {
        let compiled = grammar.compiled().expect("compiles");
        let cancel = Cancel::new();
        WORKER.with_borrow_mut(|worker| {
            let tree = worker.parse(grammar, compiled, text, &cancel).expect("parsed");
            if is_whole {
                worker.begin_matches();
                worker.cursor.set_max_start_depth(None);
                worker.run_query(compiled, tree.root_node(), text, &cancel);
            } else {
                worker.walk(grammar, compiled, &tree, text, &cancel).expect("not cancelled");
            }
            let composed_name =
                |item: &Item| item.composed.map(|(from, to)| &worker.composed[from as usize..to as usize]);
            let items = worker
                .items
                .iter()
                .map(|item| format!("{:?} {:?}", Item { composed: None, ..*item }, composed_name(item)));
            let mut found: Vec<String> = items.collect();
            found.extend(worker.imports.iter().map(|draft| format!("{draft:?}")));
            found.sort();
            // The rows are the same, too, however often they are asked for.
            for hidden in [HiddenRows::LeftOut, HiddenRows::Types, HiddenRows::Types] {
                let listed = worker.rows(compiled, text, hidden);
                found.extend([format!("{:?}", listed.rows), listed.names.into()]);
            }
            assert_eq!(found[found.len() - 4..found.len() - 2], found[found.len() - 2..]);
            found
        })
    }

    #[test]
    fn the_query_finds_the_same_where_its_matches_begin_as_in_the_whole_tree() {
        for grammar in Grammar::all() {
            let mut texts: Vec<String> = crate::fixtures::outlined_texts(grammar);
            assert!(!texts.is_empty(), "{grammar:?}");
            // What the parser recovers from makes trees of other shapes.
            let broken = texts.iter().flat_map(|text| {
                let at = |part: usize| text.floor_char_boundary(text.len() * part / 7);
                (1..7).map(move |part| format!("{}{}", &text[at(part)..], &text[..at(part)]))
            });
            texts.extend(broken.collect::<Vec<String>>());
            for text in texts {
                assert_eq!(
                    matches_of(grammar, &text, false),
                    matches_of(grammar, &text, true),
                    "{grammar:?}: {text}"
                );
            }
        }
    }

    #[test]
    fn a_small_tree_whose_walk_was_cancelled_is_not_complete() {
        let (grammar, text) = (Grammar::named("python").expect("known"), "def f():\n    pass\n");
        let compiled = grammar.compiled().expect("compiles");
        let cancel = Cancel::new();
        WORKER.with_borrow_mut(|worker| {
            let tree = worker.parse(grammar, compiled, text, &cancel).expect("parsed");
            cancel.cancel();
            let walked = worker.walk(grammar, compiled, &tree, text, &cancel);
            assert_eq!(walked, Err(Cancelled));
        });
    }

    #[test]
    fn a_list_of_many_names_is_read_whole() {
        let grammar = Grammar::named("javascript").expect("known");
        let count = MATCH_LIMIT as usize + 100;
        let names: Vec<String> = (0..count).map(|number| format!("a{number}")).collect();
        for form in ["export { # } from './m';", "import { # } from './m';", "const { # } = require('./m');"]
        {
            let text = form.replace('#', &names.join(", "));
            let outline = outline(grammar, &text, &Cancel::new()).expect("parsed");
            assert_eq!(
                (outline.imports.unpack().iter().count(), outline.has_errors),
                (count, false),
                "{form}"
            );
        }
    }

    #[test]
    fn matches_that_are_dropped_are_noticed() {
        let grammar = Grammar::named("javascript").expect("known");
        let (compiled, cancel) = (grammar.compiled().expect("compiles"), Cancel::new());
        let text = "export const { a, b } = c;\n";
        WORKER.with_borrow_mut(|worker| {
            let tree = worker.parse(grammar, compiled, text, &cancel).expect("parsed");
            let statement = tree.root_node().child(0).expect("a statement");
            worker.begin_matches();
            worker.run_query(compiled, statement, text, &cancel);
            assert!(!worker.has_lost_matches);
            // The old cursor has memory for more matches already.
            worker.cursor = QueryCursor::new();
            worker.cursor.set_match_limit(1);
            worker.run_query(compiled, statement, text, &cancel);
            assert!(worker.has_lost_matches);
        });
    }

    fn hidden(grammar: &str, text: &str) -> Vec<String> {
        let (grammar, cancel) = (Grammar::named(grammar).expect("known"), Cancel::new());
        let known = outline(grammar, text, &cancel).expect("parsed");
        let whole = outline_with_hidden_types(grammar, text, &cancel).expect("parsed");
        let paths = |outline: &Outline| (0..outline.rows.len()).map(|row| outline.name_path(row)).collect();
        let (listed, all): (Vec<String>, Vec<String>) = (paths(&known), paths(&whole));
        let mut more = all.clone();
        more.retain(|path| !listed.contains(path));
        assert_eq!(known.hides_types, !more.is_empty(), "{text}");
        assert_eq!(all.len(), listed.len() + more.len(), "what is listed stays: {text}");
        more
    }

    #[test]
    fn types_in_bodies_and_without_a_name_are_found_when_asked_for() {
        let kotlin = "fun f() {\n    val a = 1\n    class Local {\n        val b = { val c = 2 }\n        fun g() { val d = 3 }\n    }\n}\n\
            val o = object : I {\n    init { val e = 1 }\n    override fun run() {}\n}\nfun h() = listOf(1).map { object : I {} }\n";
        assert_eq!(
            hidden("kotlin", kotlin),
            ["f/Local", "f/Local/b", "f/Local/g", "o/object", "o/object/run", "h/object"]
        );
        let java = "class A {\n    I i = new b.I<T>(1) {\n        int x;\n        void run() { int y; }\n    };\n    void f() {\n        class L {}\n        int z = 1;\n    }\n    Object o = new Object();\n}\n";
        assert_eq!(
            hidden("java", java),
            ["A/i/new b.I<T>", "A/i/new b.I<T>/x", "A/i/new b.I<T>/run", "A/f/L"]
        );
        assert!(
            hidden("kotlin", "class A { object O\n companion object }\nfun f() { val x = 1 }\n").is_empty()
        );
        assert!(hidden("typescript", "const A = class { run() {} };\nclass B {}\n").is_empty());
        assert_eq!(hidden("cpp", "void f() { struct L : B { int x; }; int y; }\n"), ["f/L", "f/L/x"]);
    }

    #[test]
    fn functions_in_bodies_are_found_when_asked_for() {
        let local = |grammar: &str, text: &str| {
            let grammar = Grammar::named(grammar).expect("known");
            let outline = outline_with_hidden_functions(grammar, text, &Cancel::new()).expect("parsed");
            let rows = (0..outline.rows.len()).filter(|row| {
                let mut around = std::iter::successors(Some(*row), |row| outline.rows[*row].parent());
                around.any(|row| outline.rows[row].is_local())
            });
            rows.map(|row| outline.name_path(row)).collect::<Vec<_>>()
        };
        let kotlin = "class A {\n    val p = run { fun inP() {} }\n    fun f() {\n        fun g() { fun h() {}\n            object : I { override fun run() { fun k() {} } }\n        }\n\
            listOf(1).map { fun m() {} }\n        class L { fun n() {} }\n        fun g(x: Int) {}\n    }\n    init { fun i() {} }\n    var q = 1\n        get() = field\n        set(value) { fun s() {} }\n    val r get() = 1\n}\n";
        assert_eq!(
            local("kotlin", kotlin),
            [
                "A/p/inP",
                "A/f/g[0]",
                "A/f/g[0]/h",
                "A/f/g[0]/object",
                "A/f/g[0]/object/run",
                "A/f/g[0]/object/run/k",
                "A/f/m",
                "A/f/L",
                "A/f/L/n",
                "A/f/g[1]",
                "A/init",
                "A/init/i",
                "A/q/get",
                "A/q/set",
                "A/q/set/s",
                "A/r/get",
            ]
        );
        assert_eq!(
            local("java", "class A { void f() { new T() { void run() {} }; } }\n"),
            ["A/f/new T", "A/f/new T/run"]
        );
        assert_eq!(local("rust", "fn f() { let g = |x| { fn h() {} }; }\n"), ["f/h"]);
        assert_eq!(local("javascript", "describe(() => { function f() {} });\n"), ["f"]);
    }
}
