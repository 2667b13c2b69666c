//! A symbol's declaration as its file has it: head, documentation, body, members. Invariant: all parts come
//! from the same version of the text.

use crate::Project;
use crate::hover::{Documented, documented};
use crate::question::QuestionError;
use crate::symbol::{Detail, GrammarText, Symbol, symbol};
use crate::target::Target;
use symd_base::{ContentHash, TextRange};
use symd_engine::View;
use symd_lsp::ServerError;
use symd_resolve as resolve;

/// A symbol's declaration as its file has it.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The symbol with its signature and its text; a type also has its members with their signatures.
    pub symbol: Symbol,
    /// The lines from the first decorator to the end of the head.
    pub head: String,
    /// The comment directly above the declaration.
    pub above: Option<String>,
    /// The documentation at the beginning of the body.
    pub within: Option<String>,
    /// The hash of the file's content.
    pub hash: ContentHash,
}

pub(super) async fn read(project: &Project, of: &Target) -> Result<Declaration, QuestionError> {
    let of = of.clone();
    project.with_view(move |view, _| in_file(view, &of)).await?
}

fn in_file(view: &View, of: &Target) -> Result<Declaration, QuestionError> {
    let changed = || ServerError::changed(&of.at.path);
    let current = view.current(&of.file).map_err(|_| changed())?;
    let row = current.outline.rows.get(of.row).filter(|_| current.hash == of.at.hash).ok_or_else(changed)?;
    let depth = usize::from(resolve::is_type(row.kind()));
    let text = Some(GrammarText { grammar: of.file.grammar(), text: current.text.as_str() });
    let mut symbol = symbol(&of.at.path, &current.outline, of.row, Detail { depth, text });
    symbol.children.retain(|child| !child.is_local);
    let start = current.text.line_start(current.text.line_column(row.start).line as usize);
    let before =
        u32::try_from(start).map_or("", |start| current.text.slice(TextRange::new(start, row.start)));
    if before.chars().all(char::is_whitespace) {
        symbol.indent = before.to_owned();
    }
    symbol.body = Some(current.text.slice(row.range()).to_owned());
    let Documented { head, above, within } = documented(&current.text, row);
    Ok(Declaration { symbol, head, above, within, hash: current.hash })
}
