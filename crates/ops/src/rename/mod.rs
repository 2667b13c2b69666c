//! Renames a symbol: the server's edit, validated against the files and compared with what syntax finds,
//! becomes a plan for the edit engine. Does not write; `edits::apply_multi_file` does. Invariant: whatever is in
//! doubt is rejected with the places, or reported in a note; no part of an edit is left out but that in generated files, which
//! a note tells.

mod answer;
mod by_name;
mod by_server;
mod by_syntax;
mod collisions;
mod definition_index;
mod delegates;
mod drafted;
mod examples;
mod file_of_class;
mod files_with_bom;
mod fixtures;
mod fluent;
mod generated;
mod hazards;
mod in_quotes;
mod in_strings;
mod kept_exports;
mod kotlin_local;
mod library_names;
mod linked;
mod mentioned;
mod mentions;
mod merged;
mod name_in_string;
mod names;
mod places;
mod shared_imports;
mod shorthand;
mod unparsed;

use std::collections::BTreeSet;

pub use self::answer::{Listed, PlannedRename, RenameError, RenameNote};
use self::by_name::{
    with_augmented, with_computed_names, with_go_obstacles, with_members_named_by_class, with_mirrored,
    with_module_file, with_parameters, with_pasted_names, with_readers,
};
use self::delegates::with_delegates;
use self::drafted::drafted;
use self::generated::without_generated;
use self::hazards::with_hazards;
use self::library_names::with_library_names;
use self::linked::{LinkedSymbol, linked, override_notes};
pub(crate) use self::mentioned::mentioned;
pub use self::mentioned::{MentionPlace, Mentioned};
pub use self::mentions::Medium;
use self::mentions::{MAX_MENTIONS, Mention, Mentions, mentions};
use self::merged::ask_server;
pub(crate) use self::places::listed;
use self::unparsed::{UnparsedMentions, unseen};
use super::Project;
use super::edits::NameUsers;
use super::overrides::OverrideLinks;
use super::question::{QuestionError, Source};
use super::references::judge;
use super::server_edit::ServerEdit;
use super::target::{SymbolSelector, Target, TargetError};
use super::unproven_servers::{judged_by_types, not_needed};
use symd_base::{Cancel, RelPath, TextEdit, TextRange};
use symd_engine::View;
use symd_index::Locals;
use symd_lsp::{ServerError, WaitPolicy};
use symd_rewrite::{NewNameError, check_new_name};
use symd_syntax::spelled_as;

/// Maximum number of files that a note lists.
const NAMED_FILES: usize = 5;

/// Parameters of `plan`.
#[derive(Clone, Debug)]
pub struct Rename {
    pub wanted: SymbolSelector,
    /// The new name, as it would be written in the source.
    pub new_name: String,
    /// Where mentions of the name are changed, too.
    pub include: BTreeSet<Medium>,
    /// What happens to occurrences that may mean the symbol or something else.
    pub unchecked: UncheckedUses,
    /// How doubts are handled.
    pub doubts: DoubtPolicy,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// What happens to occurrences of the name whose meaning neither a server nor syntax can determine: `x.run()`
/// where the type of `x` is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UncheckedUses {
    /// They are not renamed, which is a doubt.
    Left,
    /// They are renamed too: the client has checked them.
    Renamed,
}

impl Rename {
    /// Whether uses that may mean the symbol or something else, and are not renamed, are a doubt.
    fn doubts_uses(&self) -> bool {
        self.unchecked == UncheckedUses::Left && self.doubts != DoubtPolicy::NoteUses
    }

    /// Returns a doubt about uses as a note, or as an error if such doubts reject the rename.
    fn doubt_of_uses(&self, why: String, places: Vec<Listed>) -> Result<RenameNote, RenameError> {
        match self.doubts_uses() && self.doubts == DoubtPolicy::Refuse {
            true => Err(RenameError::Doubtful { why, places }),
            false => Ok(RenameNote::doubt(why, places)),
        }
    }
}

impl UncheckedUses {
    /// The word that clients use for it, beside the media of mentions.
    pub const NAME: &str = "unchecked";
}

/// How doubts are handled. Invalid edits are rejected in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtPolicy {
    /// They reject the rename, with the places.
    Refuse,
    /// Uses that may also mean something else are left as the server has them, with a note; every other doubt
    /// rejects the rename.
    NoteUses,
    /// They become notes.
    Note,
}

/// A rename that is being planned: the edit, and the notes on it.
struct Draft {
    edit: ServerEdit,
    source: Source,
    maybe_indexing: bool,
    notes: Vec<RenameNote>,
}

/// Plans a rename on one view. Writes nothing. [`RenameError::is_conflict`] tells whether files changed
/// meanwhile: those that the plan is based on, or those that use the old or the new name.
pub async fn plan(project: &Project, ask: &Rename) -> Result<PlannedRename, RenameError> {
    let (planned, users) = project
        .by_need(|project| async move {
            let planned = plan_at(&project, ask).await;
            if let Some(path) = project.changed_file() {
                return Ok(Err(changed(&path)));
            }
            let planned = match planned {
                Ok(planned) => planned,
                Err(error) => return Ok(Err(error)),
            };
            let names = NameUsers::names_of([planned.target.name.as_str(), &ask.new_name]);
            let users = NameUsers::of_names(&project, names).await?;
            Ok(Ok((planned, users)))
        })
        .await??;
    if users.are_same(project).await? { Ok(planned) } else { Err(changed(&planned.target.at.path)) }
}

fn changed(path: &RelPath) -> RenameError {
    QuestionError::from(ServerError::changed(path)).into()
}

async fn plan_at(project: &Project, ask: &Rename) -> Result<PlannedRename, RenameError> {
    let target = match project.target(&ask.wanted).await {
        Ok(target) => target,
        Err(missing @ QuestionError::Target(TargetError::None { .. }))
            if ask.wanted.locals == Locals::Included =>
        {
            // No row of the index stands for a local of Kotlin.
            let found = kotlin_local::planned(project, ask).await?;
            return found.ok_or_else(|| missing.into());
        }
        Err(error) => return Err(error.into()),
    };
    check_name(&target, &ask.new_name)?;
    check_written(project, &target).await?;
    let links = linked(project, &target, ask.waiting.requiring_answer()).await?;
    let noted = override_notes(project, ask, &links).await?;
    let OverrideLinks { members, through_super, by_computed_name, .. } = links;
    let symbol = LinkedSymbol { target, members, through_super };
    let asked = project.snapshot().await?;
    let judged_server = judged_by_types(project, &symbol.target, |server| server.rename);
    // Syntax judges, and the text is searched, while the server works.
    let (said, judged, found, conflicts, unparsed) = tokio::join!(
        async {
            match &judged_server {
                Some(_) => None,
                None => Some(ask_server(project, &symbol, ask, &asked).await),
            }
        },
        judge(project, &symbol.members),
        search(project, &symbol),
        find_conflicts(project, &symbol, ask),
        search_unparsed(project, &symbol)
    );
    let (mut judged, found, conflicts, unparsed) = (judged?, found?, conflicts?, unparsed?);
    judged.mark_likely(&symbol.through_super);
    let needless = judged_server.as_deref().and_then(|server| not_needed(server, &judged));
    let said = match (said, needless) {
        (Some(said), _) => said,
        (None, Some(why)) => Err(why),
        (None, None) => ask_server(project, &symbol, ask, &asked).await,
    };
    let are_judged = judged_server.is_some();
    let mut draft = drafted(project, &symbol, ask, (said, asked), (&judged, are_judged), unparsed).await?;
    draft.notes.splice(0..0, noted);
    let draft = with_computed_names(project, &symbol, ask, draft, by_computed_name).await?;
    let draft = with_members_named_by_class(project, &symbol, ask, draft).await?;
    let draft = with_augmented(project, &symbol, ask, draft).await?;
    let draft = with_parameters(project, &symbol, ask, draft).await?;
    let draft = with_readers(project, &symbol, ask, draft).await?;
    let draft = with_module_file(project, &symbol, ask, draft).await?;
    let draft = with_go_obstacles(project, &symbol, ask, draft).await?;
    let draft = with_mirrored(project, &symbol, ask, draft).await?;
    let draft = with_pasted_names(project, &symbol, ask, draft).await?;
    let draft = with_delegates(project, &symbol, ask, draft).await?;
    let draft = with_library_names(project, &symbol, ask, draft).await?;
    let draft = with_mentions(project, &symbol.target, ask, draft, found).await?;
    let draft = with_hazards(project, &symbol, ask, draft).await?;
    let draft = without_generated(project, &symbol, ask, draft).await?;
    let draft = without_collisions(project, &symbol, ask, draft, conflicts).await?;
    to_plan(symbol.target, ask, draft)
}

fn check_name(target: &Target, new_name: &str) -> Result<(), NewNameError> {
    if let Some(grammar) = target.file.grammar() {
        return check_new_name(grammar, &target.name, new_name);
    }
    // In a language that only its server knows: accepts what is an identifier nearly everywhere.
    let given = new_name.to_owned();
    match new_name {
        "" => Err(NewNameError::Empty),
        _ if new_name == target.name => Err(NewNameError::Same(given)),
        _ if new_name.contains(['/', '\\', '.', ':']) => Err(NewNameError::Path(given)),
        _ => match new_name.chars().find(|&c| c.is_whitespace() || c.is_control()) {
            Some(_) => {
                let joined: Vec<&str> = new_name.split_whitespace().collect();
                Err(NewNameError::Space(given, joined.join("_")))
            }
            None => Ok(()),
        },
    }
}

/// Rejects a symbol without a name in the text: Kotlin's `companion object`.
async fn check_written(project: &Project, target: &Target) -> Result<(), RenameError> {
    if spelled_as(&target.name).is_none() {
        return Ok(());
    }
    let of = target.clone();
    let work = move |view: &View, _: &Cancel| {
        let current = view.current(&of.file).ok().filter(|current| current.hash == of.at.hash);
        current.is_none_or(|current| current.text.slice(of.name_range) == of.name)
    };
    if project.with_view(work).await? {
        return Ok(());
    }
    let (symbol, path) = (&target.symbol, &target.at.path);
    let why = format!(
        "{} in {path} has no name in the text; give it one there, then rename that",
        symbol.name_path
    );
    Err(QuestionError::Place(why).into())
}

async fn search(project: &Project, symbol: &LinkedSymbol) -> Result<Mentions, QuestionError> {
    let symbol = symbol.clone();
    Ok(project.with_view(move |view, cancel| mentions(view, &symbol, cancel)).await??)
}

async fn search_unparsed(
    project: &Project,
    symbol: &LinkedSymbol,
) -> Result<UnparsedMentions, QuestionError> {
    let symbol = symbol.clone();
    let work = move |view: &View, cancel: &Cancel| unseen(view, &symbol.target, &symbol.members, cancel);
    Ok(project.with_view(work).await??)
}

async fn find_conflicts(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
) -> Result<Vec<(RelPath, TextRange)>, QuestionError> {
    let (symbol, new_name) = (symbol.clone(), ask.new_name.clone());
    Ok(project
        .with_view(move |view, cancel| collisions::find_conflicts(view, &symbol, &new_name, cancel))
        .await??)
}

/// Adds the mentions that are to be changed too, and notes the others.
async fn with_mentions(
    project: &Project,
    target: &Target,
    ask: &Rename,
    mut draft: Draft,
    Mentions { mut found, unsearched }: Mentions,
) -> Result<Draft, RenameError> {
    let is_full = found.len() >= MAX_MENTIONS;
    if is_full && !ask.include.is_empty() {
        let why = format!(
            "'{}' occurs in more than {MAX_MENTIONS} strings, comments and files of other languages, so they cannot all be included",
            target.name
        );
        return Err(RenameError::Doubtful { why, places: Vec::new() });
    }
    found.retain(|one| !draft.edit.changes(&one.path, one.range));
    if !unsearched.is_empty() {
        let names: Vec<&str> = unsearched.iter().take(NAMED_FILES).map(RelPath::as_str).collect();
        let more = unsearched.len().saturating_sub(NAMED_FILES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        draft.notes.push(RenameNote::plain(format!(
            "too large to be searched for mentions: {}{more}",
            names.join(", ")
        )));
    }
    let (included, left): (Vec<Mention>, Vec<Mention>) = found.into_iter().partition(|one| {
        one.is_certain_mention || one.is_likely_mention || ask.include.contains(&one.medium)
    });
    let named: Vec<(RelPath, TextRange)> =
        left.iter().filter(|one| one.is_its_name).map(|one| (one.path.clone(), one.range)).collect();
    // Where types are known, a program rarely looks a declaration up by its name: the notes on mentions tell of these.
    if !named.is_empty() && !symd_resolve::has_types(&target.file) {
        let why = format!(
            "{} only of '{}' or its path, by which the program may look it up; include: [\"{}\"] changes all mentions in strings",
            counted(named.len(), "string consists", "strings consist"),
            target.name,
            Medium::Strings.name()
        );
        let places = project.with_view(move |view, cancel| listed(view, &named, cancel)).await?;
        // The note itself is dropped: the notes on mentions include these places.
        ask.doubt_of_uses(why, places.map_err(QuestionError::from)?)?;
    }
    let new_name = ask.new_name.clone();
    let work = move |view: &View, cancel: &_| {
        let is_string = |one: &Mention| one.is_certain_mention && one.medium != Medium::Docs;
        let is_link =
            |one: &Mention| one.is_certain_mention && one.medium == Medium::Docs && !one.is_in_example;
        let is_example = |one: &Mention| one.is_certain_mention && one.is_in_example;
        let places_of = |counts: fn(&Mention) -> bool| -> Vec<(RelPath, TextRange)> {
            let counted = included.iter().filter(|one| counts(one));
            counted.map(|one| (one.path.clone(), one.range)).collect()
        };
        let (follow, overriding) = (places_of(is_string), places_of(|one| one.is_likely_mention));
        let (links, examples) = (places_of(is_link), places_of(is_example));
        for one in included {
            let range = one.range;
            let file = draft.edit.file(view, &one.path)?;
            file.edits.push(TextEdit { range, new_text: new_name.clone() });
        }
        draft.edit.settle()?;
        if !follow.is_empty() {
            let text = format!(
                "{} renamed too",
                counted(follow.len(), "string that names it", "strings that name it")
            );
            draft.notes.push(RenameNote::fact(text, listed(view, &follow, cancel)?));
        }
        if !links.is_empty() {
            let text = format!(
                "{} renamed too",
                counted(links.len(), "link in documentation", "links in documentation")
            );
            draft.notes.push(RenameNote::fact(text, listed(view, &links, cancel)?));
        }
        if !examples.is_empty() {
            let text = format!(
                "{} renamed too",
                counted(
                    examples.len(),
                    "use in an example of documentation",
                    "uses in examples of documentation"
                )
            );
            draft.notes.push(RenameNote::fact(text, listed(view, &examples, cancel)?));
        }
        if !overriding.is_empty() {
            let text = format!(
                "{} renamed too, because of the text around the name",
                counted(overriding.len(), "place in a string", "places in strings")
            );
            draft.notes.push(RenameNote::doubt(text, listed(view, &overriding, cancel)?));
        }
        for medium in Medium::ALL {
            let of_medium = || left.iter().filter(|one| one.medium == medium);
            let places: Vec<(RelPath, TextRange)> =
                of_medium().map(|one| (one.path.clone(), one.range)).collect();
            if places.is_empty() {
                continue;
            }
            let more = if is_full { " at least" } else { "" };
            let text = format!(
                "{}{more} in {} left as {}; include: [\"{}\"] changes them too",
                counted(places.len(), "mention", "mentions"),
                medium.name().replace('_', " "),
                if places.len() == 1 { "it is" } else { "they are" },
                medium.name()
            );
            let places = listed(view, &places, cancel)?;
            let is_lookup = of_medium().any(|one| one.may_be_looked_up);
            draft.notes.push(RenameNote { text, places, is_doubt: is_lookup, is_mention: true });
        }
        Ok(draft)
    };
    let server = "symd".to_owned();
    let draft = project.with_view(work).await?;
    draft.map_err(|problem| RenameError::Server { server, problem })
}

/// Rejects the rename, or notes, if the new name is in use.
async fn without_collisions(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
    conflicts: Vec<(RelPath, TextRange)>,
) -> Result<Draft, RenameError> {
    let (of, new_name, edit) = (symbol.clone(), ask.new_name.clone(), draft.edit.clone());
    let work =
        move |view: &View, cancel: &_| collisions::collisions(view, &of, &new_name, &edit, conflicts, cancel);
    let places = project.with_view(work).await?.map_err(QuestionError::from)?;
    if places.is_empty() {
        return Ok(draft);
    }
    if ask.doubts != DoubtPolicy::Note {
        let (old_name, new_name) = (symbol.target.name.clone(), ask.new_name.clone());
        return Err(RenameError::Collides { old_name, new_name, places });
    }
    draft.notes.push(RenameNote::doubt(format!("'{}' is already in use here", ask.new_name), places));
    Ok(draft)
}

fn to_plan(target: Target, ask: &Rename, draft: Draft) -> Result<PlannedRename, RenameError> {
    let Draft { edit, source, maybe_indexing, mut notes } = draft;
    notes.extend(edit.notes.iter().map(|note| RenameNote::plain(format!("the server says: {note}"))));
    if edit.duplicates > 0 {
        notes.push(RenameNote::plain(format!(
            "{} given twice by the server",
            counted(edit.duplicates, "edit", "edits")
        )));
    }
    let files = edit.counts();
    let renamed = edit.renamed();
    let revision = target.at.revision;
    let server = source.name().to_owned();
    let plan = edit.plan().map_err(|problem| RenameError::Server { server, problem })?;
    let (new_name, is_forced) = (ask.new_name.clone(), ask.doubts == DoubtPolicy::Note);
    Ok(PlannedRename {
        target,
        new_name,
        plan,
        files,
        renamed,
        notes,
        source,
        maybe_indexing,
        revision,
        is_forced,
    })
}

/// Returns a number with its noun: `1 mention`, `2 mentions`.
fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
