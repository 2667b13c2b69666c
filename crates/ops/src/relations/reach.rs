//! The users of some symbols, and the users of those: breadth first, to a depth. Each symbol is reached once,
//! by the shortest path. Invariant: the search terminates (symbols, time and depth are bounded), and the
//! answer reports which symbols were not followed further. Uncertain users are reported and not followed: a
//! name such as `get` would lead to everything else.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use super::callers::have_callers;
use super::level::{FileLocation, SymbolKey};
use super::users::{SymbolUsers, User, UserGaps, users};
use crate::Project;
use crate::code_kind::{CodeKind, part_of};
use crate::generated_files::generated_among;
use crate::question::{QuestionError, Source};
use crate::target::Target;
use crate::together::all_of;
use symd_base::RelPath;
use symd_lsp::WaitPolicy;
use symd_resolve as resolve;

/// Symbols whose users are requested concurrently.
const AT_ONCE: usize = 4;

/// Maximum number of symbols of one level whose names are searched before they are followed. Those beyond are
/// followed without this search.
const MAX_LOOKED_FOR: usize = 4_096;

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachLimits {
    /// Number of levels, at least one.
    pub(crate) depth: usize,
    /// Maximum number of symbols whose users are searched, not counting the requested ones.
    pub(crate) symbols: usize,
    /// Time limit, unless the client waits longer.
    pub(crate) time: Duration,
}

/// A symbol that is reached by following uses.
#[derive(Clone, Debug)]
pub struct TransitiveUser {
    /// The symbol, and the places where it uses the symbol that it is reached from.
    pub user: User,
    /// Number of uses on the path, from 1.
    pub depth: usize,
    /// Index in the list of the symbol that it uses; `None` if that is a requested symbol.
    pub via: Option<usize>,
    /// The part of the project that it belongs to.
    pub part: CodeKind,
}

/// The direct and indirect users of some symbols.
#[derive(Clone, Debug)]
pub struct TransitiveUsers {
    /// The users, level by level; within a level by file, then by position.
    pub reached: Vec<TransitiveUser>,
    /// The source of the first level.
    pub source: Source,
    /// What may be missing.
    pub gaps: UserGaps,
    /// Symbols whose users were not searched because of the limits on number and time.
    pub not_followed: usize,
    /// Symbols of the last level that may have further users, since their names occur elsewhere.
    pub may_have_more: usize,
}

impl TransitiveUser {
    /// Returns the file, if it is one of the project's.
    pub fn path(&self) -> Option<&RelPath> {
        match &self.user.key.file {
            FileLocation::Project(path) => Some(path),
            FileLocation::Outside(_) => None,
        }
    }
}

/// Finds the direct and indirect users of `starts`, the requested symbols.
pub(crate) async fn reach(
    project: &Project,
    starts: &[Target],
    limits: ReachLimits,
    waiting: WaitPolicy,
) -> Result<TransitiveUsers, QuestionError> {
    let own = starts.iter().map(SymbolKey::of).collect();
    let mut growing =
        ReachBuilder { own, places: HashMap::new(), reached: Vec::new(), gaps: UserGaps::default() };
    let mut source = None;
    let until = until(limits.time, waiting);
    let mut open: Vec<(Option<usize>, Target)> = starts.iter().map(|start| (None, start.clone())).collect();
    let (mut followed, mut not_followed, mut goes_on) = (0, 0, 0);
    for depth in 1..=limits.depth {
        let first = growing.reached.len();
        let mut left = open.as_slice();
        while !left.is_empty() {
            let is_over = depth > 1 && (followed >= limits.symbols || Instant::now() >= until);
            if is_over {
                not_followed += left.len();
                break;
            }
            let (now, later) = left.split_at(AT_ONCE.min(left.len()));
            left = later;
            followed += if depth > 1 { now.len() } else { 0 };
            let found = all_of(now.iter().map(|(_, of)| users(project, of, waiting))).await;
            for ((over, of), found) in now.iter().zip(found) {
                let SymbolUsers { list, source: from, gaps } = found?;
                source.get_or_insert(from);
                growing.gaps.join(gaps);
                growing.add(list, (*over, of), depth);
            }
        }
        growing.sort_from(first);
        let (named, unseen) = named_elsewhere(project, growing.followed_from(first)).await?;
        if depth == limits.depth {
            goes_on = named.len() + unseen.len();
        }
        open = named.into_iter().chain(unseen).map(|(at, of)| (Some(at), of)).collect();
        // Production code before tests, in case the limit is reached.
        open.sort_by_key(|(at, _)| at.map(|at| growing.reached[at].part));
    }
    let source =
        source.ok_or_else(|| QuestionError::Place("bug in symd: nothing was searched".to_owned()))?;
    let mut reached = growing.reached;
    mark_generated(project, &mut reached).await?;
    Ok(TransitiveUsers { reached, source, gaps: growing.gaps, not_followed, may_have_more: goes_on })
}

fn until(time: Duration, waiting: WaitPolicy) -> Instant {
    let own = Instant::now() + time;
    match waiting {
        WaitPolicy::DontWait | WaitPolicy::ForAnswer => own,
        WaitPolicy::Until(deadline) => deadline.max(own),
    }
}

/// The symbols reached so far.
struct ReachBuilder {
    own: Vec<SymbolKey>,
    /// Index of each symbol in `reached`.
    places: HashMap<SymbolKey, usize>,
    reached: Vec<TransitiveUser>,
    gaps: UserGaps,
}

impl ReachBuilder {
    /// Adds the users of `of`, the symbol at index `over` of `reached` (`None`: a requested symbol).
    fn add(&mut self, list: Vec<User>, (over, of): (Option<usize>, &Target), depth: usize) {
        // Code that only names a class as a type does not run its constructor.
        let only_calls = over.is_some() && resolve::is_type(of.symbol.kind);
        for user in list {
            if self.own.contains(&user.key) || only_calls && !user.calls() {
                continue;
            }
            // A user that only imports the symbol does not pass on what happens in it.
            if over.is_some() && user.only_imports() {
                continue;
            }
            match self.places.get(&user.key) {
                Some(&at) if self.reached[at].depth == depth && self.reached[at].via == over => {
                    let places = &mut self.reached[at].user.places;
                    for new in user.places {
                        match places.iter_mut().find(|known| (known.line, known.role) == (new.line, new.role))
                        {
                            Some(known) => known.is_likely |= new.is_likely,
                            None => places.push(new),
                        }
                    }
                    places.sort_by_key(|place| place.line);
                }
                Some(_) => {}
                None => {
                    self.places.insert(user.key.clone(), self.reached.len());
                    let part = match &user.key.file {
                        FileLocation::Project(path) => part_of(path, &user.summary.name_path),
                        FileLocation::Outside(_) => CodeKind::Production,
                    };
                    self.reached.push(TransitiveUser { user, depth, via: over, part });
                }
            }
        }
    }

    /// Sorts the last level, to which no index refers yet.
    fn sort_from(&mut self, first: usize) {
        self.reached[first..].sort_by(|a, b| a.user.key.cmp(&b.user.key));
        for (at, one) in self.reached.iter().enumerate().skip(first) {
            self.places.insert(one.user.key.clone(), at);
        }
    }

    /// Returns the symbols of the last level that can be followed, each with its index.
    fn followed_from(&self, first: usize) -> Vec<(usize, Target)> {
        let last = self.reached.iter().enumerate().skip(first);
        last.filter(|(_, one)| one.user.is_likely() && !one.user.only_imports())
            .filter_map(|(at, one)| Some((at, one.user.target.clone()?)))
            .collect()
    }
}

/// A symbol to follow, with its index in the list.
type Followed = (usize, Target);

/// Returns the symbols whose names occur elsewhere than at their declarations, and those for which this was
/// not searched.
async fn named_elsewhere(
    project: &Project,
    mut all: Vec<Followed>,
) -> Result<(Vec<Followed>, Vec<Followed>), QuestionError> {
    let unseen = all.split_off(MAX_LOOKED_FOR.min(all.len()));
    if all.is_empty() {
        return Ok((all, unseen));
    }
    let is_named = have_callers(project, all.iter().map(|(_, of)| of.clone()).collect()).await?;
    let named = all.into_iter().zip(is_named).filter(|(_, is_named)| *is_named).map(|(one, _)| one);
    Ok((named.collect(), unseen))
}

/// Marks the symbols in files whose head says that they are generated.
async fn mark_generated(project: &Project, reached: &mut [TransitiveUser]) -> Result<(), QuestionError> {
    let paths: BTreeSet<RelPath> = reached.iter().filter_map(|one| one.path().cloned()).collect();
    let generated = generated_among(project, paths).await?;
    for one in reached.iter_mut() {
        if one.path().is_some_and(|path| generated.contains(path)) {
            one.part = CodeKind::Generated;
        }
    }
    Ok(())
}
