//! Users of a symbol in the answers of `explore` and `impact`, and what may be missing among them.

use serde_json::{Value, json};

use super::answer::Footer;
use super::files::counted;
use super::render::short_word;
use symd_ops::code_kind::CodeKind;
use symd_ops::question::Source;
use symd_ops::relations::{FileLocation, TransitiveUser, TransitiveUsers, User, UserGaps};

/// Formats what follows the path: `12 function main @ 14 20 via checkout`.
pub(super) fn user_line(one: &TransitiveUser, all: &[TransitiveUser]) -> String {
    let summary = &one.user.summary;
    format!(
        "{} {} {}{}{}",
        summary.line + 1,
        short_word(summary.kind),
        summary.name_path,
        lines_of(&one.user),
        over(one, all)
    )
}

/// Returns ` via checkout`: the last name of the symbol that it uses, if that is not the one asked about.
pub(super) fn over(one: &TransitiveUser, all: &[TransitiveUser]) -> String {
    let name = |over: usize| {
        let path = all[over].user.summary.name_path.as_str();
        format!(" via {}", path.rsplit('/').next().unwrap_or(path))
    };
    one.via.map(name).unwrap_or_default()
}

/// Returns ` @ 14 20?`: the lines that use the symbol, uncertain ones with a question mark.
pub(super) fn lines_of(user: &User) -> String {
    let mut lines: Vec<(u32, bool)> = Vec::new();
    for place in &user.places {
        match lines.last_mut() {
            Some((line, is_likely)) if *line == place.line => *is_likely |= place.is_likely,
            _ => lines.push((place.line, place.is_likely)),
        }
    }
    let shown =
        lines.iter().map(|(line, is_likely)| format!("{}{}", line + 1, if *is_likely { "" } else { "?" }));
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { String::new() } else { format!(" @ {}", shown.join(" ")) }
}

/// Returns the path of a file as answers show it.
pub(super) fn file_of(file: &FileLocation) -> String {
    match file {
        FileLocation::Project(path) => path.as_str().to_owned(),
        FileLocation::Outside(path) => path.display().to_string(),
    }
}

/// Returns the word for a part of the project.
pub(super) fn part_word(part: CodeKind) -> &'static str {
    match part {
        CodeKind::Production => "production",
        CodeKind::Test => "test",
        CodeKind::Generated => "generated",
    }
}

/// Returns a user as JSON.
pub(super) fn user_json(one: &TransitiveUser, all: &[TransitiveUser]) -> Value {
    let summary = &one.user.summary;
    let places: Vec<Value> = one.user.places.iter().map(|place| {
        json!({ "line": place.line + 1, "role": super::server_tools::role_word(place.role), "likely": place.is_likely })
    }).collect();
    json!({
        "depth": one.depth, "name_path": summary.name_path, "kind": summary.kind.word(), "path": one.user.file(),
        "line": summary.line + 1, "at": places, "calls": one.user.calls(), "likely": one.user.is_likely(),
        "over": one.via.map(|over| all[over].user.summary.name_path.clone()), "part": part_word(one.part),
    })
}

/// Reports what may be missing among the users of a symbol.
pub(super) fn note_gaps(reach: &TransitiveUsers, footer: &mut Footer) {
    let UserGaps { missing, unchecked, renamed, outside, maybe_indexing, unread } = &reach.gaps;
    let source = reach.source.name();
    if *outside > 0 {
        footer.add_note(format!("{} outside the project", counted(*outside, "use", "uses")));
    }
    if *missing > 0 {
        let uses = counted(*missing, "possible use", "possible uses");
        footer.add_incomplete(format!("{uses} that {source} does not report, marked ?"));
    }
    if let Some(server) = maybe_indexing {
        footer.add_incomplete(format!("{server} may still be indexing; ask again"));
    }
    unread.clauses().into_iter().for_each(|why| footer.add_incomplete(why));
    if let Some((path, alias)) = renamed.first() {
        let others = match renamed.len() {
            1 => String::new(),
            more => format!(" and {} more", more - 1),
        };
        footer.add_unchecked(format!(
            "{path} imports it as {alias}{others}; uses of such names are not followed, search finds them"
        ));
    }
    if *unchecked > 0 {
        footer.add_unchecked(format!(
            "{} of that name that {source} does not report and syntax cannot resolve",
            counted(*unchecked, "occurrence", "occurrences")
        ));
    }
}

/// Reports how many users are uncertain; `shown` of them are in the answer.
pub(super) fn note_unsure(shown: usize, reach: &TransitiveUsers, footer: &mut Footer) {
    let more = unsure(reach).saturating_sub(shown);
    // What a server does not report was stated as missing before.
    if !matches!(reach.source, Source::Syntax(_)) {
        return;
    }
    if shown > 0 {
        footer.add_unchecked(format!("{shown} marked ?, on unknown receivers, not followed further"));
    }
    if more > 0 {
        let uses = counted(more, "use that may lead further up was", "uses that may lead further up were");
        footer.add_unchecked(format!("{uses} not followed"));
    }
}

/// Returns how many users are uncertain.
pub(super) fn unsure(reach: &TransitiveUsers) -> usize {
    reach.reached.iter().filter(|one| !one.user.is_likely()).count()
}

/// Whether every possible user is reported, and certain.
pub(super) fn is_whole(reach: &TransitiveUsers) -> bool {
    reach.gaps.is_empty() && unsure(reach) == 0 && reach.not_followed == 0
}

/// Adds what may be missing to a JSON answer.
pub(super) fn gaps_json(reach: &TransitiveUsers, object: &mut Value) {
    let gaps = &reach.gaps;
    object["missing"] = json!(gaps.missing);
    object["unchecked"] = json!(gaps.unchecked + unsure(reach));
    object["renamed"] =
        gaps.renamed.iter().map(|(path, alias)| json!({ "path": path.as_str(), "as": alias })).collect();
    object["outside_project"] = json!(gaps.outside);
    object["maybe_indexing"] = json!(gaps.maybe_indexing.is_some());
    object["unread"] = json!(gaps.unread.clauses());
    object["not_followed"] = json!(reach.not_followed);
}
