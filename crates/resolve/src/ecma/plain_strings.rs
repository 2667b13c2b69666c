//! Strings of JavaScript and TypeScript by which no program looks a symbol up, although they consist of its name: `from "./format"`,
//! `new Error("timeout")`, `console.log("ready")`, titles of tests.

use crate::context::last_word;
use crate::family::Family;
use symd_base::TextRange;
use symd_index::FileEntry;

/// Functions whose first argument is the path of a module.
const LOADING: [&str; 2] = ["import", "require"];

/// Functions whose first argument is a title of tests.
const TITLED: [&str; 4] = ["describe", "it", "suite", "test"];

/// Whether the string around the name at `range` in a file's text names no symbol.
pub fn is_plain_string(file: &FileEntry, text: &str, range: TextRange) -> bool {
    Family::of(file) == Some(Family::Ecma) && names_nothing(text, range)
}

fn names_nothing(text: &str, range: TextRange) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'');
    let Some(line) = text.get(..range.start as usize).and_then(|before| before.rsplit('\n').next()) else {
        return false;
    };
    let Some(open) = line.rfind(is_quote) else { return false };
    let before = line[..open].trim_end();
    if matches!(last_word(before), "from" | "import") {
        return true;
    }
    let Some(call) = before.strip_suffix('(').map(str::trim_end) else { return false };
    let called = last_word(call);
    let owner = call[..call.len() - called.len()].strip_suffix('.').map(last_word);
    match owner {
        None => LOADING.contains(&called) || TITLED.contains(&called) || called.ends_with("Error"),
        Some(owner) => owner == "console",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_name_no_symbol() {
        for (text, expected) in [
            ("import { a } from \"./run\";", true),
            ("import './run';", true),
            ("export * from \"./lib/run\"", true),
            ("const a = require(\"./run\")", true),
            ("throw new Error(\"run\")", true),
            ("new WebError('run')", true),
            ("console.warn(\"run\")", true),
            ("describe(\"run\", () => {})", true),
            ("box.test(\"run\")", false),
            ("box[\"run\"]()", false),
            ("call(box, \"run\")", false),
            ("const key = \"run\"", false),
            ("from(\"run\")", false),
            ("run", false),
        ] {
            let at = u32::try_from(text.find("run").expect("in it")).expect("short");
            assert_eq!(names_nothing(text, TextRange::new(at, at + 3)), expected, "{text}");
        }
    }
}
