//! What implements a type or a member: what the server says and, besides, the types whose heads lead to it and the members that
//! override it. Invariant: without a server, a type that may be one and of which syntax cannot tell is named.

use super::Project;
use super::declared::{Declarations, Declared, of_spans, of_targets};
use super::overrides::override_links;
use super::question::{QuestionError, Source, unchanged};
use super::target::{Target, Wanted};
use super::unread::{self, Unread};
use crate::base::cancel::Cancelled;
use crate::base::{Cancel, RelPath, TextRange, escaped};
use crate::engine::View;
use crate::lsp::{Goto, NoAnswer, Waiting};
use crate::resolve;

/// Types that may be implementations, and are named.
const NAMED: usize = 3;

/// What is asked.
#[derive(Clone, Debug)]
pub struct FindImplementations {
    /// Of which type or method.
    pub wanted: Wanted,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// What implements it.
#[derive(Clone, Debug)]
pub struct Implementations {
    /// The declarations, in path order, then by position.
    pub found: Declarations,
    /// Where they come from.
    pub source: Source,
    /// How many of them the server does not tell, by the heads of classes.
    pub untold: usize,
    /// Of what it cannot be told whether it is one, in a sentence's words; what the server lists is not among it.
    pub perhaps: Option<String>,
    /// What was not looked into and may hold more.
    pub unread: Unread,
    /// What the symbol's name was read as, where that is no name path of the project.
    pub read_as: Option<String>,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// What heads of classes say.
struct ByHeads {
    all: Vec<resolve::Target>,
    perhaps: Vec<MayInherit>,
}

/// A type of which syntax cannot tell whether it inherits.
pub(super) struct MayInherit {
    /// Which, and why it may, in a sentence's words.
    text: String,
    /// All of its declaration.
    extent: (RelPath, TextRange),
    by: Ground,
}

/// Why it may.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    /// A base that is not known.
    Base,
    /// It has all members of the interface, in a language that asks for no more.
    Members,
}

impl MayInherit {
    fn by_base(class: &resolve::Target) -> MayInherit {
        let text = format!("{} by a base that is not known", class.name());
        MayInherit { text, extent: extent(class), by: Ground::Base }
    }

    fn by_members(class: &resolve::Target) -> MayInherit {
        let text = format!("{}, which has all its members", class.name());
        MayInherit { text, extent: extent(class), by: Ground::Members }
    }

    fn made(by: &resolve::MadeClass) -> MayInherit {
        let text =
            format!("the class that {} makes in {}:{}", by.maker, escaped(by.path.as_str()), by.line + 1);
        MayInherit { text, extent: (by.path.clone(), by.range), by: Ground::Base }
    }

    /// Whether this remains to be said beside a server that lists what begins at `listed`. What meets an interface servers
    /// know, but not of Python's protocols.
    fn is_left_by(&self, listed: &[(RelPath, u32)], language: &str) -> bool {
        let (path, range) = &self.extent;
        let is_it = |(there, at): &(RelPath, u32)| there == path && range.start <= *at && *at < range.end;
        (self.by == Ground::Base || language == "python") && !listed.iter().any(is_it)
    }
}

fn extent(class: &resolve::Target) -> (RelPath, TextRange) {
    let range = class.row().map_or(TextRange::new(0, 0), |(_, row)| row.range());
    (class.file.path.clone(), range)
}

/// What is left to say of `doubts` where a server lists what begins at these places.
pub(super) fn left_by_server(
    doubts: Vec<MayInherit>,
    listed: &[(RelPath, u32)],
    of: &Target,
) -> Vec<MayInherit> {
    let language = of.file.grammar().map_or("", |grammar| grammar.name());
    doubts.into_iter().filter(|one| one.is_left_by(listed, language)).collect()
}

/// The doubts in a sentence's words.
pub(super) fn in_words(doubts: &[MayInherit]) -> Vec<String> {
    doubts.iter().map(|one| one.text.clone()).collect()
}

/// Finds what implements it.
pub async fn implementations(
    project: &Project,
    ask: &FindImplementations,
) -> Result<Implementations, QuestionError> {
    unchanged(|| once(project, ask)).await
}

async fn once(project: &Project, ask: &FindImplementations) -> Result<Implementations, QuestionError> {
    let target = project.target(&ask.wanted).await?;
    let said = match project.language_of(&target) {
        Ok(language) => project.servers.goto(language, &target.at, Goto::Implementation, ask.waiting).await,
        Err(why) => Err(why),
    };
    let (revision, read_as) = (target.at.revision, target.read_as.clone());
    let by_heads = by_heads(project, &target, ask.waiting).await?;
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
                let (found, untold) = united(said, of_targets(view, &all), &own);
                Ok::<_, QuestionError>((found, untold, listed))
            };
            let (found, untold, listed) = project.look(work).await??;
            doubts = left_by_server(doubts, &listed, &target);
            (found, Source::Server(server), untold)
        }
        Err(changed @ NoAnswer::Changed { .. }) => return Err(changed.into()),
        Err(why) => {
            let found = project.look(move |view, _: &Cancel| of_targets(view, &all)).await?;
            (sorted(found), Source::Syntax(why), 0)
        }
    };
    let perhaps = perhaps(&in_words(&doubts));
    // What implements a member names its class.
    let class = target.symbol.name_path.rsplit('/').nth(1);
    let class = class.map(|class| class.split('[').next().unwrap_or(class).to_owned());
    let more: Vec<String> = class.clone().into_iter().collect();
    let kin = kin(&found, class.is_some());
    let work = move |view: &View, cancel: &Cancel| {
        let mut unread = unread::of_target(view, &target, &more, cancel)?;
        unread.join(unread::of_heirs(view, &target, (class.as_deref(), &kin), cancel)?);
        Ok::<_, Cancelled>(unread)
    };
    let unread = project.look(work).await??;
    Ok(Implementations { found, source, untold, perhaps, unread, read_as, revision })
}

/// The types among what was found, or around it, by name: whatever names one of them in its head is found no better than what
/// names the asked one.
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

/// What a server says, together with what heads of classes do; the second: how many of these the server does not tell. The asked
/// declaration, at `own`, is none: servers give a class among its own implementations, where it is not abstract.
fn united(said: Declarations, of_heads: Declarations, own: &(RelPath, u32)) -> (Declarations, usize) {
    let mut found = said;
    found.inside.retain(|one| (&one.spot.path, one.spot.range.start) != (&own.0, own.1));
    let told = found.inside.len();
    // A server may point at the whole of a declaration.
    let is_told = |one: &Declared| {
        let is_it = |known: &Declared| {
            known.spot == one.spot || (known.symbol.is_some() && known.symbol == one.symbol)
        };
        found.inside[..told].iter().any(is_it)
    };
    let more: Vec<Declared> = of_heads.inside.into_iter().filter(|one| !is_told(one)).collect();
    let untold = more.len();
    found.inside.extend(more);
    (sorted(found), untold)
}

fn sorted(mut found: Declarations) -> Declarations {
    found.inside.sort_by(|a, b| (&a.spot.path, a.spot.range).cmp(&(&b.spot.path, b.spot.range)));
    found.inside.dedup();
    found
}

async fn by_heads(project: &Project, target: &Target, waiting: Waiting) -> Result<ByHeads, QuestionError> {
    if resolve::is_type(target.symbol.kind) {
        let of = target.resolved();
        let heirs = project.look(move |view, cancel| resolve::heirs(view, &of, cancel)).await??;
        return Ok(ByHeads { perhaps: doubtful(&heirs), all: heirs.all });
    }
    let links = override_links(project, target, waiting).await?;
    let unknown = links.may_be_below.iter().map(|class| {
        let doubt = MayInherit::by_base(class);
        MayInherit { text: format!("'{}' of {}", target.name, doubt.text), ..doubt }
    });
    let perhaps = unknown.chain(links.alike.iter().map(MayInherit::by_members));
    let perhaps = perhaps.chain(links.made.iter().map(MayInherit::made)).collect();
    Ok(ByHeads { all: links.below, perhaps })
}

/// The types of which syntax cannot tell whether they inherit.
pub(super) fn doubtful(heirs: &resolve::Heirs) -> Vec<MayInherit> {
    let may = heirs.perhaps.iter().map(|(class, _)| MayInherit::by_base(class));
    let may = may.chain(heirs.alike.iter().map(MayInherit::by_members));
    may.chain(heirs.made.iter().map(MayInherit::made)).collect()
}

/// The first of them in one sentence; `None` of none.
pub fn perhaps(all: &[String]) -> Option<String> {
    let named: Vec<&str> = all.iter().take(NAMED).map(String::as_str).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    (!all.is_empty()).then(|| format!("{}{more}", named.join("; ")))
}
