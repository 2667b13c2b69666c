//! `impact` as text: counts, direct users, indirect users, overrides, mentions, tests to run. Invariant:
//! whatever the limit, each direct user is named or, of very many, counted with its file, and the last line
//! says what was left out.

use std::collections::BTreeMap;

use super::counts::{PARTS, by_part, files, media, modules};
use super::word;
use crate::Client;
use crate::Reply;
use crate::native::answer::Footer;
use crate::native::files::counted;
use crate::native::joined::JoinedAnswers;
use crate::native::render::{short_word, truncate};
use crate::native::server_tools::{note_reading, note_source};
use crate::native::tree::by_file;
use crate::native::users_text::{file_of, lines_of, note_gaps, note_unsure, part_word, user_line};
use symd_base::escaped;
use symd_ops::code_kind::CodeKind;
use symd_ops::explore::LinkedDeclaration;
use symd_ops::impact::{Impact, SymbolChange};
use symd_ops::relations::TransitiveUser;
use symd_resolve as resolve;

/// The maximum number of direct users that are shown with the source lines of their uses, for changes where
/// the arguments matter.
const MAX_WITH_LINES: usize = 40;

/// The maximum number of characters of such a line.
const LINE_CHARS: usize = 100;

/// The maximum number of modules that are named.
const MAX_MODULES: usize = 12;

/// The maximum number of files with tests that are named, where the limit does not allow all.
const MAX_TEST_FILES: usize = 40;

/// The maximum number of mentions that are listed, where the limit does not allow all.
const MAX_MENTIONS: usize = 40;

/// The number of lines that say what is changed and how many users it has.
const HEAD_LINES: usize = 2;

/// The number of characters that the note about a cut answer takes.
const CUT_CHARS: usize = 50;

/// How much of an answer is shown, the most first. The first form that keeps to the limit is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    /// Everything.
    Whole,
    /// Indirect users are only counted; long lists of mentions and tests are cut.
    Direct,
    /// In addition, direct users are shown only by name, grouped by file.
    Names,
    /// In addition, tests are only counted by file.
    TestFiles,
    /// In addition, all direct users are only counted by file.
    Files,
}

/// Formats the answers about one symbol, or all overloads of a name. Overloads with the same answer share it,
/// beneath the heads of all.
pub(super) fn impacts_text(all: &[Impact], limit: usize, client: &Client) -> Reply {
    let share = ((limit + 1) / all.len().max(1)).saturating_sub(1);
    let Some(first) = all.first() else { return Reply::done("") };
    // A client is given the reason for a missing server once: this text has it, those that are compared do
    // not.
    let told = impact_text(first, share, client);
    if all.len() == 1 {
        return Reply::done(told);
    }
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for one in all {
        let text = impact_text(one, share, client);
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        match groups.iter_mut().find(|(_, known)| known == rest) {
            Some((heads, _)) => heads.push(head.to_owned()),
            None => groups.push((vec![head.to_owned()], rest.to_owned())),
        }
    }
    if let (Some(group), Some((_, rest))) = (groups.first_mut(), told.split_once('\n')) {
        rest.clone_into(&mut group.1);
    }
    let mut joined = JoinedAnswers::default();
    for (heads, rest) in &groups {
        heads.iter().for_each(|head| joined.add_line(head));
        joined.add_answer(rest, &[]);
    }
    joined.into()
}

/// Formats the answer within `limit` characters.
fn impact_text(found: &Impact, limit: usize, client: &Client) -> String {
    let footer = footer(found, client);
    for shown in [Shown::Whole, Shown::Direct, Shown::Names, Shown::TestFiles] {
        let text = write(found, shown, footer.clone(), limit);
        if text.chars().count() <= limit {
            return text;
        }
    }
    write(found, Shown::Files, footer, limit)
}

fn write(found: &Impact, shown: Shown, mut footer: Footer, limit: usize) -> String {
    let mut lines = head(found);
    let direct = found.direct();
    let with_lines = shown <= Shown::Direct
        && direct.len() <= MAX_WITH_LINES
        && matches!(found.change, SymbolChange::Signature | SymbolChange::Removal);
    for part in PARTS {
        let of_part: Vec<&TransitiveUser> = direct.iter().filter(|one| one.part == part).copied().collect();
        if !of_part.is_empty() {
            lines.push(part_word(part).to_owned());
            let form = match (shown, part) {
                (Shown::TestFiles, CodeKind::Test) => Shown::Files,
                _ => shown,
            };
            lines.extend(indented(users(found, &of_part, form, with_lines)));
        }
    }
    // A change of the signature does not reach indirect users, and they do not contain a removed name.
    if found.change == SymbolChange::Behaviour && shown == Shown::Whole {
        for depth in 2..=found.depth {
            let level = found.at(depth);
            if !level.is_empty() {
                lines.push(format!("at depth {depth}"));
                lines.extend(indented(users(found, &level, shown, false)));
            }
        }
    }
    lines.extend(linked(found));
    lines.extend(mentions(found, shown, &mut footer));
    lines.extend(tests(found, shown, &mut footer));
    match shown {
        Shown::Whole => {}
        Shown::Direct if found.change != SymbolChange::Behaviour => {}
        Shown::Direct => {
            footer.add_incomplete(format!("users at depth 2 and more only counted; raise limit (now {limit})"))
        }
        Shown::Names => footer.add_incomplete(format!(
            "lines left out, users at depth 2 and more only counted; raise limit (now {limit})"
        )),
        Shown::TestFiles => footer.add_incomplete(format!(
            "lines left out, tests counted by file, users at depth 2 and more only counted; raise limit (now {limit}), or ask references"
        )),
        Shown::Files => {
            footer.add_incomplete(format!(
                "direct users only counted by file; raise limit (now {limit}), or ask references"
            ));
        }
    }
    let mut text = lines.join("\n");
    // What is changed, and the number of its users, are shown whatever the limit.
    let least: usize = lines.iter().take(HEAD_LINES).map(|line| line.chars().count() + 1).sum();
    let room = limit.saturating_sub(footer.to_string().chars().count() + CUT_CHARS).max(least);
    if shown == Shown::Files && truncate(&mut text, room) {
        footer.add_incomplete(format!("cut at {limit} characters"));
    }
    format!("{text}\n{footer}")
}

/// Formats what is changed, and how much the change reaches.
fn head(found: &Impact) -> Vec<String> {
    let symbol = &found.target.symbol;
    let mut lines = vec![format!(
        "{} of {} {} ({}:{})",
        word(found.change),
        short_word(symbol.kind),
        symbol.name_path,
        escaped(symbol.path.as_str()),
        symbol.start_line + 1
    )];
    let direct = found.direct();
    let in_files = counted(files(&direct), "file", "files");
    lines.push(format!(
        "direct: {} in {in_files}: {}",
        counted(direct.len(), "symbol", "symbols"),
        parts(&direct)
    ));
    for depth in 2..=found.depth {
        let level = found.at(depth);
        if !level.is_empty() {
            lines.push(format!("at depth {depth}: {} more: {}", level.len(), parts(&level)));
        }
    }
    let modules = modules(found);
    if modules.len() > 1 {
        let one = |(module, direct, more): &(String, usize, usize)| {
            let module = if module.is_empty() { "." } else { module };
            let more = if *more > 0 { format!("+{more}") } else { String::new() };
            format!("{} {direct}{more}", escaped(module))
        };
        let named: Vec<String> = modules.iter().take(MAX_MODULES).map(one).collect();
        let more = match modules.len().saturating_sub(MAX_MODULES) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        lines.push(format!("modules (direct+further): {}{more}", named.join(", ")));
    }
    let media = media(&found.mentioned);
    if !media.is_empty() && found.change != SymbolChange::Removal {
        let named: Vec<String> = media
            .iter()
            .map(|(medium, count)| format!("{count} in {}", medium.name().replace('_', " ")))
            .collect();
        lines.push(format!("mentioned: {}", named.join(", ")));
    }
    lines
}

/// Formats the counts by part: `production 3, test 2, generated 0`.
fn parts(all: &[&TransitiveUser]) -> String {
    let counts = by_part(all);
    let named: Vec<String> =
        PARTS.iter().zip(counts).map(|(part, count)| format!("{} {count}", part_word(*part))).collect();
    match all.iter().filter(|one| !one.user.is_likely()).count() {
        0 => named.join(", "),
        unsure => format!("{}; {unsure} of them marked ?", named.join(", ")),
    }
}

fn users(found: &Impact, list: &[&TransitiveUser], shown: Shown, with_lines: bool) -> Vec<String> {
    let all = &found.reach.reached;
    match shown {
        Shown::Whole | Shown::Direct => by_file(
            list,
            |one| one.user.file(),
            |one| if with_lines { with_text(one) } else { user_line(one, all) },
        ),
        Shown::Names | Shown::TestFiles | Shown::Files => {
            let one = |of_file: &[&TransitiveUser]| {
                let path = escaped(&of_file[0].user.file()).into_owned();
                if shown == Shown::Files {
                    let unsure = if of_file.iter().any(|one| one.user.is_likely()) { "" } else { "?" };
                    return format!("{path}: {}{unsure}", counted(of_file.len(), "symbol", "symbols"));
                }
                let names: Vec<String> = of_file.iter().map(|one| name(one)).collect();
                format!("{path}: {}", names.join(", "))
            };
            list.chunk_by(|a, b| a.user.key.file == b.user.key.file).map(one).collect()
        }
    }
}

fn name(one: &TransitiveUser) -> String {
    let unsure = if one.user.is_likely() { "" } else { "?" };
    format!("{}{unsure}", one.user.summary.name_path)
}

/// Formats a user with the source lines of its uses: `12 function main @ 14: run(1); 20: run(2)`.
fn with_text(one: &TransitiveUser) -> String {
    let user = &one.user;
    let head =
        format!("{} {} {}", user.summary.line + 1, short_word(user.summary.kind), user.summary.name_path);
    let mut by_line: BTreeMap<u32, (bool, &str)> = BTreeMap::new();
    for place in &user.places {
        let entry = by_line.entry(place.line).or_insert((false, &place.text));
        entry.0 |= place.is_likely;
    }
    if by_line.values().all(|(_, text)| text.is_empty()) {
        return format!("{head}{}", lines_of(user));
    }
    let shown: Vec<String> = by_line
        .iter()
        .map(|(line, (is_likely, text))| {
            let unsure = if *is_likely { "" } else { "?" };
            let end = text.char_indices().nth(LINE_CHARS).map_or(text.len(), |(end, _)| end);
            let more = if end < text.len() { "…" } else { "" };
            format!("{}{unsure}: {}{more}", line + 1, &text[..end])
        })
        .collect();
    format!("{head} @ {}", shown.join("; "))
}

fn linked(found: &Impact) -> Vec<String> {
    let is_type = resolve::is_type(found.target.symbol.kind);
    let titles = if is_type { ["extends", "extended by"] } else { ["overrides", "overridden by"] };
    let mut lines = Vec::new();
    for (title, list) in titles.into_iter().zip([&found.links.above, &found.links.below]) {
        // A change of a type does not reach what it extends.
        if list.is_empty() || is_type && title == "extends" {
            continue;
        }
        let one = |one: &LinkedDeclaration| {
            let unsure = if one.is_likely { "" } else { " ?" };
            format!(
                "{} {} {}{unsure}",
                one.summary.line + 1,
                short_word(one.summary.kind),
                one.summary.name_path
            )
        };
        lines.push(format!("{title} {}", list.len()));
        lines.extend(indented(by_file(list, |one| file_of(&one.file), one)));
    }
    lines
}

fn mentions(found: &Impact, shown: Shown, footer: &mut Footer) -> Vec<String> {
    let mut lines = Vec::new();
    if found.change != SymbolChange::Removal {
        return lines;
    }
    let most = if shown == Shown::Whole { usize::MAX } else { MAX_MENTIONS };
    for (medium, count) in media(&found.mentioned) {
        lines.push(format!("mentioned {count} in {}", medium.name().replace('_', " ")));
        let places: Vec<_> =
            found.mentioned.places.iter().filter(|one| one.medium == medium).take(most).collect();
        for of_file in places.chunk_by(|a, b| a.path == b.path) {
            let mut numbers: Vec<String> = of_file.iter().map(|one| (one.line + 1).to_string()).collect();
            numbers.dedup();
            lines.push(format!(" {}:{}", escaped(of_file[0].path.as_str()), numbers.join(" ")));
        }
        if count > places.len() {
            footer.add_incomplete(format!(
                "{} of {count} mentions in {} left out; raise limit, or search",
                count - places.len(),
                medium.name().replace('_', " ")
            ));
        }
    }
    lines
}

fn tests(found: &Impact, shown: Shown, footer: &mut Footer) -> Vec<String> {
    let all = found.test_files();
    if all.is_empty() {
        return vec![format!("tests to run: none reaches it within depth {}", found.depth)];
    }
    let most = if shown == Shown::Whole { usize::MAX } else { MAX_TEST_FILES };
    let one = |(file, _, is_likely): &(String, usize, bool)| {
        format!("{}{}", escaped(file), if *is_likely { "" } else { "?" })
    };
    let named: Vec<String> = all.iter().take(most).map(one).collect();
    if let more @ 1.. = all.len().saturating_sub(most) {
        footer.add_incomplete(format!("{more} of {} files with tests left out; raise limit", all.len()));
    }
    vec![format!("tests to run: {}", named.join(" "))]
}

/// Returns the part of the last line that does not depend on how much is shown.
fn footer(found: &Impact, client: &Client) -> Footer {
    let reach = &found.reach;
    let count: usize = (1..=found.depth).map(|depth| found.at(depth).len()).sum();
    let mut footer = Footer::new(counted(count, "symbol", "symbols"));
    note_source(&reach.source, client, &mut footer);
    note_reading(found.target.read_as.as_ref(), &mut footer);
    if !found.has_all_behaviour() {
        footer.add_incomplete("uses of only its members are not included; ask about a member".to_owned());
    }
    if reach.may_have_more > 0 {
        footer.add_note(format!(
            "{} may be used further, raise depth",
            counted(reach.may_have_more, "symbol of the last level", "symbols of the last level")
        ));
    }
    if reach.not_followed > 0 {
        footer.add_incomplete(format!(
            "users of {} further up not looked for, so that symbols and tests may be missing; ask about those, or give a \
             smaller depth",
            counted(reach.not_followed, "symbol", "symbols")
        ));
    }
    if found.links_left_out > 0 {
        footer.add_incomplete(format!(
            "uses of {} members linked to it were not looked for",
            found.links_left_out
        ));
    }
    if found.mentioned.is_cut {
        footer.add_incomplete("there are more mentions in texts than the search collects".to_owned());
    }
    if let Some(first) = found.mentioned.unsearched.first() {
        footer.add_incomplete(format!(
            "{} too large to be searched for mentions: {first}",
            counted(found.mentioned.unsearched.len(), "file is", "files are")
        ));
    }
    if !found.links.perhaps.by_reason.is_empty() {
        footer.add_unchecked(found.links.perhaps.by_reason.clone());
    }
    note_gaps(reach, &mut footer);
    let unsure = |depth| found.at(depth).iter().filter(|one| !one.user.is_likely()).count();
    let is_all_shown = found.change == SymbolChange::Behaviour;
    let shown: usize = (1..=if is_all_shown { found.depth } else { 1 }).map(unsure).sum();
    note_unsure(shown, reach, &mut footer);
    footer
}

fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| format!(" {line}")).collect()
}
