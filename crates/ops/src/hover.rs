//! A short description of a symbol: what an editor would show; without a server, the declaration's head and
//! the comment that belongs to it.

use super::Project;
use super::definition::{Pointer, ResolvedPointer};
use super::question::{QuestionError, Source};
use symd_base::{Cancel, Text};
use symd_engine::View;
use symd_lsp::{DocumentPosition, ServerError, WaitPolicy};
use symd_resolve as resolve;
use symd_syntax::Row;

/// Maximum number of lines shown of a declaration's head, and of a comment.
const MAX_LINES: usize = 20;

/// Parameters of `hover`.
#[derive(Clone, Debug)]
pub struct AskHover {
    /// The symbol or place to describe.
    pub over: Pointer,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// The description of a symbol.
#[derive(Clone, Debug)]
pub struct Hover {
    /// A server's Markdown, or the declaration's head with its comment; `None` if there is neither.
    pub text: Option<String>,
    /// The comment at the end of `text`, if `text` has one and is not a server's.
    pub comment: Option<String>,
    /// The signatures of the call, if the client pointed at a called name; the active one first.
    pub signatures: Vec<String>,
    /// Whether something else may be meant: nothing shows that this declaration is, alone.
    pub is_guess: bool,
    /// The source of the description.
    pub source: Source,
    /// What the symbol's name was read as, if it is not a name path of the project.
    pub read_as: Option<String>,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// Returns the description of a symbol.
pub async fn hover(project: &Project, ask: &AskHover) -> Result<Hover, QuestionError> {
    project.by_need(|project| async move { once(&project, ask).await }).await
}

async fn once(project: &Project, ask: &AskHover) -> Result<Hover, QuestionError> {
    let pointed = project.resolve(&ask.over).await?;
    let said = match project.language_at(&pointed) {
        Ok(language) => project.servers.hover(language, &pointed.at, ask.waiting).await,
        Err(why) => Err(why),
    };
    let (revision, read_as) = (pointed.at.revision, pointed.read_as.clone());
    match said {
        Ok(said) => {
            let signatures = signatures(project, &pointed, ask.waiting).await?;
            let (text, source) = (said.value, Source::Server(said.server));
            Ok(Hover { text, comment: None, signatures, is_guess: false, source, read_as, revision })
        }
        Err(changed @ ServerError::Changed { .. }) => Err(changed.into()),
        Err(why) => {
            let work = move |view: &View, cancel: &Cancel| from_declaration(view, &pointed, cancel);
            let described = project.with_view(work).await??;
            let (text, source) = (described.as_ref().map(Described::text), Source::Syntax(why));
            let is_guess = described.as_ref().is_some_and(|described| described.is_guess);
            let comment = described.and_then(|described| described.comment);
            Ok(Hover { text, comment, signatures: Vec::new(), is_guess, source, read_as, revision })
        }
    }
}

/// Returns the signatures of the call that the name begins; empty if it is not a call.
async fn signatures(
    project: &Project,
    pointed: &ResolvedPointer,
    waiting: WaitPolicy,
) -> Result<Vec<String>, QuestionError> {
    let Ok(language) = project.language_at(pointed) else { return Ok(Vec::new()) };
    let place = pointed.clone();
    let inside = project.with_view(move |view, _| argument_list(view, &place)).await?;
    let Some(offset) = inside else { return Ok(Vec::new()) };
    let at = DocumentPosition { offset, ..pointed.at.clone() };
    match project.servers.signatures(language, &at, waiting).await {
        Ok(said) => Ok(said.value),
        Err(changed @ ServerError::Changed { .. }) => Err(changed.into()),
        Err(_) => Ok(Vec::new()),
    }
}

/// Returns the offset after the `(` that follows the name, unless the name is declared here.
fn argument_list(view: &View, pointed: &ResolvedPointer) -> Option<u32> {
    let current = view.current(view.snapshot.files.get(pointed.at.path.as_str())?).ok()?;
    let is_declared = current.outline.rows.iter().any(|row| row.name_start == pointed.at.offset);
    let behind = current.text.as_str().get(pointed.name_range.end as usize..)?;
    (!is_declared && behind.starts_with('(')).then_some(pointed.name_range.end + 1)
}

/// Describes what is declared at the place, or the best declaration of the name there.
fn from_declaration(
    view: &View,
    pointed: &ResolvedPointer,
    cancel: &Cancel,
) -> Result<Option<Described>, QuestionError> {
    let at = &pointed.at;
    let own = view.snapshot.files.get(at.path.as_str()).and_then(|file| {
        let row = file.outline()?.rows.iter().position(|row| row.name_start == at.offset)?;
        Some(resolve::IndexedDeclaration { file: file.clone(), row })
    });
    if let Some(own) = own {
        return Ok(described(view, &own));
    }
    let meant = resolve::definitions(view, &at.path, at.offset, cancel)?;
    let is_guess = meant.is_guess || meant.declarations.len() > 1;
    let best = meant.declarations.first().and_then(|target| described(view, target));
    Ok(best.map(|described| Described { is_guess, ..described }))
}

/// A declaration as syntax describes it.
struct Described {
    /// `file:line`, 1-based.
    place: String,
    head: String,
    comment: Option<String>,
    /// Whether another declaration may be meant.
    is_guess: bool,
}

impl Described {
    fn text(&self) -> String {
        let parts = [Some(&self.place), Some(&self.head), self.comment.as_ref()];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

fn described(view: &View, target: &resolve::IndexedDeclaration) -> Option<Described> {
    let current = view.current(&target.file).ok()?;
    let (outline, row) = target.row()?;
    if !std::sync::Arc::ptr_eq(outline, &current.outline) {
        return None;
    }
    let Documented { head, above, within } = documented(&current.text, row);
    let place = format!("{}:{}", target.file.path, row.name_line + 1);
    Some(Described { place, head, comment: above.or(within), is_guess: false })
}

/// A declaration's head and documentation.
pub(super) struct Documented {
    /// The head, from the first decorator to the line where its brackets are closed; the first lines of a
    /// long one.
    pub(super) head: String,
    /// The comment directly above the declaration.
    pub(super) above: Option<String>,
    /// The string at the beginning of the body.
    pub(super) within: Option<String>,
}

/// Returns the head and the documentation of the declaration of `row`.
pub(super) fn documented(text: &Text, row: &Row) -> Documented {
    let (first, last) = (row.start_line as usize, row.end_line as usize);
    let head_end = head_end(text, row.name_line as usize, last);
    let head: Vec<&str> = (first..=head_end).take(MAX_LINES).filter_map(|line| text.line(line)).collect();
    let some = |lines: Vec<&str>| (!lines.is_empty()).then(|| dedent(&lines));
    Documented {
        head: dedent(&head),
        above: some(comment_above(text, first)),
        within: some(docstring(text, head_end + 1, last)),
    }
}

/// Returns the line on which a declaration's head ends: where its brackets are closed and a body may begin.
fn head_end(text: &Text, name_line: usize, last: usize) -> usize {
    let mut open = 0_i32;
    for line in name_line..=last.min(name_line + MAX_LINES) {
        for c in text.line(line).unwrap_or("").chars() {
            match c {
                '(' | '[' => open += 1,
                ')' | ']' => open -= 1,
                _ => {}
            }
        }
        if open <= 0 {
            return line;
        }
    }
    name_line
}

/// Returns the comment lines directly above a line.
fn comment_above(text: &Text, first: usize) -> Vec<&str> {
    let is_comment = |line: &str| {
        let line = line.trim_start();
        ["//", "/*", "*", "#"].iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#[")
    };
    let above = (0..first).rev().map_while(|line| text.line(line).filter(|line| is_comment(line)));
    let mut lines: Vec<&str> = above.take(MAX_LINES).collect();
    lines.reverse();
    lines
}

/// Returns Python's docstring: the string at the beginning of a body.
fn docstring(text: &Text, first: usize, last: usize) -> Vec<&str> {
    let opening = text.line(first).unwrap_or("").trim_start().trim_start_matches(['r', 'R', 'u', 'U']);
    let Some(quote) = ["\"\"\"", "'''"].into_iter().find(|quote| opening.starts_with(quote)) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for line in (first..=last).take(MAX_LINES) {
        let Some(text) = text.line(line) else { break };
        lines.push(text);
        let closes = if line == first { opening[3..].contains(quote) } else { text.contains(quote) };
        if closes {
            break;
        }
    }
    lines
}

/// Joins lines without their common indentation.
fn dedent(lines: &[&str]) -> String {
    let blank = |line: &str| line.len() - line.trim_start().len();
    let shared =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| blank(line)).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or("").trim_end()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text::decode(text.as_bytes().to_vec()).expect("is text")
    }

    #[test]
    fn a_head_ends_where_its_brackets_close() {
        let text = text("def f(\n    a,\n    b,\n):\n    return a\n");
        assert_eq!(head_end(&text, 0, 4), 3);
    }

    #[test]
    fn comments_are_found_above_and_within() {
        let rust = text("x\n\n/// One.\n/// Two.\nfn f() {}\n");
        assert_eq!(comment_above(&rust, 4), ["/// One.", "/// Two."]);
        let python = text("def f():\n    \"\"\"One.\n\n    Two.\n    \"\"\"\n    pass\n");
        assert_eq!(dedent(&docstring(&python, 1, 5)), "\"\"\"One.\n\nTwo.\n\"\"\"");
        assert!(docstring(&text("def f():\n    pass\n"), 1, 1).is_empty());
        assert_eq!(docstring(&text("def f():\n    '''One.'''\n    pass\n"), 1, 2).len(), 1);
    }
}
