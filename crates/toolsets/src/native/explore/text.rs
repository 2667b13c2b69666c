//! `explore` as text: the source, then sections by usefulness. Invariant: the answer keeps to the budget, as
//! long as that has room for the head and the last line, which says what was left out and how to get it.

use super::section::{Section, characters, fit};
use crate::Client;
use crate::Reply;
use crate::native::answer::Footer;
use crate::native::files::counted;
use crate::native::joined::JoinedAnswers;
use crate::native::render::{Signatures, line, short_word};
use crate::native::server_tools::{note_reading, note_source};
use crate::native::tree::by_file;
use crate::native::users_text::{file_of, lines_of, note_gaps, note_unsure, over, user_line};
use symd_base::escaped;
use symd_ops::explore::{Explored, LinkedDeclaration, TEST_DEPTH};
use symd_ops::relations::TransitiveUser;
use symd_ops::symbol::Symbol;
use symd_resolve as resolve;

/// The maximum number of attempts at an answer that came out too long.
const ATTEMPTS: usize = 8;

/// The additional characters by which each further attempt is made shorter.
const MARGIN: usize = 16;

/// The maximum number of uncertain users that a section shows.
const MAX_UNSURE: usize = 10;

/// The maximum number of characters of a source line where the source is not shown whole.
const LINE_CHARS: usize = 300;

/// Formats the answers about one symbol, or all overloads of a name.
pub(super) fn explored_text(all: &[Explored], budget: usize, client: &Client) -> Reply {
    // A line feed separates two answers.
    let share = ((budget + 1) / all.len().max(1)).saturating_sub(1);
    let mut joined = JoinedAnswers::default();
    all.iter().for_each(|one| joined.add_answer(&one_text(one, share, client), &[]));
    joined.into()
}

fn one_text(found: &Explored, budget: usize, client: &Client) -> String {
    let footer = footer(found, client);
    let mut room = budget;
    let mut text = String::new();
    for attempt in 0..ATTEMPTS {
        text = within(found, room, budget, footer.clone(), client);
        match text.chars().count().checked_sub(budget) {
            None | Some(0) => break,
            // With less room, the list of what is left out changes too.
            Some(excess) if room > 0 => room = room.saturating_sub(excess + attempt * MARGIN),
            Some(_) => break,
        }
    }
    text
}

/// Formats the answer; its lines without the last one take `room` characters.
fn within(found: &Explored, room: usize, budget: usize, mut footer: Footer, client: &Client) -> String {
    let source = Source::of(found, room);
    let mut lines = source.lines;
    let sections = sections(found, source.is_whole);
    let mut left_out: Vec<String> = source.left_out.into_iter().collect();
    let mut ways: Vec<&str> = if source.is_whole { Vec::new() } else { vec!["find_symbol with body"] };
    for (section, fitted) in sections.iter().zip(fit(&sections, room.saturating_sub(characters(&lines)))) {
        if fitted.shown < section.items {
            left_out.push(format!(
                "{} of {} {}",
                section.items - fitted.shown,
                section.items,
                section.what.0
            ));
            ways.push(section.what.1);
        }
        lines.extend(fitted.lines);
    }
    ways.dedup();
    if left_out.is_empty() {
        client.record_read(&found.target.at.path, found.declaration.hash);
    } else {
        footer.add_incomplete(format!(
            "left out: {}; raise budget (now {budget}), or ask {}",
            left_out.join(", "),
            ways.join(", ")
        ));
    }
    lines.push(footer.to_string());
    lines.join("\n")
}

/// Returns the part of the last line that does not depend on the budget.
fn footer(found: &Explored, client: &Client) -> Footer {
    let (users, tests) = (found.users(), found.tests());
    let callers = users.len();
    let counts = match &found.callees {
        Some(callees) => {
            format!(
                "{}, {}",
                counted(callees.branches.len(), "callee", "callees"),
                counted(callers, "user", "users")
            )
        }
        None => counted(callers, "user", "users"),
    };
    let mut footer = Footer::new(format!("{counts}, {}", counted(tests.len(), "test", "tests")));
    note_source(&found.reach.source, client, &mut footer);
    note_reading(found.target.read_as.as_ref(), &mut footer);
    if let Some(callees) = &found.callees
        && callees.source.name() != found.reach.source.name()
    {
        footer.add_note(format!("callees from {}", callees.source.name()));
    }
    if found.reach.may_have_more > 0 && found.depth <= TEST_DEPTH {
        footer
            .add_note(format!("tests beyond depth {TEST_DEPTH} were not looked for; impact with depth does"));
    }
    if found.reach.not_followed > 0 {
        let functions = counted(found.reach.not_followed, "symbol was", "symbols were");
        footer.add_incomplete(format!(
            "users of {functions} not looked for, tests may be missing; impact looks further"
        ));
    }
    let unsure = found.callees.iter().flat_map(|all| &all.branches).filter(|one| !one.is_likely).count();
    if unsure > 0 {
        footer.add_unchecked(format!(
            "{} marked ?, several symbols have that name",
            counted(unsure, "callee", "callees")
        ));
    }
    if !found.links.perhaps.by_reason.is_empty() {
        footer.add_unchecked(found.links.perhaps.by_reason.clone());
    }
    note_gaps(&found.reach, &mut footer);
    let shown = users.iter().chain(&tests).filter(|one| !one.user.is_likely()).count();
    note_unsure(shown, &found.reach, &mut footer);
    footer
}

/// The shown source of the declaration.
struct Source {
    lines: Vec<String>,
    is_whole: bool,
    left_out: Option<String>,
}

impl Source {
    /// Shows the whole source, where that takes no more than half of `room`, else its first lines.
    fn of(found: &Explored, room: usize) -> Source {
        let declaration = &found.declaration;
        let symbol = &declaration.symbol;
        let head = format!(
            "{}:{}",
            escaped(symbol.path.as_str()),
            line(symbol, &symbol.name_path, Signatures::Shown)
        );
        let mut lines = vec![head];
        lines.extend(declaration.above.iter().flat_map(|above| above.lines()).map(str::to_owned));
        let body = format!("{}{}", symbol.indent, symbol.body.as_deref().unwrap_or_default());
        let body: Vec<String> = body.lines().map(str::to_owned).collect();
        let taken = characters(&lines);
        if taken + characters(&body) <= room / 2 {
            lines.extend(body);
            return Source { lines, is_whole: true, left_out: None };
        }
        let mut left = (room / 3).saturating_sub(taken);
        let short = body.iter().map(|line| line.chars().take(LINE_CHARS).collect::<String>());
        // The members of a type follow in a section.
        let head_lines = declaration.head.lines().count()
            + declaration.within.as_ref().map_or(0, |within| within.lines().count());
        let most = if resolve::is_type(symbol.kind) { head_lines } else { body.len() };
        let first: Vec<String> = short
            .take(most)
            .take_while(|line| {
                let cost = line.chars().count() + 1;
                let fits = cost <= left;
                left = left.saturating_sub(cost);
                fits
            })
            .collect();
        let from = symbol.start_line as usize + first.len() + 1;
        lines.extend(first);
        let rest = format!("lines {from}-{} of the source", symbol.end_line + 1);
        lines.push(format!("… {rest}"));
        Source { lines, is_whole: false, left_out: Some(rest) }
    }
}

fn sections(found: &Explored, is_whole: bool) -> Vec<Section<'_>> {
    let mut all = Vec::new();
    let members = &found.declaration.symbol.children;
    if !is_whole && !members.is_empty() {
        all.push(of_members(members));
    }
    if let Some(callees) = &found.callees {
        if !callees.branches.is_empty() {
            all.push(of_callees(found));
        }
        if !callees.unresolved.is_empty() {
            let names = |count: usize| {
                vec![format!(
                    "calls outside the project, or unknown: {}",
                    callees.unresolved[..count].join(", ")
                )]
            };
            all.push(Section {
                title: String::new(),
                what: ("names called outside", "references with relation: callees"),
                items: callees.unresolved.len(),
                most: callees.unresolved.len(),
                lines: Box::new(names),
            });
        }
    }
    let (calling, other): (Vec<&TransitiveUser>, Vec<&TransitiveUser>) =
        found.users().into_iter().partition(|one| one.user.calls());
    let is_called = found.callees.is_some();
    let how = ("callers", "references with relation: callers");
    match (is_called, calling.is_empty() && other.is_empty()) {
        (true, true) => all.push(nothing("not called in production code")),
        (false, true) => all.push(nothing("not used in production code")),
        (true, false) => {
            if !calling.is_empty() {
                all.push(of_users("called by", how, calling, found));
            }
            if !other.is_empty() {
                all.push(of_users("used without a call by", ("other users", "references"), other, found));
            }
        }
        (false, false) => {
            all.push(of_users("used by", ("users", "references"), found.users(), found));
        }
    }
    let is_type = resolve::is_type(found.target.symbol.kind);
    let (up, down) = if is_type { ("extends", "extended by") } else { ("overrides", "overridden by") };
    let way = if is_type {
        "references with relation: subtypes"
    } else {
        "references with relation: implementations"
    };
    for (title, list) in [(up, &found.links.above), (down, &found.links.below)] {
        if !list.is_empty() {
            all.push(of_links(title, way, list));
        }
    }
    all.push(of_tests(found));
    all
}

fn nothing(title: &str) -> Section<'static> {
    Section { title: title.to_owned(), what: ("", ""), items: 0, most: 0, lines: Box::new(|_| Vec::new()) }
}

fn of_members(members: &[Symbol]) -> Section<'_> {
    let lines = |count: usize| {
        members[..count].iter().map(|one| format!(" {}", line(one, &one.name, Signatures::Shown))).collect()
    };
    Section {
        title: format!("members {}", members.len()),
        what: ("members", "find_symbol with depth: 1"),
        items: members.len(),
        most: members.len(),
        lines: Box::new(lines),
    }
}

fn of_callees(found: &Explored) -> Section<'_> {
    let branches = found.callees.as_ref().map_or(&[][..], |callees| &callees.branches);
    let one = |branch: &symd_ops::relations::RelatedSymbol| {
        let lines: Vec<String> = branch.lines.iter().map(|line| (line + 1).to_string()).collect();
        let at = if lines.is_empty() { String::new() } else { format!(" @ {}", lines.join(" ")) };
        let unsure = if branch.is_likely { "" } else { " ?" };
        let summary = &branch.summary;
        format!("{} {} {}{at}{unsure}", summary.line + 1, short_word(summary.kind), summary.name_path)
    };
    let lines = move |count: usize| indented(by_file(&branches[..count], |one| file_of(&one.key.file), one));
    Section {
        title: format!("calls {}", branches.len()),
        what: ("callees", "references with relation: callees"),
        items: branches.len(),
        most: branches.len(),
        lines: Box::new(lines),
    }
}

fn of_users<'a>(
    title: &str,
    what: (&'static str, &'static str),
    users: Vec<&'a TransitiveUser>,
    found: &'a Explored,
) -> Section<'a> {
    let all = &found.reach.reached;
    let (title, items, most) =
        (format!("{title} {}{}", users.len(), unsure_among(&users)), users.len(), most(&users));
    let lines = move |count: usize| {
        let mut lines = Vec::new();
        for level in users[..count].chunk_by(|a, b| a.depth == b.depth) {
            if level[0].depth > 1 {
                lines.push(format!(" at depth {}", level[0].depth));
            }
            let of_level = indented(by_file(level, |one| one.user.file(), |one| user_line(one, all)));
            lines.extend(if level[0].depth > 1 { indented(of_level) } else { of_level });
        }
        lines
    };
    Section { title, what, items, most, lines: Box::new(lines) }
}

/// Returns `, 3 of them marked ?`; empty if all are certain.
fn unsure_among(users: &[&TransitiveUser]) -> String {
    match users.iter().filter(|one| !one.user.is_likely()).count() {
        0 => String::new(),
        unsure => format!(", {unsure} of them marked ?"),
    }
}

/// Returns the maximum number of users that are shown: all certain ones, and a few of the others.
fn most(users: &[&TransitiveUser]) -> usize {
    let sure = users.iter().filter(|one| one.user.is_likely()).count();
    users.len().min(sure + MAX_UNSURE)
}

fn of_links<'a>(title: &str, way: &'static str, list: &'a [LinkedDeclaration]) -> Section<'a> {
    let one = |one: &LinkedDeclaration| {
        let unsure = if one.is_likely { "" } else { " ?" };
        format!("{} {} {}{unsure}", one.summary.line + 1, short_word(one.summary.kind), one.summary.name_path)
    };
    let lines = move |count: usize| indented(by_file(&list[..count], |one| file_of(&one.file), one));
    Section {
        title: format!("{title} {}", list.len()),
        what: ("overrides or types", way),
        items: list.len(),
        most: list.len(),
        lines: Box::new(lines),
    }
}

/// Formats one file with tests per line, the nearest first: `tests/test_a.py: test_one @ 12, test_two via
/// helper`.
fn of_tests(found: &Explored) -> Section<'_> {
    let all = &found.reach.reached;
    let tests = found.tests();
    if tests.is_empty() {
        return nothing(&format!("no test reaches it within depth {TEST_DEPTH}"));
    }
    let mut files: Vec<String> = tests.iter().map(|one| one.user.file()).collect();
    files.sort();
    files.dedup();
    let title = format!(
        "reached by {} in {}{}",
        counted(tests.len(), "test", "tests"),
        counted(files.len(), "file", "files"),
        unsure_among(&tests)
    );
    let (items, most) = (tests.len(), most(&tests));
    let one = |one: &&TransitiveUser| {
        let at = if one.depth == 1 { lines_of(&one.user) } else { String::new() };
        format!("{}{at}{}", one.user.summary.name_path, over(one, all))
    };
    let lines = move |count: usize| {
        let of_file = tests[..count].chunk_by(|a, b| a.depth == b.depth && a.user.file() == b.user.file());
        of_file
            .map(|group| {
                let names: Vec<String> = group.iter().map(one).collect();
                format!(" {}: {}", escaped(&group[0].user.file()), names.join(", "))
            })
            .collect()
    };
    Section { title, what: ("tests", "impact"), items, most, lines: Box::new(lines) }
}

fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| format!(" {line}")).collect()
}
