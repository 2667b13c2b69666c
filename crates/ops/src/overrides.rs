//! What is linked to a member by overriding: determined from the heads of classes and, where these leave a
//! base open, from what the language server knows of it. Draws no conclusions; that is left to the callers.
//! Invariant: what could not be determined becomes an objection, with its reason.

use tokio::task::JoinSet;

use super::Project;
use super::code_kind::{CodeKind, part_of};
use super::declared::declared_by;
use super::question::QuestionError;
use super::spot::{Expect, check};
use super::target::{SymbolSelector, Target};
use symd_base::{RelPath, TextRange};
use symd_engine::View;
use symd_lsp::{DocumentPosition, FileRef, Goto, ServerError, Span, WaitPolicy};
use symd_resolve::{self as resolve, OverrideFamily, ServerBase, ServerBases, UnknownBase, UnknownFact};
use symd_syntax::SymbolKind;

/// Maximum number of rounds in which the family is searched again because the server resolved more bases.
const ROUNDS: usize = 5;

/// Maximum number of bases that the server is asked about in one round. The links of a name that more classes
/// with unknown bases declare cannot be determined.
const MAX_ASKED: usize = 48;

/// Maximum number of objections of one kind that a message lists.
const NAMED: usize = 3;

/// Parameters of `overrides`.
#[derive(Clone, Debug)]
pub struct FindOverrides {
    pub wanted: SymbolSelector,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// The declarations linked to a member by overriding.
#[derive(Clone, Debug)]
pub struct OverrideLinks {
    /// All declarations of the member, in path order, then by position, including the requested one.
    pub members: Vec<Target>,
    /// Why there may be more, or why the project alone cannot rename or delete the member.
    pub objections: Vec<Objection>,
    /// Where classes that may be used in place of one of the family declare the name.
    pub substitutes: Vec<(RelPath, TextRange)>,
    /// Members of the same name in test doubles: test classes that have only methods of the family. Only if
    /// the requested member is in shipped code.
    pub test_doubles: Vec<Target>,
    /// Outside bases of which the server does not list attributes, if the member is data.
    pub bases_without_attributes: Vec<String>,
    /// Uses through `super()`, which cannot refer to anything else.
    pub through_super: Vec<(RelPath, TextRange)>,
    /// Where classes of the family access members by computed names, which may refer to this one.
    pub by_computed_name: Vec<(RelPath, TextRange)>,
    /// The members that override the requested one.
    pub(super) in_subclasses: Vec<resolve::IndexedDeclaration>,
    /// The members that the requested one overrides.
    pub(super) in_base_classes: Vec<resolve::IndexedDeclaration>,
    /// Classes that may inherit from the requested member's class, and that declare the member or whose
    /// subclasses do.
    pub(super) possible_subclasses: Vec<resolve::IndexedDeclaration>,
    /// Calls that create a class which inherits, or may inherit, from the requested member's class.
    pub(super) dynamic: Vec<resolve::DynamicClass>,
    /// Types that satisfy the interface, in a language where they need not declare that.
    pub(super) structural: Vec<resolve::IndexedDeclaration>,
}

/// An obstacle to changing a member by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    pub kind: ObjectionKind,
    /// The objection, as a clause.
    pub text: String,
    /// The place that shows it.
    pub place: (RelPath, TextRange),
}

/// Kinds of objections, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectionKind {
    /// Something outside the project declares the member.
    Outside,
    /// A class outside the project may declare the member.
    UnknownMembers,
    /// A base could not be resolved.
    UnknownClass,
    /// Another type satisfies the interface without declaring that.
    Alike,
}

impl OverrideLinks {
    /// Returns the members in other classes than the requested one's, each with its line (0-based), in path
    /// order.
    pub fn others<'l>(&'l self, target: &'l Target) -> impl Iterator<Item = (&'l Target, u32)> {
        // Compared by the offset of the class's name: not all classes are rows of the index.
        let parent = |one: &Target| {
            let rows = &one.file.outline()?.rows;
            rows.get(rows.get(one.row)?.parent()?).map(|class| class.name_start)
        };
        let is_other = move |one: &&Target| one.at.path != target.at.path || parent(one) != parent(target);
        let line = |one: &Target| one.file.outline()?.rows.get(one.row).map(|row| row.name_line);
        self.members.iter().filter(is_other).map(move |one| (one, line(one).unwrap_or(0)))
    }

    /// Returns the objections in one sentence that lists a few of each kind; empty if there are none.
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

    /// Adds the findings of `other`, except its members.
    pub(super) fn join(&mut self, other: OverrideLinks) {
        self.objections.extend(other.objections);
        self.objections.sort_by_key(|one| one.kind);
        self.objections.dedup();
        self.test_doubles.extend(other.test_doubles);
        self.substitutes.extend(other.substitutes);
        self.substitutes.sort_unstable();
        self.substitutes.dedup();
        self.bases_without_attributes.extend(other.bases_without_attributes);
        self.bases_without_attributes.sort_unstable();
        self.bases_without_attributes.dedup();
        self.through_super.extend(other.through_super);
        self.by_computed_name.extend(other.by_computed_name);
    }

    /// Returns the places that show the objections.
    pub fn places(&self) -> Vec<(RelPath, TextRange)> {
        let mut places: Vec<(RelPath, TextRange)> =
            self.objections.iter().map(|one| one.place.clone()).collect();
        places.sort();
        places.dedup();
        places
    }
}

/// A server's answer about one base, and whether the server lists its attributes.
struct ResolvedBase {
    base: ServerBase,
    lists_attributes: bool,
}

/// Finds what is linked to a member; returns the member, too.
pub async fn overrides(
    project: &Project,
    ask: &FindOverrides,
) -> Result<(Target, OverrideLinks), QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
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
    waiting: WaitPolicy,
) -> Result<OverrideLinks, QuestionError> {
    let mut settled = ServerBases::new();
    let mut unseen = Vec::new();
    let mut round = 0;
    let (family, silent) = loop {
        let (of, known) = (target.resolved(), settled.clone());
        let work = move |view: &View, cancel: &_| resolve::overrides(view, &of, &known, cancel);
        let family = project.with_view(work).await??;
        let is_new = |one: &&UnknownBase| !settled.contains_key(&place_of(one)) && !one.written.is_computed();
        let new: Vec<UnknownBase> = family.unknown.iter().filter(is_new).take(MAX_ASKED).cloned().collect();
        round += 1;
        if new.is_empty() || round > ROUNDS {
            break (family, None);
        }
        let said = match resolve_bases(project, target, &new, waiting).await {
            Ok(said) => said,
            Err(changed @ QuestionError::NoAnswer(ServerError::Changed { .. })) => return Err(changed),
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
    let (through_super, below) = (family.through_super.clone(), family.in_subclasses.clone());
    let (alike, above) = (family.structural.clone(), family.in_base_classes.clone());
    let is_shipped = part_of(&target.at.path, &target.symbol.name_path) == CodeKind::Production;
    let is_double = |one: &&resolve::StandIn| {
        is_shipped && one.is_whole && part_of(&one.member.file.path, "") == CodeKind::Test
    };
    let (doubles, stand_ins): (Vec<_>, Vec<_>) = family.stand_ins.iter().partition(is_double);
    let stand_ins = stand_ins.into_iter().filter_map(|one| name_place(&one.member)).collect();
    let doubles: Vec<resolve::IndexedDeclaration> =
        doubles.into_iter().map(|one| one.member.clone()).collect();
    let (may_be_below, made) = (family.possible_subclasses.clone(), family.dynamic.clone());
    let work = move |view: &View, _: &_| {
        let known = |all: &[resolve::IndexedDeclaration]| -> Vec<Target> {
            all.iter().filter_map(|one| Target::new(view, &languages, &one.file, one.row)).collect()
        };
        (known(&family.members), known(&doubles))
    };
    let (mut members, doubles): (Vec<Target>, Vec<Target>) = project.with_view(work).await?;
    // The requested target itself: its place belongs to the question's revision.
    for member in &mut members {
        if member.is_same(target) {
            *member = target.clone();
        }
    }
    Ok(OverrideLinks {
        members,
        objections,
        substitutes: stand_ins,
        test_doubles: doubles,
        bases_without_attributes: unseen,
        through_super,
        by_computed_name,
        in_subclasses: below,
        in_base_classes: above,
        possible_subclasses: may_be_below,
        dynamic: made,
        structural: alike,
    })
}

/// Returns the place of a declaration's name.
fn name_place(of: &resolve::IndexedDeclaration) -> Option<(RelPath, TextRange)> {
    let (_, row) = of.row()?;
    let end = row.name_start.checked_add(u32::try_from(of.name().len()).ok()?)?;
    Some((of.file.path.clone(), TextRange::new(row.name_start, end)))
}

/// Whether methods may assign a member of this kind to the object.
fn is_data(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable)
}

fn place_of(base: &UnknownBase) -> (RelPath, u32) {
    (base.class.file.path.clone(), base.written.range.start)
}

/// Asks the server to resolve the bases.
async fn resolve_bases(
    project: &Project,
    target: &Target,
    bases: &[UnknownBase],
    waiting: WaitPolicy,
) -> Result<Vec<ResolvedBase>, QuestionError> {
    let mut asked = JoinSet::new();
    for (number, base) in bases.iter().enumerate() {
        let (project, target, base) = (project.clone(), target.clone(), base.clone());
        asked.spawn(async move { (number, resolve_base(&project, &target, &base, waiting).await) });
    }
    let mut said: Vec<(usize, Result<ResolvedBase, QuestionError>)> = asked.join_all().await;
    said.sort_by_key(|(number, _)| *number);
    said.into_iter().map(|(_, said)| said).collect()
}

async fn resolve_base(
    project: &Project,
    target: &Target,
    base: &UnknownBase,
    waiting: WaitPolicy,
) -> Result<ResolvedBase, QuestionError> {
    let language = project.language_of(target)?;
    let mut settled = ResolvedBase { base: ServerBase::default(), lists_attributes: true };
    let Some(hash) = base.class.file.hash() else { return Ok(settled) };
    let at = DocumentPosition {
        path: base.class.file.path.clone(),
        offset: base.written.range.start,
        hash,
        revision: target.at.revision,
    };
    let said = project.servers.goto(language, &at, Goto::Definition, waiting).await?;
    let mut is_known = !said.value.is_empty();
    let work = move |view: &View, cancel: &_| {
        // Libraries may be installed beneath the root, where the ignore rules exclude them.
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
    let (classes, dropped, outside) = project.with_view(work).await??;
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
            Err(ServerError::Unsupported { .. }) => is_known = false,
            Err(why) => return Err(why.into()),
        }
    }
    settled.base.is_known = is_known;
    Ok(settled)
}

fn objections(family: &OverrideFamily, target: &Target, silent: Option<&ServerError>) -> Vec<Objection> {
    let name = &target.name;
    let head = |class: &resolve::IndexedDeclaration| {
        let range = class.row().map_or(TextRange::new(0, 0), |(_, row)| {
            TextRange::new(row.name_start, row.name_start.saturating_add(u32::from(row.name_len)))
        });
        (class.file.path.clone(), range)
    };
    let mut all: Vec<Objection> = Vec::new();
    for one in &family.outside_project {
        let text = format!(
            "'{name}' of {} is also declared by {}, which is outside the project and relies on this name",
            one.class.name(),
            one.base
        );
        all.push(Objection { kind: ObjectionKind::Outside, text, place: head(&one.class) });
    }
    let why = silent.map_or_else(String::new, |why| format!(" ({why})"));
    for one in &family.unknown {
        let (kind, text) = match one.fact {
            UnknownFact::Members => (
                ObjectionKind::UnknownMembers,
                format!(
                    "it is not known whether {}, a base of {} outside the project, declares '{name}' too{why}",
                    one.name,
                    one.class.name()
                ),
            ),
            UnknownFact::Class => (
                ObjectionKind::UnknownClass,
                format!(
                    "{}, a base of {}, could not be resolved, so it may declare '{name}' too{why}",
                    one.name,
                    one.class.name()
                ),
            ),
        };
        all.push(Objection { kind, text, place: (one.class.file.path.clone(), one.written.range) });
    }
    // In other languages, the servers know which types satisfy an interface.
    let is_dynamic = resolve::is_dynamic(&target.file);
    for one in family.structural.iter().filter(|_| is_dynamic) {
        let text = format!("{} has all members of the interface without naming it as a base", one.name());
        all.push(Objection { kind: ObjectionKind::Alike, text, place: head(one) });
    }
    for one in &family.satisfied_protocols {
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
