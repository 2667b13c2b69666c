//! Servers whose answers types judge, because they are known to be wrong at times (kmp-lsp): where types decide alone, they are not
//! asked. Such a server may take a minute for an answer of which nothing would be left.

use super::Project;
use super::references::JudgedOccurrences;
use super::target::Target;
use symd_config::server::{LanguageServer, Reliability};
use symd_lsp::ServerError;
use symd_resolve::{self as resolve, Role};

/// Reads how far a server's answers of one kind (references, renames) are reliable.
pub(super) type ReliabilityOf = fn(&LanguageServer) -> Reliability;

/// Returns the server that would be asked about a symbol whose language's types symd knows, if types judge its answers: every available
/// server is one whose answers of the kind that `of` reads are unproven. Looks for the servers' programs: ask once for a question.
pub(super) fn judged_by_types(project: &Project, target: &Target, of: ReliabilityOf) -> Option<String> {
    let language = target.language.filter(|_| resolve::has_types(&target.file))?;
    let mut available = project.servers.available(language).peekable();
    let first = (*available.peek()?).to_owned();
    let is_unproven = |name: &str| project.languages.server(name).map(of) == Some(Reliability::Unproven);
    available.all(is_unproven).then_some(first)
}

/// Returns why a server is not asked, if types leave nothing open that it could tell.
pub(super) fn not_needed(server: &str, judged: &JudgedOccurrences) -> Option<ServerError> {
    let mut open = judged.undecided().filter(|one| one.role != Role::Declaration);
    let is_decided = open.next().is_none();
    is_decided.then(|| ServerError::NotNeeded { server: server.to_owned() })
}
