//! What is linked to a member by overriding: by the heads of classes, and, where those leave something open, by what the
//! language server knows of a base. Only finds out; what follows from it is for its callers. Invariant: what could not be
//! found out is an objection, with its reason.

use tokio::task::JoinSet;

use super::Project;
use super::declared::declared_by;
use super::part::{Part, part_of};
use super::question::{QuestionError, unchanged};
use super::spot::{Expect, check};
use super::target::{SymbolSelector, Target};
use symd_base::{RelPath, TextRange};
use symd_engine::View;
use symd_lsp::{At, FileRef, Goto, NoAnswer, Span, Waiting};
use symd_resolve::{self as resolve, OverrideFamily, SettledBase, SettledBases, Unknown, UnknownBase};
use symd_syntax::SymbolKind;

/// How often the family is looked for again because the server knew more of a base.
const ROUNDS: usize = 5;

/// Bases that the server is asked about in one round. Of a name that more classes with unknown bases declare, it cannot be
/// told.
const MAX_ASKED: usize = 48;

/// Objections of one kind that a text names.
const NAMED: usize = 3;

/// What is asked.
#[derive(Clone, Debug)]
pub struct FindOverrides {
    /// Of which member.
    pub wanted: SymbolSelector,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// What is linked to a member.
#[derive(Clone, Debug)]
pub struct OverrideLinks {
    /// All declarations of it, in path order, then by position; the asked one is among them.
    pub members: Vec<Target>,
    /// Why that may not be all, or not the project's alone to rename or to delete.
    pub objections: Vec<Objection>,
    /// What may be overridden besides, outside of the project, where that is all that is known: "Thread, a base of K".
    pub perhaps_outside: Vec<String>,
    /// Where classes that may be used in place of one of the family declare the name.
    pub stand_ins: Vec<(RelPath, TextRange)>,
    /// Members of the name in test doubles: classes of tests that have nothing but methods of the family, of which the asked
    /// member is shipped.
    pub doubles: Vec<Target>,
    /// What the server cannot see of outside classes.
    pub unseen: Vec<String>,
    /// Uses through `super()`, which can lead nowhere else.
    pub through_super: Vec<(RelPath, TextRange)>,
    /// Where classes of the family reach members by names that the program computes, which may be this one.
    pub by_computed_name: Vec<(RelPath, TextRange)>,
    /// Those of the members that override the asked one.
    pub(super) below: Vec<resolve::Target>,
    /// Those that the asked one overrides.
    pub(super) above: Vec<resolve::Target>,
    /// Classes of which it is not known whether they inherit from the asked one's, and that declare the member, or whose heirs do.
    pub(super) may_be_below: Vec<resolve::Target>,
    /// Calls that make a class which inherits from the asked one's, or may.
    pub(super) made: Vec<resolve::MadeClass>,
    /// Types that meet the interface, where the language asks for no word.
    pub(super) alike: Vec<resolve::Target>,
}

/// Something that is in the way of changing a member by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What kind.
    pub kind: ObjectionKind,
    /// What, in a sentence's words.
    pub text: String,
    /// Where it shows.
    pub place: (RelPath, TextRange),
}

/// Kinds of objections, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectionKind {
    /// Something outside the project declares the member.
    Outside,
    /// A class outside the project may.
    UnknownMembers,
    /// A base is not known.
    UnknownClass,
    /// Another type meets the interface without a word.
    Alike,
}

impl OverrideLinks {
    /// The members in other classes than the asked one, each with its line (0-based), in path order.
    pub fn others<'l>(&'l self, target: &'l Target) -> impl Iterator<Item = (&'l Target, u32)> {
        // By where its name begins: not all of them are rows of the index.
        let parent = |one: &Target| {
            let rows = &one.file.outline()?.rows;
            rows.get(rows.get(one.row)?.parent()?).map(|class| class.name_start)
        };
        let is_other = move |one: &&Target| one.at.path != target.at.path || parent(one) != parent(target);
        let line = |one: &Target| one.file.outline()?.rows.get(one.row).map(|row| row.name_line);
        self.members.iter().filter(is_other).map(move |one| (one, line(one).unwrap_or(0)))
    }

    /// The objections in one sentence, a few of each kind named; empty where there are none.
    pub fn objection(&self) -> String {
        let mut texts: Vec<String> = Vec::new();
        for of_kind in self.objections.chunk_by(|a, b| a.kind == b.kind) {
            let mut different: Vec<&str> = of_kind.iter().map(|one| one.text.as_str()).collect();
            different.sort_unstable();
            different.dedup();
            texts.extend(different.iter().take(NAMED).map(|&text| text.to_owned()));
            if let more @ 1.. = different.len().saturating_sub(NAMED) {
                texts.push(format!("and {more} more of that kind"));
            }
        }
        texts.join("; ")
    }

    /// Takes over what was found out beside the members of `other`.
    pub(super) fn join(&mut self, other: OverrideLinks) {
        self.objections.extend(other.objections);
        self.objections.sort_by_key(|one| one.kind);
        self.objections.dedup();
        self.perhaps_outside.extend(other.perhaps_outside);
        self.perhaps_outside.sort_unstable();
        self.perhaps_outside.dedup();
        self.doubles.extend(other.doubles);
        self.stand_ins.extend(other.stand_ins);
        self.stand_ins.sort_unstable();
        self.stand_ins.dedup();
        self.unseen.extend(other.unseen);
        self.unseen.sort_unstable();
        self.unseen.dedup();
        self.through_super.extend(other.through_super);
        self.by_computed_name.extend(other.by_computed_name);
    }

    /// Where the objections show.
    pub fn places(&self) -> Vec<(RelPath, TextRange)> {
        let mut places: Vec<(RelPath, TextRange)> =
            self.objections.iter().map(|one| one.place.clone()).collect();
        places.sort();
        places.dedup();
        places
    }
}

/// What a server said of one base, and what it cannot see.
struct Settled {
    base: SettledBase,
    lists_attributes: bool,
}

/// Finds what is linked to a member; the member, too.
pub async fn overrides(
    project: &Project,
    ask: &FindOverrides,
) -> Result<(Target, OverrideLinks), QuestionError> {
    unchanged(|| async {
        let target = project.target(&ask.wanted).await?;
        let links = override_links(project, &target, ask.waiting).await?;
        Ok((target, links))
    })
    .await
}

/// Finds what is linked to `target`.
pub(super) async fn override_links(
    project: &Project,
    target: &Target,
    waiting: Waiting,
) -> Result<OverrideLinks, QuestionError> {
    let mut settled = SettledBases::new();
    let mut unseen = Vec::new();
    let mut round = 0;
    let (family, silent) = loop {
        let (of, known) = (target.resolved(), settled.clone());
        let work = move |view: &View, cancel: &_| resolve::overrides(view, &of, &known, cancel);
        let family = project.look(work).await??;
        let is_new = |one: &&UnknownBase| !settled.contains_key(&place_of(one)) && !one.written.is_computed();
        let new: Vec<UnknownBase> = family.unknown.iter().filter(is_new).take(MAX_ASKED).cloned().collect();
        round += 1;
        if new.is_empty() || round > ROUNDS {
            break (family, None);
        }
        let said = match settle(project, target, &new, waiting).await {
            Ok(said) => said,
            Err(changed @ QuestionError::NoAnswer(NoAnswer::Changed { .. })) => return Err(changed),
            Err(QuestionError::NoAnswer(why)) => break (family, Some(why)),
            Err(other) => return Err(other),
        };
        for (base, said) in new.iter().zip(said) {
            if !said.lists_attributes && said.base.is_known && is_data(target.symbol.kind) {
                unseen.push(base.name.clone());
            }
            settled.insert(place_of(base), said.base);
        }
    };
    unseen.sort();
    unseen.dedup();
    let objections = objections(&family, target, silent.as_ref());
    let languages = project.languages.clone();
    let by_computed_name = family.by_computed_name.clone();
    let (through_super, below) = (family.through_super.clone(), family.below.clone());
    let (alike, above) = (family.alike.clone(), family.above.clone());
    let is_shipped = part_of(&target.at.path, &target.symbol.name_path) == Part::Production;
    let is_double = |one: &&resolve::StandIn| {
        is_shipped && one.is_whole && part_of(&one.member.file.path, "") == Part::Test
    };
    let (doubles, stand_ins): (Vec<_>, Vec<_>) = family.stand_ins.iter().partition(is_double);
    let stand_ins = stand_ins.into_iter().filter_map(|one| name_place(&one.member)).collect();
    let doubles: Vec<resolve::Target> = doubles.into_iter().map(|one| one.member.clone()).collect();
    let (may_be_below, made) = (family.may_be_below.clone(), family.made.clone());
    let perhaps = family.perhaps_outside.iter();
    let perhaps_outside =
        perhaps.map(|one| format!("{}, a base of {}", one.base, one.class.name())).collect();
    let work = move |view: &View, _: &_| {
        let known = |all: &[resolve::Target]| -> Vec<Target> {
            all.iter().filter_map(|one| Target::new(view, &languages, &one.file, one.row)).collect()
        };
        (known(&family.members), known(&doubles))
    };
    let (mut members, doubles): (Vec<Target>, Vec<Target>) = project.look(work).await?;
    // The very target that was asked about: its place belongs to the question's revision.
    for member in &mut members {
        if member.is_same(target) {
            *member = target.clone();
        }
    }
    Ok(OverrideLinks {
        members,
        objections,
        perhaps_outside,
        stand_ins,
        doubles,
        unseen,
        through_super,
        by_computed_name,
        below,
        above,
        may_be_below,
        made,
        alike,
    })
}

/// Where the name of a declaration stands.
fn name_place(of: &resolve::Target) -> Option<(RelPath, TextRange)> {
    let (_, row) = of.row()?;
    let end = row.name_start.checked_add(u32::try_from(of.name().len()).ok()?)?;
    Some((of.file.path.clone(), TextRange::new(row.name_start, end)))
}

/// Whether methods may assign it to the object.
fn is_data(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable)
}

fn place_of(base: &UnknownBase) -> (RelPath, u32) {
    (base.class.file.path.clone(), base.written.range.start)
}

/// Asks the server what the bases are.
async fn settle(
    project: &Project,
    target: &Target,
    bases: &[UnknownBase],
    waiting: Waiting,
) -> Result<Vec<Settled>, QuestionError> {
    let mut asked = JoinSet::new();
    for (number, base) in bases.iter().enumerate() {
        let (project, target, base) = (project.clone(), target.clone(), base.clone());
        asked.spawn(async move { (number, settle_one(&project, &target, &base, waiting).await) });
    }
    let mut said: Vec<(usize, Result<Settled, QuestionError>)> = asked.join_all().await;
    said.sort_by_key(|(number, _)| *number);
    said.into_iter().map(|(_, said)| said).collect()
}

async fn settle_one(
    project: &Project,
    target: &Target,
    base: &UnknownBase,
    waiting: Waiting,
) -> Result<Settled, QuestionError> {
    let language = project.language_of(target)?;
    let mut settled = Settled { base: SettledBase::default(), lists_attributes: true };
    let Some(hash) = base.class.file.hash() else { return Ok(settled) };
    let at = At {
        path: base.class.file.path.clone(),
        offset: base.written.range.start,
        hash,
        revision: target.at.revision,
    };
    let said = project.servers.goto(language, &at, Goto::Definition, waiting).await?;
    let mut is_known = !said.value.is_empty();
    let work = move |view: &View, cancel: &_| {
        // Libraries may be installed beneath the root, where the ignore rules leave them out.
        let is_inside = |span: &Span| match &span.file {
            FileRef::Project(path) => view.snapshot.files.get(path.as_str()).is_some(),
            FileRef::Outside(_) => false,
        };
        let (inside, outside): (Vec<Span>, Vec<Span>) = said.value.into_iter().partition(is_inside);
        let checked = check(view, &inside, Expect::Anything, cancel)?;
        let class = |spot: &super::spot::Spot| {
            let (row, name_start) = declared_by(view, spot)?;
            let outline = view.snapshot.files.get(spot.path.as_str())?.outline()?;
            resolve::is_type(outline.rows.get(row)?.kind()).then(|| (spot.path.clone(), name_start))
        };
        let classes: Vec<Option<(RelPath, u32)>> = checked.spots.iter().map(class).collect();
        Ok::<_, QuestionError>((classes, checked.dropped.outside_text, outside))
    };
    let (classes, dropped, outside) = project.look(work).await??;
    is_known &= dropped == 0 && classes.iter().all(Option::is_some);
    settled.base.classes = classes.into_iter().flatten().collect();
    if !outside.is_empty() {
        let (servers, revision) = (&project.servers, target.at.revision);
        match servers.outside_members(language, &outside, &target.name, revision, waiting).await {
            Ok(said) => {
                is_known &= said.value.is_whole;
                settled.lists_attributes = said.value.lists_attributes;
                settled.base.declares = said.value.declared_by;
            }
            Err(NoAnswer::Unsupported { .. }) => is_known = false,
            Err(why) => return Err(why.into()),
        }
    }
    settled.base.is_known = is_known;
    Ok(settled)
}

fn objections(family: &OverrideFamily, target: &Target, silent: Option<&NoAnswer>) -> Vec<Objection> {
    let name = &target.name;
    let head = |class: &resolve::Target| {
        let range = class.row().map_or(TextRange::new(0, 0), |(_, row)| {
            TextRange::new(row.name_start, row.name_start.saturating_add(u32::from(row.name_len)))
        });
        (class.file.path.clone(), range)
    };
    let mut all: Vec<Objection> = Vec::new();
    for one in &family.outside {
        let text = format!(
            "'{name}' of {} is also declared by {}, which is outside the project and knows it by this name",
            one.class.name(),
            one.base
        );
        all.push(Objection { kind: ObjectionKind::Outside, text, place: head(&one.class) });
    }
    let why = silent.map_or_else(String::new, |why| format!(" ({why})"));
    for one in &family.unknown {
        let (kind, text) = match one.what {
            Unknown::Members => (
                ObjectionKind::UnknownMembers,
                format!(
                    "it is not known whether {}, a base of {} outside the project, declares '{name}' too{why}",
                    one.name,
                    one.class.name()
                ),
            ),
            Unknown::Class => (
                ObjectionKind::UnknownClass,
                format!(
                    "it is not known what {}, a base of {}, is, nor whether it declares '{name}' too{why}",
                    one.name,
                    one.class.name()
                ),
            ),
        };
        all.push(Objection { kind, text, place: (one.class.file.path.clone(), one.written.range) });
    }
    // Of other languages' interfaces the servers know what meets them.
    let is_python = target.file.grammar().is_some_and(|grammar| grammar.name() == "python");
    for one in family.alike.iter().filter(|_| is_python) {
        let text = format!("{} has all members of the interface without naming it as a base", one.name());
        all.push(Objection { kind: ObjectionKind::Alike, text, place: head(one) });
    }
    for one in &family.met {
        let text = format!(
            "its class meets the protocol {}, which has '{name}' too, without naming it as a base",
            one.name()
        );
        all.push(Objection { kind: ObjectionKind::Alike, text, place: head(one) });
    }
    all.sort_by(|a, b| (a.kind, &a.place).cmp(&(b.kind, &b.place)));
    all.dedup();
    all
}
