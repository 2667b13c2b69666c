//! The chains of calls that lead to a function, up to a number of calls. Each function is expanded once, the
//! nearest first. Invariant: a chain ends only where nothing more calls it, where it returns to one of its own
//! functions, at the requested length, at a call that is uncertain, or where the answer says that it was cut.

use std::collections::{BTreeMap, HashMap, VecDeque};

use tokio::time::{Instant, timeout_at};

use super::callers;
use super::level::{FileLocation, Level, SymbolKey, SymbolSummary, party_of};
use crate::Project;
use crate::question::{QuestionError, Source};
use crate::server_outlines::{self, OutlineWait, Outlined};
use crate::target::Target;
use crate::unsearched::UnsearchedFiles;
use crate::view_tree::ViewTree;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_files::tree::LocateError;
use symd_lsp::{ServerError, WaitPolicy};
use symd_syntax::SymbolKind;
use symd_vfs::EntryKind;

/// Maximum number of functions whose callers are searched for.
const MAX_EXPANDED: usize = 256;

/// Maximum number of chains.
const MAX_CHAINS: usize = 1_000;

/// Maximum number of names shown if the file declares no function of the requested name.
const SIMILAR: usize = 8;

/// Parameters of [`call_chains`].
#[derive(Clone, Debug)]
pub struct FindCallChains {
    /// The function's name, alone or behind those of its classes: `take`, `Catalog.take`.
    pub function: String,
    /// The file that declares it, as the client wrote it.
    pub path: String,
    /// Maximum number of calls in a chain, at least one.
    pub depth: usize,
    /// When language servers are no longer waited for, and syntax answers.
    pub servers_until: Instant,
    /// When the search ends with what was found.
    pub until: Instant,
}

/// The chains of calls that lead to a function.
#[derive(Clone, Debug)]
pub struct CallChains {
    pub path: RelPath,
    /// By the direct caller's path and line, then by chain.
    pub chains: Vec<CallChain>,
    /// A language server if all callers come from one.
    pub source: Source,
    /// Why chains or callers may be missing, one clause each.
    pub gaps: Vec<String>,
}

/// One chain of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallChain {
    /// The functions, from the outermost caller to the function itself: `Catalog.take`.
    pub functions: Vec<String>,
    /// The file of the direct caller.
    pub path: RelPath,
    /// The 0-based lines of the calls in the direct caller, ascending, never empty.
    pub lines: Vec<u32>,
    /// Whether each call surely means the function that it is listed for.
    pub is_likely: bool,
}

/// Why there are no chains.
#[derive(Debug, thiserror::Error)]
pub enum CallChainError {
    #[error(transparent)]
    Path(#[from] LocateError),
    /// The path names no file with symbols.
    #[error("'{0}' has no functions that symd can read")]
    NoSymbols(String),
    /// No server and no grammar knows the file's language.
    #[error(transparent)]
    NoServer(ServerError),
    /// A server that alone can read the file has not done so in time; the reason.
    #[error("{0}")]
    TimedOut(String),
    /// The file declares no such function.
    #[error("'{path}' has no '{function}'")]
    NoFunction { function: String, path: String, declared: Vec<String> },
    #[error(transparent)]
    Question(#[from] QuestionError),
}

/// Finds all chains of calls that lead to the functions of a name in a file.
pub async fn call_chains(project: &Project, ask: &FindCallChains) -> Result<CallChains, CallChainError> {
    let mut found = declared_by_need(project, ask).await?;
    if matches!(&found, Err(CallChainError::NoSymbols(_) | CallChainError::NoFunction { .. }))
        && server_outlines::are_missing(project)
    {
        let needed =
            symd_index::NeededWords::of_name_path(&ask.function, symd_syntax::name_path::Matching::Exact);
        let wait = OutlineWait::Long(ask.servers_until.saturating_duration_since(Instant::now()));
        let outlined = server_outlines::ensure(project, &ask.path, &needed, wait).await;
        found = declared_by_need(project, ask).await?;
        if let (Err(CallChainError::NoSymbols(_)), Outlined::Tried(gaps)) = (&found, outlined)
            && let Some(gap) = gaps.first()
            && Instant::now() >= ask.servers_until
        {
            return Err(CallChainError::TimedOut(gap.to_string()));
        }
    }
    let (path, functions) = match found {
        Err(CallChainError::NoSymbols(text)) => {
            let none =
                RelPath::new(&ask.path).ok().and_then(|path| server_outlines::why_none(project, &path));
            return Err(none.map_or(CallChainError::NoSymbols(text), CallChainError::NoServer));
        }
        other => other?,
    };
    let graph = project
        .by_need(|project| {
            let (functions, ask) = (functions.clone(), ask.clone());
            async move { CallGraph::read(&project, functions, &ask).await }
        })
        .await?;
    Ok(graph.into_chains(path, ask.depth))
}

async fn declared_by_need(
    project: &Project,
    ask: &FindCallChains,
) -> Result<Result<(RelPath, Vec<Target>), CallChainError>, QuestionError> {
    project.by_need(|project| async move { declared(&project, ask).await }).await
}

/// Returns the file and its functions of that name, in order of position.
async fn declared(
    project: &Project,
    ask: &FindCallChains,
) -> Result<Result<(RelPath, Vec<Target>), CallChainError>, QuestionError> {
    let (ask, languages) = (ask.clone(), project.languages.clone());
    let work = move |view: &View, _: &Cancel| {
        let located = view.whole_tree(|tree| tree.locate(&ask.path))?;
        let path = located.path;
        let no_symbols = || CallChainError::NoSymbols(ask.path.clone());
        if located.kind != EntryKind::File {
            return Err(no_symbols());
        }
        let file = view.snapshot.files.get(path.as_str()).ok_or_else(no_symbols)?;
        let outline = file.outline().ok_or_else(no_symbols)?;
        let wanted = components(&ask.function);
        let rows: Vec<usize> = (0..outline.rows.len())
            .filter(|&row| !outline.rows[row].is_local() && ends_with(&outline.name_path(row), &wanted))
            .collect();
        let is_function = |row: &usize| is_callable(outline.rows[*row].kind());
        let functions: Vec<usize> = rows.iter().copied().filter(is_function).collect();
        // A class is called by its constructor, a property by its accessors.
        let rows = if functions.is_empty() { rows } else { functions };
        let targets: Vec<Target> =
            rows.iter().filter_map(|&row| Target::new(view, &languages, file, row)).collect();
        if targets.is_empty() {
            let rows = (0..outline.rows.len()).filter(|&row| is_callable(outline.rows[row].kind()));
            let declared = rows.take(SIMILAR + 1).map(|row| dotted(&outline.name_path(row))).collect();
            return Err(CallChainError::NoFunction { function: ask.function, path: ask.path, declared });
        }
        Ok((path, targets))
    };
    project.with_view(work).await
}

fn is_callable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

/// Splits `Catalog.take()`, `Catalog/take`, `Catalog::take` or `Catalog#take`.
fn components(name: &str) -> Vec<String> {
    let name = name.trim().trim_end_matches("()");
    name.split(['.', '/', ':', '#']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Whether the last components of a name path are these; an index counts only where it is given.
fn ends_with(name_path: &str, wanted: &[String]) -> bool {
    let own: Vec<&str> = name_path.split('/').collect();
    let is_same = |(own, wanted): (&&str, &String)| own == wanted || without_index(own) == wanted;
    !wanted.is_empty() && own.len() >= wanted.len() && own.iter().rev().zip(wanted.iter().rev()).all(is_same)
}

fn without_index(name: &str) -> &str {
    match name.rsplit_once('[') {
        Some((bare, index)) if index.strip_suffix(']').is_some_and(|n| n.parse::<u32>().is_ok()) => bare,
        _ => name,
    }
}

/// Returns a name path in the form of most languages: `Catalog.take`, without indices.
pub fn dotted(name_path: &str) -> String {
    name_path.split('/').map(without_index).collect::<Vec<_>>().join(".")
}

/// A call of one function from another.
#[derive(Clone, Debug)]
struct Call {
    caller: SymbolKey,
    lines: Vec<u32>,
    is_likely: bool,
}

/// Who calls whom, as far as it was searched.
#[derive(Default)]
struct CallGraph {
    /// The requested functions, in order of position.
    roots: Vec<SymbolKey>,
    /// The names of all functions.
    names: HashMap<SymbolKey, String>,
    /// The calls of each function whose callers were searched for.
    calls: HashMap<SymbolKey, Vec<Call>>,
    /// The source of the answers: of the first that did not come from a server, or else of the first.
    source: Option<Source>,
    gaps: Gaps,
}

/// What may be missing.
#[derive(Default)]
struct Gaps {
    is_cut: bool,
    unreported: usize,
    outside: usize,
    renamed: BTreeMap<RelPath, String>,
    unread: UnsearchedFiles,
}

impl CallGraph {
    async fn read(
        project: &Project,
        functions: Vec<Target>,
        ask: &FindCallChains,
    ) -> Result<CallGraph, QuestionError> {
        let mut graph = CallGraph::default();
        let mut waiting: VecDeque<(usize, Target)> = VecDeque::new();
        for declarations in project.group_by_entity(functions).await? {
            let Some(first) = declarations.into_iter().next() else { continue };
            let key = SymbolKey::of(&first);
            graph.names.insert(key.clone(), dotted(&party_of(&first).name_path));
            graph.roots.push(key);
            waiting.push_back((0, first));
        }
        while let Some((depth, function)) = waiting.pop_front() {
            let key = SymbolKey::of(&function);
            if graph.calls.contains_key(&key) {
                continue;
            }
            let callers = callers_of(project, function, ask.servers_until);
            let level = match graph.calls.len() {
                // Without these there is no answer.
                0 => Some(callers.await?),
                MAX_EXPANDED => None,
                _ => timeout_at(ask.until, callers).await.ok().transpose()?,
            };
            let Some(level) = level else {
                graph.gaps.is_cut = true;
                break;
            };
            let next = graph.add(key, level);
            if depth + 1 < ask.depth {
                waiting.extend(next.into_iter().map(|target| (depth + 1, target)));
            }
        }
        Ok(graph)
    }

    /// Adds the callers of a function; returns those whose callers are of interest.
    fn add(&mut self, of: SymbolKey, level: Level) -> Vec<Target> {
        if self.source.is_none() || matches!(level.source, Source::Syntax(_)) {
            self.source = Some(level.source);
        }
        self.gaps.unreported += level.omitted.missing;
        self.gaps.renamed.extend(level.omitted.renamed);
        self.gaps.unread.join(level.omitted.unread);
        let (mut calls, mut next) = (Vec::new(), Vec::new());
        for branch in level.branches {
            if matches!(branch.key.file, FileLocation::Outside(_)) {
                self.gaps.outside += 1;
                continue;
            }
            let SymbolSummary { name_path, line, .. } = &branch.summary;
            self.names.insert(branch.key.clone(), dotted(name_path));
            let lines = if branch.lines.is_empty() { vec![*line] } else { branch.lines };
            calls.push(Call { caller: branch.key, lines, is_likely: branch.is_likely });
            next.extend(branch.target.filter(|_| branch.is_likely));
        }
        self.calls.insert(of, calls);
        next
    }

    fn into_chains(mut self, path: RelPath, depth: usize) -> CallChains {
        let mut chains = Vec::new();
        for root in self.roots.clone() {
            let mut above = vec![root];
            if !self.collect(&mut above, None, depth, &mut chains) {
                self.gaps.is_cut = true;
                break;
            }
        }
        chains.sort_by(|a, b| {
            (&a.path, a.lines.first(), &a.functions).cmp(&(&b.path, b.lines.first(), &b.functions))
        });
        chains.dedup();
        let source = self.source.unwrap_or_else(|| Source::Syntax(crate::question::no_language(&path)));
        let gaps = self.gaps.clauses(&source);
        CallChains { path, chains, source, gaps }
    }

    /// Adds the chains above the last function of `above`; `direct` is the call that the chain ends with. Returns
    /// whether all of them had room.
    fn collect(
        &self,
        above: &mut Vec<SymbolKey>,
        direct: Option<&Call>,
        depth: usize,
        chains: &mut Vec<CallChain>,
    ) -> bool {
        let last = above[above.len() - 1].clone();
        let calls = self.calls.get(&last).filter(|_| above.len() <= depth);
        let Some(calls) = calls.filter(|calls| !calls.is_empty()) else {
            return self.emit(above, direct, true, chains);
        };
        for call in calls {
            let is_repeated = above.contains(&call.caller);
            above.push(call.caller.clone());
            let direct = direct.unwrap_or(call);
            let had_room = if is_repeated || !call.is_likely {
                self.emit(above, Some(direct), call.is_likely, chains)
            } else {
                self.collect(above, Some(direct), depth, chains)
            };
            above.pop();
            if !had_room {
                return false;
            }
        }
        true
    }

    fn emit(
        &self,
        above: &[SymbolKey],
        direct: Option<&Call>,
        is_likely: bool,
        chains: &mut Vec<CallChain>,
    ) -> bool {
        // A function that is not called has no chain.
        let Some(direct) = direct else { return true };
        if chains.len() == MAX_CHAINS {
            return false;
        }
        let FileLocation::Project(path) = &direct.caller.file else { return true };
        let name = |key: &SymbolKey| self.names.get(key).cloned().unwrap_or_default();
        chains.push(CallChain {
            functions: above.iter().rev().map(name).collect(),
            path: path.clone(),
            lines: direct.lines.clone(),
            is_likely,
        });
        true
    }
}

/// Returns the callers of a function: those that its language server reports until `servers_until`, after that
/// those that syntax finds.
async fn callers_of(
    project: &Project,
    function: Target,
    servers_until: Instant,
) -> Result<Level, QuestionError> {
    if Instant::now() < servers_until {
        let with_server = callers::callers(project, &function, WaitPolicy::DontWait);
        if let Ok(level) = timeout_at(servers_until, with_server).await {
            return level;
        }
    }
    // Without a language no server is asked.
    callers::callers(project, &Target { language: None, ..function }, WaitPolicy::DontWait).await
}

impl Gaps {
    fn clauses(self, source: &Source) -> Vec<String> {
        let mut all = self.unread.clauses();
        if self.is_cut {
            all.push(
                "there are more chains than can be followed in time; ask with a smaller maxDepth".to_owned(),
            );
        }
        if self.unreported > 0 {
            all.push(format!(
                "{} more calls are likely that {} does not report",
                self.unreported,
                source.name()
            ));
        }
        if self.outside > 0 {
            all.push(format!("{} callers outside of the project are left out", self.outside));
        }
        if let Some((path, alias)) = self.renamed.first_key_value() {
            all.push(format!("{path} imports it as {alias}, and no call by that name was found"));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_by_their_last_components() {
        let matches = |path: &str, name: &str| ends_with(path, &components(name));
        assert!(matches("Catalog/take", "take") && matches("Catalog/take", "Catalog.take()"));
        assert!(matches("Catalog/take[1]", "Catalog/take") && matches("a[0]/b", "a.b"));
        assert!(matches("Catalog/take[1]", "take[1]") && !matches("Catalog/take[1]", "take[0]"));
        assert!(
            !matches("Catalog/retake", "take") && !matches("take", "Catalog.take") && !matches("take", "")
        );
        assert_eq!(dotted("A/b[2]/c"), "A.b.c");
    }
}
