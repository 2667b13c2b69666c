//! The comments of R8's mappings that say of a class or a method how frames are read: what the compiler made, in which frame an error is
//! not thrown, and which code of several methods stands in one, an outline.
//!
//! Form: <https://r8.googlesource.com/r8/+/refs/heads/main/doc/retrace.md>.

use std::collections::BTreeMap;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remark {
    /// The compiler made the class or the method: it stands in no source.
    Synthesized,
    Rewriting(FrameRewriting),
    /// The method is an outline: it holds code of the methods that call it.
    Outline,
    OutlineCalls(OutlineCalls),
}

/// Where an outline is called from a method: its frame has a line of the outline's, which tells the place of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutlineCalls {
    /// The outline's class and method, where they are said.
    outline: Option<(String, String)>,
    /// The line of the method, in the obfuscated program, by that of the outline.
    lines: BTreeMap<usize, usize>,
}

/// What is left out of a group of frames, of which one is called by the next: code that was inlined for a check is not what throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameRewriting {
    /// The types of errors that are meant, all of which must be the one.
    thrown: Vec<String>,
    /// How many of the innermost frames are left out.
    pub(super) removed: usize,
}

impl Remark {
    /// Reads a line; `None` if it says something else.
    pub(super) fn read(line: &[u8]) -> Option<Remark> {
        let line = line.trim_ascii_start();
        let comment = std::str::from_utf8(line.strip_prefix(b"#")?).ok()?;
        let is_called = |id: &str| comment.contains(&format!("\"id\":\"com.android.tools.r8.{id}\""));
        match () {
            () if is_called("synthesized") => Some(Remark::Synthesized),
            () if is_called("outline") => Some(Remark::Outline),
            () if is_called("outlineCallsite") => OutlineCalls::read(comment).map(Remark::OutlineCalls),
            () if is_called("rewriteFrame") => FrameRewriting::read(comment).map(Remark::Rewriting),
            () => None,
        }
    }
}

impl OutlineCalls {
    /// Reads `"positions":{"1":4,"2":5},"outline":"La/b;c(I)V"`.
    fn read(comment: &str) -> Option<OutlineCalls> {
        let (_, positions) = comment.split_once("\"positions\":")?;
        let positions = positions.trim_start().strip_prefix('{')?.split_once('}')?.0;
        let number = |text: &str| text.trim().trim_matches('"').parse::<usize>().ok();
        let pair =
            |pair: &str| pair.split_once(':').and_then(|(of, line)| Some((number(of)?, number(line)?)));
        let method = |descriptor: &str| {
            let (class, method) = descriptor.strip_prefix('L')?.split_once(';')?;
            Some((class.replace('/', "."), method.split('(').next()?.to_owned()))
        };
        let said = comment.split_once("\"outline\":").and_then(|(_, said)| said.split('"').nth(1));
        Some(OutlineCalls {
            outline: said.and_then(method),
            lines: positions.split(',').filter_map(pair).collect(),
        })
    }

    /// Returns the method's line for a line of an outline that it calls.
    pub(super) fn line_of(&self, (class, method): (&str, &str), line: usize) -> Option<usize> {
        let is_of_other =
            self.outline.as_ref().is_some_and(|(of, name)| (of.as_str(), name.as_str()) != (class, method));
        self.lines.get(&line).copied().filter(|_| !is_of_other)
    }
}

impl FrameRewriting {
    /// Reads `"conditions":["throws(Ljava/lang/Error;)"],"actions":["removeInnerFrames(1)"]`; `None` if one is of another kind.
    fn read(comment: &str) -> Option<FrameRewriting> {
        let thrown = |condition: &str| {
            let descriptor = argument(condition, "throws")?.strip_prefix('L')?.strip_suffix(';')?;
            Some(descriptor.replace('/', "."))
        };
        let thrown = strings(comment, "conditions")?.map(thrown).collect::<Option<Vec<String>>>()?;
        let counts = strings(comment, "actions")?
            .map(|action| argument(action, "removeInnerFrames")?.parse::<usize>().ok());
        let removed = counts.collect::<Option<Vec<_>>>()?.into_iter().fold(0, usize::saturating_add);
        Some(FrameRewriting { thrown, removed })
    }

    /// Whether it is meant for an error of a type, whose name is the program's own.
    pub(super) fn is_meant(&self, thrown: &str) -> bool {
        self.thrown.iter().all(|one| one == thrown)
    }
}

/// Returns the strings of a list: R8 writes no escapes in them.
fn strings<'c>(comment: &'c str, name: &str) -> Option<impl Iterator<Item = &'c str>> {
    let (_, list) = comment.split_once(&format!("\"{name}\":["))?;
    Some(list.split_once(']')?.0.split('"').skip(1).step_by(2))
}

fn argument<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_of_r8() {
        let rewriting = |thrown: &[&str], removed| {
            let thrown = thrown.iter().map(|one| (*one).to_owned()).collect();
            Some(Remark::Rewriting(FrameRewriting { thrown, removed }))
        };
        let of_frame = |conditions: &str, actions: &str| {
            let line = format!(
                "    # {{\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[{conditions}],\"actions\":[{actions}]}}\r"
            );
            Remark::read(line.as_bytes())
        };
        let (null, remove) = ("\"throws(Ljava/lang/NullPointerException;)\"", "\"removeInnerFrames(2)\"");
        assert_eq!(of_frame(null, remove), rewriting(&["java.lang.NullPointerException"], 2));
        assert_eq!(
            of_frame(&format!("{null},\"throws(La;)\""), remove),
            rewriting(&["java.lang.NullPointerException", "a"], 2)
        );
        // Of another kind: nothing is left out.
        for (conditions, actions) in
            [("\"calls(La;)\"", remove), (null, "\"rename(1)\""), (null, "\"removeInnerFrames(-1)\"")]
        {
            assert_eq!(of_frame(conditions, actions), None, "{conditions} {actions}");
        }
        assert_eq!(
            Remark::read(b"# {\"id\":\"com.android.tools.r8.synthesized\"}"),
            Some(Remark::Synthesized)
        );
        let calls = |line: &str| match Remark::read(line.as_bytes()) {
            Some(Remark::OutlineCalls(calls)) => calls,
            other => panic!("{other:?}"),
        };
        let of_any = calls(
            "# { \"id\":\"com.android.tools.r8.outlineCallsite\", \"positions\": { \"1\": 4, \"20\": 5 }}",
        );
        assert_eq!([1, 20, 3].map(|line| of_any.line_of(("a", "a"), line)), [Some(4), Some(5), None]);
        let of_one = calls(
            "      # {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":4},\"outline\":\"La/b;c(La/b;)V\"}\r",
        );
        assert_eq!([("a.b", "c"), ("a.b", "d")].map(|of| of_one.line_of(of, 1)), [Some(4), None]);
        for line in [
            "# {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":[1]}",
            "# {\"id\":\"sourceFile\",\"fileName\":\"Till.kt\"}",
            "# compiler: R8",
            "    void synthesized() -> a",
            "# \u{e9}",
        ] {
            assert_eq!(Remark::read(line.as_bytes()), None, "{line}");
        }
    }
}
