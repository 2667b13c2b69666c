//! Finds the places of a build's output in the project: it may have been built elsewhere, so the end of the path counts.
//! Invariant: the line is the one that the output names.

use std::collections::{BTreeMap, BTreeSet};

use super::{BuildProblem, OutputPlace};
use crate::code_context::{FindCodeContext, FunctionPart, code_context};
use crate::stack_trace::declaration_at;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;

/// Maximum number of lines before and after a place.
const AROUND: usize = 2;

/// Maximum size of a file that code is shown of, in bytes.
const MAX_BYTES: u64 = 10 << 20;

/// A place in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPlace {
    pub path: RelPath,
    /// From 1, as the output names it.
    pub line: Option<usize>,
    /// From 1, as the output names it.
    pub column: Option<usize>,
    /// The name path of the declaration around it; empty where none is.
    pub name_path: String,
    /// The text of the line, and the lines around it with the number of the first.
    pub line_text: String,
    pub around: Vec<String>,
    pub first_line: usize,
    /// Why the place may be another one.
    pub doubt: Option<String>,
}

/// The project's files with the names that the output mentions.
pub(super) struct ProjectFiles<'v> {
    view: &'v View,
    by_name: BTreeMap<String, Vec<RelPath>>,
}

impl<'v> ProjectFiles<'v> {
    pub(super) fn find(
        view: &'v View,
        problems: &[BuildProblem],
        cancel: &Cancel,
    ) -> Result<ProjectFiles<'v>, Cancelled> {
        let places = problems.iter().filter_map(|problem| problem.place.as_ref());
        let names: BTreeSet<String> =
            places.filter_map(|place| components(&place.path).pop()).map(str::to_owned).collect();
        let mut by_name: BTreeMap<String, Vec<RelPath>> = BTreeMap::new();
        for file in view.snapshot.files.iter() {
            cancel.check()?;
            if names.contains(file.path.file_name()) {
                by_name.entry(file.path.file_name().to_owned()).or_default().push(file.path.clone());
            }
        }
        Ok(ProjectFiles { view, by_name })
    }

    /// Returns the place in the project, if it has the file.
    pub(super) fn locate(&mut self, place: &OutputPlace) -> Option<ProjectPlace> {
        let written = components(&place.path);
        let candidates = self.by_name.get(*written.last()?)?;
        let shared = |path: &RelPath| {
            let own = components(path.as_str());
            own.iter().rev().zip(written.iter().rev()).take_while(|(own, written)| own == written).count()
        };
        let best = candidates.iter().map(shared).max()?;
        let fitting: Vec<&RelPath> = candidates.iter().filter(|path| shared(path) == best).collect();
        let path = (*fitting.first()?).clone();
        // A file of this name in another directory may be another file, such as a generated one.
        let is_whole = best == written.len() || best == components(path.as_str()).len();
        let doubt = match (fitting.len(), best) {
            (1, 1) if !is_whole => Some(format!("only the file's name is that of {}", place.path)),
            (1, _) => None,
            (count, _) => Some(format!("{count} files fit {}", place.path)),
        };
        Some(self.read(place, path, doubt))
    }

    fn read(&self, place: &OutputPlace, path: RelPath, doubt: Option<String>) -> ProjectPlace {
        let mut found = ProjectPlace {
            path,
            line: place.line,
            column: place.column,
            name_path: String::new(),
            line_text: String::new(),
            around: Vec::new(),
            first_line: 0,
            doubt,
        };
        let Some(line) = place.line.filter(|line| *line > 0) else { return found };
        let ask = FindCodeContext {
            path: found.path.as_str().to_owned(),
            line,
            lines: AROUND,
            function: FunctionPart::Omitted,
            max_bytes: MAX_BYTES,
        };
        match code_context(self.view, &ask, &Cancel::new()) {
            Ok(code) => {
                let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
                let before = AROUND.min(line - 1);
                found.first_line = line - before;
                found.around = if before == 0 { Vec::new() } else { lines(&code.before) };
                found.around.push(code.at.clone());
                if !code.after.is_empty() {
                    found.around.extend(lines(&code.after));
                }
                found.line_text = code.at;
            }
            Err(_) => {
                found.doubt = found
                    .doubt
                    .or_else(|| Some("sources differ from the build: there is no such line".to_owned()));
                return found;
            }
        }
        let file = self.view.snapshot.files.get(found.path.as_str());
        if let Some(current) = file.and_then(|file| self.view.current(file).ok())
            && line <= crate::code_context::counted_lines(&current.text)
        {
            found.name_path = declaration_at(&current, line);
        }
        found
    }
}

fn components(path: &str) -> Vec<&str> {
    path.split(['/', '\\', ':']).filter(|part| !part.is_empty() && *part != ".").collect()
}
