//! References in `native`'s text, grouped by file, with 1-based lines. A short list shows each reference with
//! its source line, a long one only the line numbers for each enclosing symbol. Invariant: the last line says
//! what is missing and what was left out.

use std::collections::BTreeMap;
use symd_base::{RelPath, escaped};

use serde_json::{Value, json};

use super::answer::{Footer, fitting};
use super::files::counted;
use super::render::truncate;
use super::server_tools::{note_reading, note_source, reading_json, role_word, source_json};
use super::tree::{self, characters};
use crate::Call;
use symd_config::Languages;
use symd_ops::question::Source;
use symd_ops::references::{Completeness, Reference, References, UsesOfKin};
use symd_ops::spot::{Dropped, Spot};
use symd_resolve::{Judgement, Role};

/// The maximum number of references that are shown with the text of their lines.
const MAX_WITH_LINES: usize = 40;

/// The maximum number of characters shown of a line.
const LINE_CHARS: usize = 100;

/// The maximum number of places outside the project that are shown.
const MAX_OUTSIDE: usize = 10;

/// The maximum number of possible references that are shown where they are not asked for.
const MAX_POSSIBLE: usize = 10;

/// The maximum number of members of an override family that a line names.
const MAX_KIN: usize = 3;

/// Whether references that the server does not report are listed, not only counted, and all possible ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnreportedUses {
    Shown,
    Counted,
}

/// Whether uses that may arrive through other members of the override family are listed, not only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsesThroughFamily {
    Listed,
    Counted,
}

/// Formats the answer as text.
pub(super) fn references_text(
    found: &References,
    call: &Call<'_>,
    (unlisted, family): (UnreportedUses, UsesThroughFamily),
    limit: usize,
) -> String {
    let style = Style::for_count(found.list.len());
    let mut lines = Vec::new();
    by_file(&found.list, style, &mut lines);
    let shown = match unlisted {
        UnreportedUses::Shown => found.possible.len(),
        UnreportedUses::Counted => found.possible.len().min(MAX_POSSIBLE),
    };
    if shown > 0 {
        lines.push("possible, depending on types that are not known:".to_owned());
        by_file(&found.possible[..shown], Style::for_count(shown), &mut lines);
    }
    if unlisted == UnreportedUses::Shown {
        for (title, list) in [
            ("not reported by the server:", &found.unreported),
            ("in other languages:", &found.in_other_languages),
        ] {
            if !list.is_empty() {
                lines.push(title.to_owned());
                by_file(list, Style::for_count(list.len()), &mut lines);
            }
        }
    }
    if family == UsesThroughFamily::Listed {
        for kin in &found.of_kin {
            lines.push(format!("through {}:", kin.member.symbol.name_path));
            by_file(&kin.uses, Style::for_count(kin.uses.len()), &mut lines);
        }
    }
    if !found.outside.is_empty() {
        lines.push("outside the project:".to_owned());
        let shown = found.outside.iter().take(MAX_OUTSIDE);
        lines.extend(
            shown.map(|spot| format!(" {}:{}", escaped(&spot.path.display().to_string()), spot.line + 1)),
        );
    }
    let mut text = if lines.is_empty() { "No references.".to_owned() } else { lines.join("\n") };
    let mut footer = footer(found, call, unlisted);
    if !found.of_kin.is_empty() {
        let how_to_see = if family == UsesThroughFamily::Counted { "; family: true lists them" } else { "" };
        footer.add_note(format!("{}{how_to_see}", through_family(&found.of_kin)));
    }
    if style == Style::Short {
        footer.add_note(format!("text of lines omitted over {MAX_WITH_LINES} references"));
    }
    if truncate(&mut text, limit) {
        footer.add_incomplete(format!("cut at {limit} characters; narrow with kinds, or raise limit"));
    }
    format!("{text}\n{footer}")
}

fn footer(found: &References, call: &Call<'_>, unlisted: UnreportedUses) -> Footer {
    let files = found.list.chunk_by(|a, b| a.spot.path == b.spot.path).count();
    let counts = format!(
        "{} in {}",
        counted(found.list.len(), "reference", "references"),
        counted(files, "file", "files")
    );
    let mut footer = Footer::new(counts);
    note_source(&found.source, &call.client, &mut footer);
    note_reading(found.target.read_as.as_ref(), &mut footer);
    for (language, count) in languages_of(&found.in_other_languages, &call.project.languages) {
        footer.add_note(format!("also {} in {language}", counted(count, "possible use", "possible uses")));
    }
    if let more @ 1.. = found.outside.len().saturating_sub(MAX_OUTSIDE) {
        footer.add_note(format!("{more} more outside the project"));
    }
    note_dropped(&found.dropped, &mut footer);
    if found.maybe_indexing {
        let server = found.source.name();
        match found.completeness {
            // A server that reports every likely use has indexed enough for this answer.
            Completeness::Complete => footer.add_note(format!("{server} has only just started")),
            _ => footer.add_incomplete(format!("{server} may still be indexing; ask again")),
        }
    }
    if let Some((path, alias)) = found.unfollowed_aliases().first() {
        note_renamed((path, alias), found.unfollowed_aliases().len(), &mut footer);
    }
    found.unread.clauses().into_iter().for_each(|why| footer.add_incomplete(why));
    let how_to_see = if unlisted == UnreportedUses::Counted { "; show_unlisted lists them" } else { "" };
    match (found.completeness, &found.source) {
        (Completeness::Complete, _) => {}
        (Completeness::Incomplete { missing, confirmed }, source) => {
            let sure = if confirmed > 0 { format!(" ({confirmed} confirmed)") } else { String::new() };
            footer.add_incomplete(format!(
                "{}{sure} that {} does not report{how_to_see}",
                counted(missing, "possible use", "possible uses"),
                source.name()
            ));
        }
        (Completeness::Unchecked(count), Source::Server(name)) if !is_judged(found) => {
            footer.add_unchecked(format!(
                "{} of that name that {name} does not report and syntax cannot resolve",
                counted(count, "occurrence", "occurrences")
            ));
        }
        (Completeness::Unchecked(count), _) => {
            let is_marked = |one: &&Reference| one.judgement.is_open();
            let marked = found.list.iter().filter(is_marked).count().min(count);
            if marked > 0 {
                footer.add_unchecked(format!("{marked} marked ?, possibly other symbols with that name"));
            }
            if let possible @ 1.. = count - marked {
                let is_cut = unlisted == UnreportedUses::Counted && possible > MAX_POSSIBLE;
                let more = if is_cut { how_to_see } else { "" };
                let uses = counted(possible, "possible use", "possible uses");
                footer.add_unchecked(format!("{uses} not counted as references{more}"));
            }
        }
    }
    footer
}

/// Returns how many uses other members of the family have: `14 more through Base/foo, 3 through Other/foo`.
fn through_family(all: &[UsesOfKin]) -> String {
    let mut counts = Vec::new();
    for (at, kin) in all.iter().take(MAX_KIN).enumerate() {
        let more = if at == 0 { " more" } else { "" };
        counts.push(format!("{}{more} through {}", kin.uses.len(), kin.member.symbol.name_path));
    }
    let further = all.iter().skip(MAX_KIN);
    if let others @ 1.. = further.clone().count() {
        let uses: usize = further.map(|kin| kin.uses.len()).sum();
        counts.push(format!("{uses} through {}", counted(others, "other", "others")));
    }
    counts.join(", ")
}

/// Whether types have judged each entry of the answer, as they do where a server's references are not to be trusted.
fn is_judged(found: &References) -> bool {
    !found.possible.is_empty() || found.list.iter().any(|one| one.judgement.is_open())
}

/// Notes that `count` files import a symbol under another name, with the first of them and that name.
pub(super) fn note_renamed((path, alias): (&RelPath, &str), count: usize, footer: &mut Footer) {
    let others = match count {
        0 | 1 => String::new(),
        more => format!(" and {} more", more - 1),
    };
    footer.add_unchecked(format!(
        "{path} imports it as {alias}{others}; uses of such names are not followed, search finds them"
    ));
}

/// Notes which ranges of a server's answer were dropped.
pub(super) fn note_dropped(dropped: &Dropped, footer: &mut Footer) {
    if dropped.outside_text > 0 {
        let ranges = counted(dropped.outside_text, "range", "ranges");
        footer.add_note(format!("dropped {ranges} outside the text"));
    }
    if dropped.not_the_name > 0 {
        let ranges = counted(dropped.not_the_name, "range", "ranges");
        footer.add_note(format!("dropped {ranges} where the name does not occur"));
    }
}

fn languages_of<'a>(list: &[Reference], languages: &'a Languages) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for one in list {
        let language = languages.language_of(&one.spot.path).map(|id| languages.get(id).name.as_str());
        *counts.entry(language.unwrap_or("other files")).or_default() += 1;
    }
    counts
}

/// The style of a list of references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// One reference per line, with the text of its line.
    Full,
    /// One enclosing symbol per line, with the line numbers of its references.
    Short,
}

impl Style {
    fn for_count(count: usize) -> Style {
        if count <= MAX_WITH_LINES { Style::Full } else { Style::Short }
    }
}

fn by_file(list: &[Reference], style: Style, lines: &mut Vec<String>) {
    let files: Vec<&[Reference]> = list.chunk_by(|a, b| a.spot.path == b.spot.path).collect();
    let leaf = &mut |of_file: &[Reference], depth: usize, file: &str, lines: &mut Vec<String>| {
        file_lines(of_file, (depth, file), style, lines);
    };
    tree::write(&files, &path_of, leaf, (0, 0), lines);
}

fn path_of(of_file: &[Reference]) -> &str {
    of_file[0].spot.path.as_str()
}

fn file_lines(of_file: &[Reference], (depth, file): (usize, &str), style: Style, lines: &mut Vec<String>) {
    let indent = " ".repeat(depth);
    let own: Vec<String> = match style {
        Style::Full => nested(of_file),
        Style::Short => short(of_file),
    };
    let mark = if of_file[0].spot.is_generated { " (generated)" } else { "" };
    if let ([only], "") = (own.as_slice(), mark) {
        lines.push(format!("{indent}{file}:{only}"));
        return;
    }
    lines.push(format!("{indent}{file}{mark}"));
    lines.extend(own.into_iter().map(|line| format!("{indent} {line}")));
}

/// Formats one reference per line. Those in one symbol, or in members of one, are put beneath its name where
/// that is shorter: `in Class/`, then ` 12 method: x = run(1)`; `in method`, then ` 12: x = run(1)`.
fn nested(of_file: &[Reference]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in of_file.chunk_by(|a, b| container(a).is_some() && container(a) == container(b)) {
        let first = inside_of(&group[0]);
        let is_one = group.iter().all(|one| inside_of(one) == first);
        let shared = if is_one { first } else { container(&group[0]) };
        let plain: Vec<String> = group.iter().map(full).collect();
        let beneath = shared.filter(|shared| group.len() > 1 && !shared.is_empty()).map(|shared| {
            let of_group = |one: &Reference| {
                let name = inside_of(one).and_then(|name| name.strip_prefix(shared)).unwrap_or_default();
                let name = if name.is_empty() { String::new() } else { format!(" {name}") };
                format!(" {}{name}: {}", number(one), shown_line(&one.spot))
            };
            let mut lines = vec![format!("in {shared}")];
            lines.extend(group.iter().map(of_group));
            lines
        });
        match beneath {
            Some(beneath) if characters(&beneath) < characters(&plain) => lines.extend(beneath),
            _ => lines.extend(plain),
        }
    }
    lines
}

/// Returns the name path of the symbol that encloses a reference.
fn inside_of(one: &Reference) -> Option<&str> {
    one.spot.inside.as_ref().map(|inside| inside.name_path.as_str())
}

/// Returns the container of the enclosing symbol, with a slash at its end; empty at the top level.
fn container(one: &Reference) -> Option<&str> {
    inside_of(one).map(|name| name.rfind('/').map_or("", |slash| &name[..=slash]))
}

/// Formats a reference: `12 in Class/method: x = run(1)`.
fn full(one: &Reference) -> String {
    format!("{}{}: {}", number(one), within(&one.spot), shown_line(&one.spot))
}

/// Returns ` in Class/method`; empty at the top level.
pub(super) fn within(spot: &Spot) -> String {
    spot.inside.as_ref().map_or_else(String::new, |inside| format!(" in {}", inside.name_path))
}

/// Formats the references of each enclosing symbol as `Class/method 12 15 31`, in order of the first line.
fn short(of_file: &[Reference]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for one in of_file {
        let title = match (&one.spot.inside, one.role) {
            (Some(inside), _) => inside.name_path.clone(),
            (None, Role::Import) => "import".to_owned(),
            (None, _) => "(file)".to_owned(),
        };
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, numbers)) => numbers.push(number(one)),
            None => groups.push((title, vec![number(one)])),
        }
    }
    groups.into_iter().map(|(title, numbers)| format!("{title} {}", numbers.join(" "))).collect()
}

/// Returns the 1-based line, with a question mark if the reference is uncertain.
fn number(one: &Reference) -> String {
    let mark = if one.judgement == Judgement::Likely { "" } else { "?" };
    format!("{}{mark}", one.spot.line + 1)
}

/// Returns the line without surrounding white space, truncated.
pub(super) fn shown_line(spot: &Spot) -> String {
    let line = spot.around.line.trim();
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Returns the answer as JSON.
pub(super) fn references_json(
    found: &References,
    languages: &Languages,
    family: UsesThroughFamily,
    limit: usize,
) -> Value {
    let reference_json = |one: &Reference| {
        let mut object = reference_json(one);
        if one.spot.is_generated {
            object["generated"] = json!(true);
        }
        object
    };
    let all: Vec<Value> = found.list.iter().map(reference_json).collect();
    let shown = fitting(&all, limit);
    let (missing, confirmed, unchecked) = match found.completeness {
        Completeness::Complete => (0, 0, 0),
        Completeness::Incomplete { missing, confirmed } => (missing, confirmed, 0),
        Completeness::Unchecked(count) => (0, 0, count),
    };
    let list = |list: &[Reference]| -> Vec<Value> { list.iter().map(reference_json).collect() };
    let mut unlisted: Vec<Value> = found.possible.iter().map(reference_json).collect();
    unlisted.iter_mut().for_each(|one| one["certainty"] = json!("possible"));
    unlisted.extend(list(&found.unreported));
    let outside = found.outside.iter();
    let outside: Vec<Value> = outside
        .map(|spot| json!({ "path": spot.path.display().to_string(), "line": spot.line + 1 }))
        .collect();
    let renamed: Vec<Value> = found
        .unfollowed_aliases()
        .into_iter()
        .map(|(path, alias)| json!({ "path": path.as_str(), "as": alias }))
        .collect();
    let mut object = json!({
        "symbol": {
            "name_path": found.target.symbol.name_path, "path": found.target.symbol.path.as_str(),
            "line": found.target.symbol.start_line + 1, "kind": found.target.symbol.kind.word(),
        },
        "references": all[..shown], "left_out": all.len() - shown,
        "unlisted": unlisted, "other_languages": list(&found.in_other_languages),
        "likely_in": languages_of(&found.in_other_languages, languages), "outside_project": outside,
        "complete": found.completeness == Completeness::Complete && shown == all.len() && renamed.is_empty()
            && found.unread.is_empty(),
        "unread": found.unread.clauses(),
        "renamed": renamed,
        "missing": missing, "confirmed_missing": confirmed, "unchecked": unchecked,
        "maybe_indexing": found.maybe_indexing,
        "dropped": { "outside_text": found.dropped.outside_text, "not_the_name": found.dropped.not_the_name },
        "revision": found.revision,
    });
    if !found.of_kin.is_empty() {
        let kin = found.of_kin.iter().map(|kin| {
            let mut object = kin_json(kin);
            if family == UsesThroughFamily::Listed {
                object["references"] = kin.uses.iter().map(reference_json).collect();
            }
            object
        });
        object["through_family"] = kin.collect();
    }
    reading_json(found.target.read_as.as_ref(), &mut object);
    source_json(&found.source, &mut object);
    object
}

fn kin_json(kin: &UsesOfKin) -> Value {
    let symbol = &kin.member.symbol;
    json!({
        "name_path": symbol.name_path, "path": symbol.path.as_str(), "line": symbol.start_line + 1, "count": kin.uses.len(),
    })
}

fn reference_json(one: &Reference) -> Value {
    let inside = one.spot.inside.as_ref();
    json!({
        "path": one.spot.path.as_str(), "line": one.spot.line + 1, "role": role_word(one.role),
        "in": inside.map(|inside| &inside.name_path), "kind": inside.map_or("file", |inside| inside.kind.word()),
        "text": one.spot.around.line.trim(), "likely": one.judgement == Judgement::Likely,
        "certainty": if one.judgement == Judgement::Likely { "certain" } else { "likely" },
    })
}
