//! Properties of the glob compiler that must hold for any input of a client. See `symd::properties`.

use super::glob::Glob;
use super::search::Case;
use symd_base::RelPath;

/// The maximum length of a reason in bytes, beyond what it quotes.
const REASON_BYTES: usize = 500;

/// A glob compiles, or is an error that quotes it; an escaped path matches itself and nothing else.
pub fn glob(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let directory = RelPath::new("src/a+b").unwrap();
    let compiled = [
        Glob::path(&text),
        Glob::name(&text),
        Glob::beneath(&directory, &text),
        Glob::anchored(&directory, &text, Case::Insensitive),
    ];
    for glob in &compiled {
        match glob {
            Ok(glob) => {
                for path in ["", "a", "src/a+b/c.py", "größe/ö.kt", &text] {
                    glob.matches(path);
                }
            }
            Err(error) => assert!(error.to_string().len() <= REASON_BYTES + text.len(), "{error}"),
        }
    }
    if text.is_empty() || text.len() > 1_000 || text.starts_with(['/', '.']) || text.ends_with('/') {
        return;
    }
    let escaped: String = text.chars().flat_map(|c| ['\\', c]).collect();
    let own = [Glob::path(&escaped), Glob::name(&escaped)].map(|glob| glob.unwrap());
    for glob in own {
        assert!(glob.matches(&text), "{escaped:?}");
        assert!(!glob.matches(&format!("{text}x")) && !glob.matches(&format!("x{text}")), "{escaped:?}");
    }
}

/// Seeds for globs.
pub fn globs() -> Vec<Vec<u8>> {
    ["src/**/*.{py,pyi}", "[!a-z]?", "**/test/**", "{a,{b,c[x]}}", "\\*", "größe/*"]
        .map(|it| it.into())
        .into()
}

/// Words from which globs are generated.
pub const GLOB_WORDS: &[&str] = &[
    "*", "**", "/", "?", "[", "]", "[!", "[^", "[a-c]", "[z-a]", "{", "}", ",", "\\", "a", ".py", "é", "-",
    "&&", "~~", "]]", "\n", "./", "|", "(?",
];
