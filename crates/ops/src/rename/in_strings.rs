//! Code in strings: a program that is written to a file, or run, may override the renamed member, or use it.

use super::linked::LinkedSymbol;
use super::mentions::{Medium, Mention};
use crate::spot::{Source, is_word_char};
use symd_base::TextRange;
use symd_engine::View;
use symd_resolve as resolve;

/// Maximum number of bytes between the beginning of a class and a declaration in it.
const CLASS_WITHIN: usize = 8_000;

/// Marks strings that declare the member, or use it through `self`, in a class one of whose bases has the
/// name of a class that declares it in the project; and strings that consist of a call of it through a
/// parameter that is annotated with such a class.
pub(super) fn note_overrides(view: &View, symbol: &LinkedSymbol, found: &mut [Mention]) {
    let around = |path: &str| Some(path.rsplit('/').nth(1)?.split('[').next()?.to_owned());
    let classes: Vec<String> =
        symbol.members.iter().filter_map(|one| around(&one.symbol.name_path)).collect();
    if classes.is_empty() {
        return;
    }
    for of_file in found.chunk_by_mut(|a, b| a.path == b.path) {
        let is_string =
            |one: &Mention| one.medium == Medium::Strings && one.may_be_looked_up && !one.is_certain_mention;
        if !of_file.iter().any(is_string) {
            continue;
        }
        let Some(source) = Source::read(view, &of_file[0].path) else { continue };
        for one in of_file.iter_mut().filter(|one| is_string(one)) {
            let text = source.text.as_str();
            let function = || {
                let (_, outline) = source.code.as_ref()?;
                let row = &outline.rows[resolve::enclosing_row(outline, one.range.start)?];
                text.get(row.start as usize..one.range.start as usize)
            };
            one.is_likely_mention |= overrides(text, one.range, &classes)
                || function()
                    .is_some_and(|function| is_call_on_parameter((function, text), one.range, &classes));
        }
    }
}

/// Whether the name at `range` is declared, or used through `self`, in a class in the same string, one of
/// whose bases has one of these names.
fn overrides(text: &str, range: TextRange, classes: &[String]) -> bool {
    let Some(before) = text.get(..range.start as usize) else { return false };
    let is_declared = || {
        let word = before.trim_end().rsplit(|c| !is_word_char(c)).next();
        before.ends_with(' ') && matches!(word, Some("def" | "fun" | "function"))
    };
    if !is_declared() && !["self.", "super().", "this.", "super."].iter().any(|own| before.ends_with(own)) {
        return false;
    }
    let mut from = before.len().saturating_sub(CLASS_WITHIN);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let Some(class) = before[from..].rfind("class ") else { return false };
    let of_class = &before[from + class..];
    // Quotes between the two end the string, except for those within a multi-line string.
    if ["\"\"\"", "'''", "`"].iter().any(|quotes| of_class.contains(quotes)) {
        return false;
    }
    let head = of_class.split(['{', '\n']).next().unwrap_or_default();
    let head = head.split_once("\\n").map_or(head, |(head, _)| head);
    let mut names = head["class ".len()..].split(|c| !is_word_char(c)).filter(|name| !name.is_empty());
    let _own = names.next();
    names.any(|name| classes.iter().any(|class| class == name))
}

/// Whether the string around `range` consists of a call of it, `"cmd.run(args)"`, and `cmd` is a parameter
/// that `function`, which ends at the name, annotates with one of these classes.
fn is_call_on_parameter((function, text): (&str, &str), range: TextRange, classes: &[String]) -> bool {
    let behind = &text[range.end as usize..];
    let Some(before) = function.strip_suffix('.') else { return false };
    let outside = before.trim_end_matches(is_word_char);
    let receiver = &before[outside.len()..];
    let ends = behind.find(['"', '\'', '\n']).map(|end| &behind[..end]);
    if receiver.is_empty()
        || !outside.ends_with(['"', '\''])
        || !ends.is_some_and(|call| call.starts_with('(') && call.ends_with(')'))
    {
        return false;
    }
    function.match_indices(receiver).any(|(at, _)| {
        let annotation = function[at + receiver.len()..].trim_start().strip_prefix(':');
        let annotation = annotation.map(|rest| rest.split([',', ')', '=', '\n']).next().unwrap_or_default());
        !function[..at].ends_with(is_word_char)
            && annotation.is_some_and(|annotation| {
                annotation.split(|c| !is_word_char(c)).any(|name| classes.iter().any(|class| class == name))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let at = u32::try_from(text.find("run(").expect("in it")).expect("short");
        assert_eq!(overrides(text, TextRange::new(at, at + 3), &["Base".to_owned()]), expected, "{text}");
    }

    #[test]
    fn a_class_in_a_string_overrides_by_the_name_of_its_base() {
        check("\"\"\"\nclass A(lib.Base):\n    x = 'a'\n    async def run(self): ...\n\"\"\"", true);
        check("'class A(Base):\\n    def run(self): ...'", true);
        check("`class A : Base() { fun run() }`", true);
        check("\"\"\"\nclass A(Base):\n    x = self.run()\n\"\"\"", true);
    }

    #[test]
    fn a_string_that_is_a_call_uses_the_class_of_its_receiver() {
        let check = |text: &str, expected: bool| {
            let at = u32::try_from(text.find("run(").expect("in it")).expect("short");
            let (function, range) = (&text[..at as usize], TextRange::new(at, at + 3));
            assert_eq!(
                is_call_on_parameter((function, text), range, &["Base".to_owned()]),
                expected,
                "{text}"
            );
        };
        check("def f(cmd: lib.Base, n: int):\n    profile('cmd.run(n)', n)\n", true);
        check("def f(cmd: Base | None = None):\n    profile(\"cmd.run()\")\n", true);
        check("def f(cmd: Other, base: Base):\n    profile('cmd.run()')\n", false);
        check("def f(cmd: Base):\n    print('call cmd.run()')\n", false);
        check("def f(cmd: Base):\n    print('cmd.run() is slow')\n", false);
    }

    #[test]
    fn another_class_and_another_string_do_not() {
        check("\"\"\"\nclass A(Other):\n    def run(self): ...\n\"\"\"", false);
        check("\"\"\"\nclass Base:\n    def run(self): ...\n\"\"\"", false);
        check("\"\"\"\nclass A(Base):\n    x = other.run()\n\"\"\"", false);
        check("class A(Base):\n    x = \"\"\"\n    def run(self): ...\n\"\"\"", false);
        check("'def run(self): ...'", false);
    }
}
