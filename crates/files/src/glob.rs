//! Globs as the contracts define them, translated to regular expressions. Not gitignore's rules (see
//! `ignore`). Invariant: a glob either compiles, or is an error that quotes it; no glob matches the empty
//! text by accident.
//!
//! A path glob is matched against the whole path from the root. Without `/` in it, `*`, `?` and `[seq]` cross
//! `/`, so `*test*` matches `tests/helper.py`; with `/` they stop there and only `**` crosses, also inside a
//! component. `**/` at the start and `/**/` also match zero folders; a final `/` matches everything beneath
//! the folder. `{a,b}` is expanded first, so each alternative is treated by whether it contains a `/` itself.
//! A path glob can also be relative to a directory, or anchored as in a shell: then a glob without `/`
//! matches only names in that very directory. A name mask is Python's `fnmatch` on one file name, with
//! `{a,b}` besides.

use std::fmt::Write as _;

use super::search::Case;
use symd_base::RelPath;

/// Alternatives that one glob may expand to: `{a,b}{a,b}…` doubles with every pair.
const MAX_ALTERNATIVES: usize = 1024;

/// Characters that a glob may have: no path has more. Each alternative is a copy of the glob.
const MAX_CHARS: usize = 4096;

/// A compiled glob.
#[derive(Clone, Debug)]
pub struct Glob(regex::bytes::Regex);

/// A glob that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid glob '{glob}': {reason}")]
pub struct GlobError {
    /// The glob as it was written.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The kind of text that a glob is matched against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// A path from the root.
    Path,
    /// One file name; braces that do not form a list are ordinary characters.
    Name,
}

impl Glob {
    /// Compiles a glob for paths from the root.
    pub fn path(glob: &str) -> Result<Glob, GlobError> {
        compile(glob, Subject::Path, Case::Sensitive, "")
    }

    /// Compiles a glob for paths relative to `directory`. It is matched against paths from the root, and no
    /// path outside `directory` matches.
    pub fn beneath(directory: &RelPath, glob: &str) -> Result<Glob, GlobError> {
        compile(glob, Subject::Path, Case::Sensitive, &path_prefix(directory))
    }

    /// As [`Glob::beneath`], but a glob without `/` matches only names in `directory` itself, as in a shell.
    pub fn anchored(directory: &RelPath, glob: &str, case: Case) -> Result<Glob, GlobError> {
        if glob.is_empty() {
            return compile(glob, Subject::Path, case, "");
        }
        // A leading `/` anchors the glob, and is no part of the path.
        let rooted = format!("/{}", glob.strip_prefix("./").unwrap_or(glob));
        compile(&rooted, Subject::Path, case, &path_prefix(directory))
            .map_err(|error| GlobError { glob: glob.to_owned(), ..error })
    }

    /// Returns a glob that matches whatever any of `globs` matches.
    pub fn any(globs: &[Glob]) -> Result<Glob, GlobError> {
        let expressions: Vec<&str> = globs.iter().map(|glob| glob.0.as_str()).collect();
        let too_large = || GlobError {
            glob: format!("{} globs", globs.len()),
            reason: "together they are too large".to_owned(),
        };
        regex::bytes::Regex::new(&expressions.join("|")).map(Glob).map_err(|_| too_large())
    }

    /// Compiles a mask for file names.
    pub fn name(mask: &str) -> Result<Glob, GlobError> {
        compile(mask, Subject::Name, Case::Sensitive, "")
    }

    /// Reports whether the whole of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }
}

/// Returns the prefix of every path beneath `directory`.
fn path_prefix(directory: &RelPath) -> String {
    if directory.is_root() { String::new() } else { format!("{}/", directory.as_str()) }
}

/// Compiles `glob`; `before` is a literal prefix of the text to match.
fn compile(glob: &str, subject: Subject, case: Case, before: &str) -> Result<Glob, GlobError> {
    let error = |reason: String| GlobError { glob: glob.to_owned(), reason };
    if glob.is_empty() {
        return Err(error("it is empty".to_owned()));
    }
    let chars: Vec<char> = glob.chars().take(MAX_CHARS + 1).collect();
    if chars.len() > MAX_CHARS {
        let start = chars[..40].iter().collect::<String>();
        return Err(GlobError {
            glob: start + "…",
            reason: format!("it has more than {MAX_CHARS} characters"),
        });
    }
    let flags = if case == Case::Insensitive { "(?si)" } else { "(?s)" };
    let mut expression = format!(r"{flags}\A{}(?:", regex::escape(before));
    for (i, alternative) in expand_braces(&chars, subject).map_err(error)?.iter().enumerate() {
        if i > 0 {
            expression.push('|');
        }
        translate(alternative, subject, &mut expression).map_err(error)?;
    }
    expression.push_str(r")\z");
    regex::bytes::Regex::new(&expression).map(Glob).map_err(|source| {
        // The expression is generated here, so only a range such as [z-a], or its size, can be wrong with it.
        let text = source.to_string();
        error(text.lines().last().unwrap_or("it does not compile").trim_start_matches("error: ").to_owned())
    })
}

/// Expands the braces of a glob into alternatives. Escapes and `[seq]` are kept as they are.
fn expand_braces(glob: &[char], subject: Subject) -> Result<Vec<Vec<char>>, String> {
    let mut done = Vec::new();
    // Globs whose text before the given offset contains no more braces to expand.
    let mut waiting = vec![(glob.to_vec(), 0)];
    while let Some((glob, from)) = waiting.pop() {
        let Some(open) = find_open(&glob, from) else {
            done.push(glob);
            continue;
        };
        let Some((commas, close)) = find_close(&glob, open) else {
            if subject == Subject::Path {
                return Err("a '{' is never closed (write '\\{' for the character itself)".to_owned());
            }
            waiting.push((glob, open + 1));
            continue;
        };
        if subject == Subject::Name && commas.is_empty() {
            waiting.push((glob, open + 1));
            continue;
        }
        let mut start = open + 1;
        // The last one first, because `waiting` is a stack and error messages read better in order.
        let ends: Vec<usize> = commas.into_iter().chain([close]).collect();
        for end in ends {
            waiting.push(([&glob[..open], &glob[start..end], &glob[close + 1..]].concat(), open));
            start = end + 1;
        }
        if done.len() + waiting.len() > MAX_ALTERNATIVES {
            return Err(format!("its braces expand to more than {MAX_ALTERNATIVES} alternatives"));
        }
    }
    Ok(done)
}

/// Returns the first brace that opens a list, at or behind `from`.
fn find_open(glob: &[char], from: usize) -> Option<usize> {
    let mut at = from;
    while at < glob.len() {
        match glob[at] {
            '{' => return Some(at),
            '\\' => at += 2,
            '[' => at = class_end(glob, at).map_or(at + 1, |end| end + 1),
            _ => at += 1,
        }
    }
    None
}

/// Returns the commas and the closing brace that belong to the brace at `open`.
fn find_close(glob: &[char], open: usize) -> Option<(Vec<usize>, usize)> {
    let mut commas = Vec::new();
    let mut depth = 0_usize;
    let mut at = open + 1;
    while at < glob.len() {
        match glob[at] {
            '{' => depth += 1,
            '}' if depth == 0 => return Some((commas, at)),
            '}' => depth -= 1,
            ',' if depth == 0 => commas.push(at),
            '\\' => at += 1,
            '[' => at = class_end(glob, at).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the index of the `]` that closes the `[` at `open`. A `]` that comes first belongs to the set.
fn class_end(glob: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    if matches!(glob.get(at), Some('!' | '^')) {
        at += 1;
    }
    if glob.get(at) == Some(&']') {
        at += 1;
    }
    while at < glob.len() {
        match glob[at] {
            ']' => return Some(at),
            '\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// Appends the regular expression for one alternative.
fn translate(glob: &[char], subject: Subject, out: &mut String) -> Result<(), String> {
    let has_slash = subject == Subject::Path && glob.contains(&'/');
    let any = if has_slash { "[^/]" } else { "." };
    let glob = match glob {
        // Every path starts at the root anyway.
        ['.', '/', rest @ ..] | ['/', rest @ ..] if has_slash => rest,
        whole => whole,
    };
    let mut at = 0;
    while at < glob.len() {
        match glob[at] {
            '*' => {
                let stars = glob[at..].iter().take_while(|&&c| c == '*').count();
                let starts_component = at == 0 || glob[at - 1] == '/';
                at += stars;
                // Matches any bytes: distinguishing characters would take three times as long to compile.
                if has_slash && stars > 1 && starts_component && glob.get(at) == Some(&'/') {
                    out.push_str("(?-u:(?:.*/)?)");
                    at += 1;
                } else if has_slash && stars == 1 {
                    out.push_str("(?-u:[^/]*)");
                } else {
                    out.push_str("(?-u:.*)");
                }
                continue;
            }
            '?' => out.push_str(any),
            '[' => {
                let end = class_end(glob, at).ok_or_else(|| {
                    "a '[' is never closed (write '\\[' or '[[]' for the character itself)".to_owned()
                })?;
                translate_class(&glob[at + 1..end], has_slash, out);
                at = end;
            }
            '\\' => {
                at += 1;
                literal(*glob.get(at).ok_or_else(|| "it ends in a backslash".to_owned())?, out);
            }
            c => literal(c, out),
        }
        at += 1;
    }
    if has_slash && glob.last() == Some(&'/') {
        out.push_str("(?-u:.*)");
    }
    Ok(())
}

/// Appends the regular expression for the set between `[` and `]`.
fn translate_class(set: &[char], stops_at_slash: bool, out: &mut String) {
    let (negated, set) = match set {
        ['!' | '^', rest @ ..] => (true, rest),
        whole => (false, whole),
    };
    out.push_str(if negated { "[[^" } else { "[[" });
    let mut at = 0;
    while at < set.len() {
        in_class(element(set, &mut at), out);
        // Between two characters `-` is a range; at either end it is a literal.
        if set.get(at) == Some(&'-') && at + 1 < set.len() {
            at += 1;
            out.push('-');
            in_class(element(set, &mut at), out);
        }
    }
    out.push_str(if stops_at_slash { "]&&[^/]]" } else { "]]" });
}

/// Returns the character of the set at `at`, and moves `at` behind it.
fn element(set: &[char], at: &mut usize) -> char {
    if set[*at] == '\\' && *at + 1 < set.len() {
        *at += 1;
    }
    *at += 1;
    set[*at - 1]
}

fn literal(c: char, out: &mut String) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// Appends a character of a set by its number, so that it has no special meaning.
fn in_class(c: char, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\\x{{{:x}}}", u32::from(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (glob, paths that match, paths that do not)
    const PATHS: &[(&str, &[&str], &[&str])] = &[
        ("*.py", &["a.py", "src/a.py", ".py"], &["a.pyc", "a.py/b"]),
        ("*test*", &["tests/helper.py", "a/b_test.py", "test"], &["src/main.py"]),
        ("main.py", &["main.py"], &["src/main.py"]),
        ("a?b", &["a/b", "axb"], &["ab", "axxb"]),
        ("**", &["a", "a/b"], &[]),
        ("src/*.py", &["src/a.py"], &["src/x/a.py", "a.py", "x/src/a.py"]),
        ("src/**/*.py", &["src/a.py", "src/x/a.py", "src/x/y/a.py"], &["a.py", "srcx/a.py"]),
        ("**/*.py", &["a.py", "x/a.py", "x/y/a.py"], &["a.pyc"]),
        ("**/test/**", &["test/a", "x/test/a/b"], &["test", "xtest/a"]),
        ("src/**", &["src/a", "src/a/b"], &["src", "srcs/a"]),
        ("src/**.py", &["src/a.py", "src/x/a.py"], &["src/a.pyc"]),
        ("src/a**b/c", &["src/ab/c", "src/ax/yb/c"], &["src/b/c"]),
        ("a/**/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab"]),
        ("src/", &["src/a", "src/a/b"], &["src", "x/src/a"]),
        ("/src/*.py", &["src/a.py"], &["x/src/a.py"]),
        ("./src/*.py", &["src/a.py"], &["x/src/a.py"]),
        ("/*.py", &["a.py"], &["x/a.py"]),
        ("src/a?b", &["src/axb"], &["src/a/b"]),
        ("src/[!a]b", &["src/xb"], &["src/ab", "src//b"]),
        ("src/[^a]b", &["src/xb"], &["src/ab"]),
        ("*.{ts,tsx}", &["a.ts", "x/a.tsx"], &["a.tsxx", "a.js"]),
        ("{*.py,src/*.js}", &["x/a.py", "src/a.js"], &["x/src/a.js", "src/x/a.js"]),
        ("{a,b{c,d{e,f}}}.x", &["a.x", "bc.x", "bde.x", "bdf.x"], &["b.x", "bd.x"]),
        ("src/{a,b/**}/c", &["src/a/c", "src/b/c", "src/b/x/c"], &["src/c"]),
        ("a{,b}", &["a", "ab"], &["b"]),
        ("{a}", &["a"], &["{a}"]),
        ("[a-c]x", &["ax", "cx"], &["dx", "-x"]),
        ("[-a]x", &["-x", "ax"], &["bx"]),
        ("[]a]x", &["]x", "ax"], &["x"]),
        ("[a&&b~~[]x", &["&x", "[x", "~x"], &["ex"]),
        ("[+--]x", &["-x", ",x"], &["ax"]),
        ("[a\\-c]x", &["-x", "cx"], &["bx"]),
        ("\\*\\{a,b\\}", &["*{a,b}"], &["xa", "a"]),
        ("[{,}]", &["{", ",", "}"], &["a"]),
        ("a.b+(c)^$|", &["a.b+(c)^$|"], &["axb+(c)^$|"]),
        ("größe/*.{ä,ö}", &["größe/x.ä"], &["größe/x.u"]),
        ("a}b", &["a}b"], &["ab"]),
        ("a*?ü*", &["aßü", "aäüöüü"], &["aü", "aä"]),
        ("ä/*?[!ä]x", &["ä/ööx", "ä/aöx"], &["ä/öx", "ä/öäx"]),
    ];

    #[test]
    fn path_globs_follow_the_ruling() {
        for (glob, fitting, others) in PATHS {
            let compiled = Glob::path(glob).expect(glob);
            for path in *fitting {
                assert!(compiled.matches(path), "{glob} should fit {path}: {:?}", compiled.0);
            }
            for path in *others {
                assert!(!compiled.matches(path), "{glob} should not fit {path}: {:?}", compiled.0);
            }
        }
    }

    #[test]
    fn globs_can_be_taken_from_a_directory_on() {
        let src = RelPath::new("src/a+b").expect("valid");
        let beneath = |glob: &str, path: &str| Glob::beneath(&src, glob).expect(glob).matches(path);
        assert!(beneath("*.py", "src/a+b/x/y.py") && beneath("x/*.py", "src/a+b/x/y.py"));
        assert!(beneath("{*.c,x/*.py}", "src/a+b/d/e.c") && beneath("/x/", "src/a+b/x/y.py"));
        assert!(!beneath("*.py", "src/x.py") && !beneath("*src*", "src/a+b/x") && !beneath("x/*", "x/y"));
        let anchored =
            |glob: &str, case, path: &str| Glob::anchored(&src, glob, case).expect(glob).matches(path);
        let (exact, any) = (Case::Sensitive, Case::Insensitive);
        assert!(anchored("*.py", exact, "src/a+b/y.py") && anchored("./*.py", exact, "src/a+b/y.py"));
        assert!(anchored("**/*.py", exact, "src/a+b/y.py") && anchored("**/*.PY", any, "src/a+b/x/y.py"));
        assert!(anchored("**", exact, "src/a+b/x/.y") && anchored("{*.c,x/*.py}", exact, "src/a+b/x/y.py"));
        assert!(!anchored("*.py", exact, "src/a+b/x/y.py") && !anchored("*.PY", exact, "src/a+b/y.py"));
        let both = [Glob::path("*.py").expect("valid"), Glob::beneath(&src, "x/*").expect("valid")];
        let both = Glob::any(&both).expect("small");
        assert!(both.matches("q/a.py") && both.matches("src/a+b/x/y") && !both.matches("x/y"));
        let error = Glob::anchored(&src, "[a", any).expect_err("open");
        assert_eq!(error.glob, "[a");
        assert!(Glob::anchored(&src, "", any).is_err());
    }

    #[test]
    fn masks_are_those_of_fnmatch() {
        let fits = |mask: &str, name: &str| Glob::name(mask).expect(mask).matches(name);
        assert!(fits("*.py", "a.py") && fits("?.py", "a.py") && fits("[!b].py", "a.py"));
        assert!(fits("a/b", "a/b") && fits("*.{a,b}", "x.b"));
        assert!(fits("{{cookie*", "{{cookie.py") && fits("{{x}}.py", "{{x}}.py"));
        assert!(!fits("*.py", "a.pyc") && !fits("A.py", "a.py"));
    }

    #[test]
    fn what_does_not_compile_is_said() {
        let long = "{a,b}".repeat(20);
        for (glob, reason) in [
            ("[a", "never closed"),
            ("src/{a,b", "never closed"),
            ("a\\", "backslash"),
            ("", "empty"),
            ("[z-a]", "range"),
            (&long, "alternatives"),
        ] {
            let error = Glob::path(glob).expect_err(glob).to_string();
            assert!(error.contains(reason) && error.contains(glob), "{error}");
        }
        let error = Glob::path(&"a".repeat(100_000)).expect_err("too long").to_string();
        assert!(error.contains("more than 4096") && error.len() < 200, "{error}");
    }
}
