//! Links of rustdoc, ``[`name`]``, `[text](path::name)`, and code in examples, as far as the name is certainly the target's: no other
//! declaration of the project has it, or the path names the target's type or module. Invariant: prose is no link; what is a link or an
//! example and may mean something else is `Unknown`.

use crate::context::{first_word, is_word, last_word};
use crate::family::Family;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use crate::string_name::StringName;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// How a name stands in documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocPlace<'t> {
    Prose,
    /// In a link, with the name before it in its path.
    Link(Option<&'t str>),
    /// In the code of an example, with the name before `::`, and whether the example binds the name itself.
    Example {
        before: Option<&'t str>,
        is_bound: bool,
    },
}

/// See [`crate::doc_links`].
pub(crate) fn rust_doc_links(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<StringName>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Rust, cancel);
    let Some(first) = targets.first() else { return Ok(vec![StringName::Unknown; places.len()]) };
    let declared = resolver.declared(first.name())?;
    let is_only = declared.iter().all(|one| targets.iter().any(|target| target.is_same_declaration(one)));
    let owners: Vec<&str> = targets.iter().filter_map(owner).collect();
    let means = |before: Option<&str>| match before {
        Some(before) => {
            owners.contains(&before) || is_only && matches!(before, "crate" | "self" | "super" | "Self")
        }
        None => is_only,
    };
    let meant = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let text = sources.text(path).filter(|_| path.extension() == Some("rs"));
        let is_meant = text.is_some_and(|text| match doc_place(&text, *range) {
            DocPlace::Prose => false,
            DocPlace::Link(before) => means(before),
            DocPlace::Example { before, is_bound } => {
                !is_bound && (is_only || before.is_some() && means(before))
            }
        });
        Ok(if is_meant { StringName::Symbol } else { StringName::Unknown })
    };
    places.iter().map(meant).collect()
}

/// Returns the name before the target's in paths to it: its type, without `impl` and type arguments, its module, or its file's name.
fn owner(target: &IndexedDeclaration) -> Option<&str> {
    let (outline, row) = target.row()?;
    match row.parent() {
        Some(parent) => {
            let name = outline.name(&outline.rows[parent]);
            let name = name.strip_prefix("impl ").unwrap_or(name);
            let name = name.rsplit_once(" for ").map_or(name, |(_, of)| of);
            Some(first_word(name))
        }
        None => {
            let path = target.file.path.as_str();
            let stem = path.rsplit('/').next()?.strip_suffix(".rs")?;
            match stem {
                "mod" => path.rsplit('/').nth(1),
                "lib" | "main" => Some("crate"),
                stem => Some(stem),
            }
        }
    }
}

/// Tells how the name at `range`, in a documentation comment, stands there.
pub(crate) fn doc_place(text: &str, range: TextRange) -> DocPlace<'_> {
    let (start, end) = (range.start as usize, range.end as usize);
    let (Some(left), Some(right)) = (text.get(..start), text.get(end..)) else { return DocPlace::Prose };
    let path_start = left.trim_end_matches(|c: char| is_word(c) || c == ':' || c == '#').len();
    let before = left.strip_suffix("::").map(last_word).filter(|word| !word.is_empty());
    if let Some(example) = example_around(left, right) {
        let name = text.get(start..end).unwrap_or("");
        return DocPlace::Example { before, is_bound: before.is_none() && binds(example, name) };
    }
    let outside = left[..path_start].trim_end_matches('`');
    let outside =
        ["fn@", "struct@", "enum@", "trait@", "macro@", "mod@", "type@", "const@", "value@", "method@"]
            .iter()
            .find_map(|kind| outside.strip_suffix(kind))
            .unwrap_or(outside)
            .trim_end_matches('`');
    // `[Type::name]` for the name `Type`.
    let rest =
        right.strip_prefix("::").map_or(right, |rest| rest.trim_start_matches(|c| is_word(c) || c == ':'));
    let rest = rest.strip_prefix("()").or_else(|| rest.strip_prefix('!')).unwrap_or(rest);
    let rest = rest.trim_start_matches('`');
    let is_link = outside.ends_with('[') && rest.starts_with(']') && !rest.starts_with("](")
        || outside.ends_with("](") && rest.starts_with(')')
        || outside.ends_with("]: ") && rest.starts_with(['\n', '\r']);
    if is_link { DocPlace::Link(before) } else { DocPlace::Prose }
}

/// Returns the code block of a documentation comment around the place between `left` and `right`, as far as the place.
fn example_around<'t>(left: &'t str, right: &str) -> Option<&'t str> {
    let is_doc = |line: &str| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("//!")
    };
    let mut block_start = None;
    let mut is_open = false;
    let mut at = left.len();
    // The comment's lines, upwards.
    let mut fences = Vec::new();
    for line in left.rsplit('\n') {
        at -= line.len();
        if !is_doc(line) {
            break;
        }
        let inside = line.trim_start()[3..].trim_start();
        if inside.starts_with("```") {
            fences.push((at, inside));
        }
        at = at.saturating_sub(1);
    }
    for (at, fence) in fences.into_iter().rev() {
        is_open = !is_open;
        let kind = fence.trim_start_matches('`').trim();
        let is_rust = kind.is_empty()
            || kind.split(',').all(|word| {
                matches!(word.trim(), "rust" | "no_run" | "should_panic" | "compile_fail")
                    || word.contains("edition")
            });
        block_start = (is_open && is_rust).then_some(at);
    }
    let closes = right.lines().skip(1).take_while(|line| is_doc(line)).any(|line| line.contains("```"));
    block_start.filter(|_| closes).and_then(|start| left.get(start..))
}

/// Whether an example binds the name itself: `let name`, `fn name`, `|name|`.
fn binds(example: &str, name: &str) -> bool {
    crate::family_texts::words_of(example, name).any(|at| {
        let left = example[..at].trim_end();
        ["let", "mut", "fn", "for", "struct", "enum", "mod"].contains(&last_word(left)) || left.ends_with('|')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: DocPlace) {
        let at = u32::try_from(text.rfind("run").expect("in it")).expect("short");
        assert_eq!(doc_place(text, TextRange::new(at, at + 3)), expected, "{text}");
    }

    #[test]
    fn links_are_told_from_prose() {
        check("/// See [`run`].\n", DocPlace::Link(None));
        check("/// See [run] or\n", DocPlace::Link(None));
        check("/// See [`run()`].\n", DocPlace::Link(None));
        check("/// See [`crate::run`].\n", DocPlace::Link(Some("crate")));
        check("/// See [the text](Box::run).\n", DocPlace::Link(Some("Box")));
        check("/// See [the text](fn@run).\n", DocPlace::Link(None));
        check("/// [it]: crate::run\nfn f() {}\n", DocPlace::Link(Some("crate")));
        check("/// See [`run::Other`].\n", DocPlace::Link(None));
        check("/// Please run it.\n", DocPlace::Prose);
        check("/// See [`run`](Other).\n", DocPlace::Prose);
        check("/// Call `run`.\n", DocPlace::Prose);
    }

    #[test]
    fn code_of_examples() {
        let example = |before, is_bound| DocPlace::Example { before, is_bound };
        check("/// ```\n/// a::run();\n/// ```\n", example(Some("a"), false));
        check("//! ```rust\n//! run();\n//! ```\n", example(None, false));
        check("/// ```\n/// let run = 1;\n/// f(run);\n/// ```\n", example(None, true));
        check("/// ```text\n/// run\n/// ```\n", DocPlace::Prose);
        check("/// ```\n/// a();\n/// ```\n/// Then run.\n", DocPlace::Prose);
        check("/// ```ignore\n/// run();\n/// ```\n", DocPlace::Prose);
    }
}
