//! Finds the implementations of a type or a member: what the server reports, and the types whose heads lead
//! to it and the members that override it. Invariant: without a server, a type is named if it may be an
//! implementation and syntax cannot decide.

use super::Project;
use super::declared::{Declarations, DeclaredSymbol, of_spans, of_targets};
use super::overrides::override_links;
use super::question::{QuestionError, Source};
use super::target::{SymbolSelector, Target};
use super::unsearched::{self, UnsearchedFiles};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange, escaped};
use symd_engine::View;
use symd_lsp::{Goto, ServerError, WaitPolicy};
use symd_resolve as resolve;

/// Maximum number of possible implementations that are listed.
const NAMED: usize = 3;

/// Parameters of `implementations`.
#[derive(Clone, Debug)]
pub struct FindImplementations {
    pub wanted: SymbolSelector,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// The implementations of a type or member.
#[derive(Clone, Debug)]
pub struct Implementations {
    /// The declarations, in path order, then by position.
    pub found: Declarations,
    /// The source of the declarations.
    pub source: Source,
    /// Number of declarations that only the heads of classes show, not the server.
    pub untold: usize,
    /// What may be an implementation too; what the server lists is not included.
    pub perhaps: Option<PossibleMatchText>,
    /// What was not searched and may hold more.
    pub unread: UnsearchedFiles,
    /// What the symbol's name was read as, if it is not a name path of the project.
    pub read_as: Option<String>,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// The implementations according to the heads of classes.
struct ByHeads {
    all: Vec<resolve::IndexedDeclaration>,
    perhaps: Vec<DoubtfulHeir>,
}

/// Something that may belong to an answer, and why; the fields form a clause in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PossibleMatch {
    /// The text before its name: `the class created by type in `.
    pub lead: String,
    /// The name of a class, or a place.
    pub what: String,
    /// Why it may belong: ` through an unknown base`; empty if the rest says it.
    pub why: String,
}

/// Text for the things that may belong to an answer; names the first few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PossibleMatchText {
    /// Each with its own reason.
    pub one_by_one: String,
    /// Each reason once, after everything that it applies to.
    pub by_reason: String,
}

/// A type of which syntax cannot decide whether it inherits.
pub(super) struct DoubtfulHeir {
    /// The type, and why it may inherit.
    possible: PossibleMatch,
    /// The range of the whole declaration.
    extent: (RelPath, TextRange),
    by: Ground,
}

/// Why a type may inherit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    /// It has an unknown base.
    Base,
    /// It has all members of the interface, in a language that requires no more.
    Members,
}

impl PossibleMatch {
    pub(super) fn new(what: &str, why: &str) -> PossibleMatch {
        PossibleMatch { lead: String::new(), what: what.to_owned(), why: why.to_owned() }
    }
}

impl DoubtfulHeir {
    fn by_base(class: &resolve::IndexedDeclaration) -> DoubtfulHeir {
        let possible = PossibleMatch::new(class.name(), " through an unknown base");
        DoubtfulHeir { possible, extent: extent(class), by: Ground::Base }
    }

    fn by_members(class: &resolve::IndexedDeclaration) -> DoubtfulHeir {
        let possible = PossibleMatch::new(class.name(), ", which has all its members");
        DoubtfulHeir { possible, extent: extent(class), by: Ground::Members }
    }

    fn made(by: &resolve::DynamicClass) -> DoubtfulHeir {
        let possible = PossibleMatch {
            lead: format!("the class created by {} in ", by.maker),
            what: format!("{}:{}", escaped(by.path.as_str()), by.line + 1),
            why: String::new(),
        };
        DoubtfulHeir { possible, extent: (by.path.clone(), by.range), by: Ground::Base }
    }

    /// Whether this remains doubtful beside a server that lists the declarations that begin at `listed`.
    /// Servers know which types satisfy an interface, except for Python's protocols.
    fn is_left_by(&self, listed: &[(RelPath, u32)], is_dynamic: bool) -> bool {
        let (path, range) = &self.extent;
        let is_it = |(there, at): &(RelPath, u32)| there == path && range.start <= *at && *at < range.end;
        (self.by == Ground::Base || is_dynamic) && !listed.iter().any(is_it)
    }
}

fn extent(class: &resolve::IndexedDeclaration) -> (RelPath, TextRange) {
    let range = class.row().map_or(TextRange::new(0, 0), |(_, row)| row.range());
    (class.file.path.clone(), range)
}

/// Returns the doubts that remain beside a server that lists the declarations at these places.
pub(super) fn remaining_possible(
    doubts: Vec<DoubtfulHeir>,
    listed: &[(RelPath, u32)],
    of: &Target,
) -> Vec<DoubtfulHeir> {
    let is_dynamic = resolve::is_dynamic(&of.file);
    doubts.into_iter().filter(|one| one.is_left_by(listed, is_dynamic)).collect()
}

/// Returns what the doubts are about.
pub(super) fn possible(doubts: &[DoubtfulHeir]) -> Vec<PossibleMatch> {
    doubts.iter().map(|one| one.possible.clone()).collect()
}

/// Finds the implementations of a type or member.
pub async fn implementations(
    project: &Project,
    ask: &FindImplementations,
) -> Result<Implementations, QuestionError> {
    project.by_need(|project| async move { once(&project, ask).await }).await
}

async fn once(project: &Project, ask: &FindImplementations) -> Result<Implementations, QuestionError> {
    let target = project.target(&ask.wanted).await?;
    let said = match project.language_of(&target) {
        Ok(language) => project.servers.goto(language, &target.at, Goto::Implementation, ask.waiting).await,
        Err(why) => Err(why),
    };
    let (revision, read_as) = (target.at.revision, target.read_as.clone());
    let by_heads = classes_by_head(project, &target, ask.waiting).await?;
    let all = by_heads.all;
    let mut doubts = by_heads.perhaps;
    let (found, source, untold) = match said {
        Ok(said) => {
            let (value, server) = (said.value, said.server);
            let own = (target.at.path.clone(), target.at.offset);
            let work = move |view: &View, cancel: &Cancel| {
                let said = of_spans(view, &value, cancel)?;
                let places = said.inside.iter().map(|one| (one.spot.path.clone(), one.spot.range.start));
                let listed: Vec<(RelPath, u32)> = places.collect();
                let (found, untold) = merge_possible(said, of_targets(view, &all), &own);
                Ok::<_, QuestionError>((found, untold, listed))
            };
            let (found, untold, listed) = project.with_view(work).await??;
            doubts = remaining_possible(doubts, &listed, &target);
            (found, Source::Server(server), untold)
        }
        Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
        Err(why) => {
            let found = project.with_view(move |view, _: &Cancel| of_targets(view, &all)).await?;
            (sorted(found), Source::Syntax(why), 0)
        }
    };
    let perhaps = describe_possible(&possible(&doubts));
    // An implementation of a member names the member's class.
    let class = target.symbol.name_path.rsplit('/').nth(1);
    let class = class.map(|class| class.split('[').next().unwrap_or(class).to_owned());
    let more: Vec<String> = class.clone().into_iter().collect();
    let kin = kin(&found, class.is_some());
    let work = move |view: &View, cancel: &Cancel| {
        let mut unread = unsearched::unsearched_for_target(view, &target, &more, cancel)?;
        unread.join(unsearched::unsearched_for_heirs(view, &target, (class.as_deref(), &kin), cancel)?);
        Ok::<_, Cancelled>(unread)
    };
    let unread = project.with_view(work).await??;
    Ok(Implementations { found, source, untold, perhaps, unread, read_as, revision })
}

/// Returns the names of the types among the results, or around them. A type that was not searched is missing
/// from the results whether it names one of these in its head or the requested type.
fn kin(found: &Declarations, is_member: bool) -> Vec<String> {
    let symbols = found.inside.iter().filter_map(|one| one.symbol.as_ref());
    let name = |symbol: &super::symbol::Symbol| {
        let name = symbol.name_path.rsplit('/').nth(usize::from(is_member))?;
        Some(name.split('[').next().unwrap_or(name).to_owned())
    };
    let mut names: Vec<String> = symbols.filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Merges a server's answer with what the heads of classes show; also returns how many declarations only the
/// heads show. Omits the requested declaration, at `own`: servers list a class that is not abstract among its
/// own implementations.
fn merge_possible(said: Declarations, of_heads: Declarations, own: &(RelPath, u32)) -> (Declarations, usize) {
    let mut found = said;
    found.inside.retain(|one| (&one.spot.path, one.spot.range.start) != (&own.0, own.1));
    let told = found.inside.len();
    // A server may point at the whole declaration.
    let is_told = |one: &DeclaredSymbol| {
        let is_it = |known: &DeclaredSymbol| {
            known.spot == one.spot || (known.symbol.is_some() && known.symbol == one.symbol)
        };
        found.inside[..told].iter().any(is_it)
    };
    let more: Vec<DeclaredSymbol> = of_heads.inside.into_iter().filter(|one| !is_told(one)).collect();
    let untold = more.len();
    found.inside.extend(more);
    (sorted(found), untold)
}

fn sorted(mut found: Declarations) -> Declarations {
    found.inside.sort_by(|a, b| (&a.spot.path, a.spot.range).cmp(&(&b.spot.path, b.spot.range)));
    found.inside.dedup();
    found
}

async fn classes_by_head(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<ByHeads, QuestionError> {
    if resolve::is_type(target.symbol.kind) {
        let of = target.resolved();
        let heirs = project.with_view(move |view, cancel| resolve::subclasses(view, &of, cancel)).await??;
        return Ok(ByHeads { perhaps: doubtful(&heirs), all: heirs.all });
    }
    let links = override_links(project, target, waiting).await?;
    let unknown = links.possible_subclasses.iter().map(|class| {
        let doubt = DoubtfulHeir::by_base(class);
        let what = format!("'{}' of {}", target.name, doubt.possible.what);
        DoubtfulHeir { possible: PossibleMatch { what, ..doubt.possible.clone() }, ..doubt }
    });
    let perhaps = unknown.chain(links.structural.iter().map(DoubtfulHeir::by_members));
    let perhaps = perhaps.chain(links.dynamic.iter().map(DoubtfulHeir::made)).collect();
    Ok(ByHeads { all: links.in_subclasses, perhaps })
}

/// Returns the types of which syntax cannot decide whether they inherit.
pub(super) fn doubtful(heirs: &resolve::Subclasses) -> Vec<DoubtfulHeir> {
    let may = heirs.possible.iter().map(|(class, _)| DoubtfulHeir::by_base(class));
    let may = may.chain(heirs.structural.iter().map(DoubtfulHeir::by_members));
    may.chain(heirs.dynamic.iter().map(DoubtfulHeir::made)).collect()
}

/// Returns text that names the first few; `None` if there are none. For people and models, each reason once.
pub fn describe_possible(all: &[PossibleMatch]) -> Option<PossibleMatchText> {
    let named = &all[..all.len().min(NAMED)];
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let one = |one: &PossibleMatch| format!("{}{}{}", one.lead, one.what, one.why);
    let of_reason = |alike: &[PossibleMatch]| {
        let names: Vec<&str> = alike.iter().map(|one| one.what.as_str()).collect();
        format!("{}{}{}", alike[0].lead, names.join(", "), alike[0].why)
    };
    let one_by_one: Vec<String> = named.iter().map(one).collect();
    let by_reason: Vec<String> =
        named.chunk_by(|a, b| (&a.lead, &a.why) == (&b.lead, &b.why)).map(of_reason).collect();
    (!all.is_empty()).then(|| PossibleMatchText {
        one_by_one: format!("{}{more}", one_by_one.join("; ")),
        by_reason: format!("{}{more}", by_reason.join("; ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_once() {
        let base = |name: &str| PossibleMatch::new(name, " through an unknown base");
        let made = |place: &str| PossibleMatch {
            lead: "the class created by type in ".to_owned(),
            ..PossibleMatch::new(place, "")
        };
        let told =
            |all: &[PossibleMatch]| describe_possible(all).map(|told| (told.one_by_one, told.by_reason));
        assert_eq!(told(&[]), None);
        let (one_by_one, by_reason) =
            told(&[base("A"), base("B"), made("a.py:1"), made("a.py:2")]).unwrap_or_default();
        assert_eq!(
            one_by_one,
            "A through an unknown base; B through an unknown base; the class created by type in a.py:1; and 1 more"
        );
        assert_eq!(
            by_reason,
            "A, B through an unknown base; the class created by type in a.py:1; and 1 more"
        );
    }
}
