//! Takes secrets and personal paths out of texts before they are recorded. What is doubtful is taken out, unless it
//! has the shape of code or of a parser's message.

use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};

mod named_values;

/// What is removed: the pattern, and what stands in its place.
static RULES: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let rules = [
        (
            r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
            "<private key>",
        ),
        // Tokens with a known form: JWT, GitHub, GitLab, Slack, Google, AWS, Stripe, npm, OpenAI and the like.
        (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*", "<token>"),
        (
            r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|sk-|sk_live_|rk_live_|pk_live_)[A-Za-z0-9_-]{10,}",
            "<token>",
        ),
        (r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{10,}", "<token>"),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", "<token>"),
        // Headers, to the end of the line or of the quoted text.
        (r#"(?i)\b((?:proxy-)?authorization\s*[:=]\s*)[^\s"'<\\][^\n"'\\]*"#, "$1<secret>"),
        (r#"(?i)\b((?:set-)?cookie2?\s*:\s*)[^\s"'=<\\]+=[^\n"'\\]*"#, "$1<secret>"),
        (r"(?i)\b(bearer)\s+[A-Za-z0-9._~+/=-]{8,}", "$1 <token>"),
        // "basic" is a word, too: what follows must look encoded.
        (r"\b([Bb]asic|BASIC)\s+(?:[A-Za-z0-9_-]+[A-Z0-9+/=][A-Za-z0-9+/=_-]*|[A-Za-z0-9]+=+)", "$1 <token>"),
        // The user and password of an address.
        (r"\b([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@:<]+:[^\s/@]+@", "$1<secret>@"),
        (r"\b([a-zA-Z][a-zA-Z0-9+.-]*://):[^\s/@]+@", "$1<secret>@"),
        (r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b", "<e-mail>"),
        (r"(?m)(^|[\s=:,;('\x22\[{])/root\b", "$1~"),
        // A name may hold spaces if a separator follows; separators may be doubled, as in JSON.
        (r"(?i)\b[A-Z]:\\+Users\\+[^\\/:*?\x22<>|\r\n']{1,64}(\\+)", "~$1"),
        (r"(?i)\b[A-Z]:(?:\\+|/)Users(?:\\+|/)[^\s\\/:'\x22<]+", "~"),
        (r"(?:/home|/Users)/[^\s/:'\x22\\<]+", "~"),
    ];
    rules.into_iter().filter_map(|(pattern, by)| Some((Regex::new(pattern).ok()?, by))).collect()
});

/// Removes secrets and home paths from `text`; counts what was removed.
pub fn redact(text: &str) -> (String, usize) {
    // symd runs as the user whose texts these are.
    redact_of(text, std::env::home_dir().as_deref())
}

fn redact_of(text: &str, home: Option<&Path>) -> (String, usize) {
    let mut removed = 0;
    let mut text = without_home(text, home, &mut removed);
    for (pattern, by) in RULES.iter() {
        let replaced = pattern.replace_all(&text, |found: &Captures<'_>| {
            let mut put = String::new();
            found.expand(by, &mut put);
            removed += usize::from(put != found[0]);
            put
        });
        text = replaced.into_owned();
    }
    let text = named_values::redact(&text, &mut removed);
    (text, removed)
}

/// Replaces the user's home directory, wherever it is, as a whole path component.
fn without_home(text: &str, home: Option<&Path>, removed: &mut usize) -> String {
    let home = home.and_then(Path::to_str).map(|home| home.trim_end_matches('/'));
    let Some(home) = home.filter(|home| home.starts_with('/') && home.len() > 1) else {
        return text.to_owned();
    };
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(home) {
        let (before, after) = (&rest[..at], &rest[at + home.len()..]);
        let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_inside = before.chars().next_back().is_some_and(|c| continues(c) || c == '~')
            || after.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        kept.push_str(before);
        kept.push_str(if is_inside { home } else { "~" });
        *removed += usize::from(!is_inside);
        rest = after;
    }
    kept + rest
}

/// Returns how many secrets and home paths [`redact`] has taken out of `text`.
pub fn count_redacted(text: &str) -> usize {
    static STAND_INS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<(?:secret|token|private key|e-mail)>|~(?:[/\\]|\z)").ok());
    STAND_INS.as_ref().map_or(0, |pattern| pattern.find_iter(text).count())
}

#[cfg(test)]
mod tests;
