//! Takes secrets and personal paths out of texts before they are recorded.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What is removed: the pattern, and what stands in its place.
static RULES: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let rules = [
        (
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
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
        (r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}", "$1 <token>"),
        // Named values: password=…, "apiKey": "…", X-Api-Key: …
        (
            r#"(?i)(["']?[a-z0-9_.-]*(?:passw(?:or)?d|passwd|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|client[_-]?secret|authorization|credential)s?["']?\s*(?:[:=]|=>)\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;"'&)}\]]+)"#,
            "$1<secret>",
        ),
        // The user and password of an address.
        (r"\b([a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@", "$1<secret>@"),
        (r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b", "<e-mail>"),
        (r"(?:/home|/Users)/[^\s/:'\x22]+", "~"),
        (r"(?i)\b[A-Z]:\\Users\\[^\s\\:'\x22]+", "~"),
    ];
    rules.into_iter().filter_map(|(pattern, by)| Some((Regex::new(pattern).ok()?, by))).collect()
});

/// Removes secrets and home paths from `text`; counts what was removed.
pub fn redact(text: &str) -> (String, usize) {
    let mut removed = 0;
    let mut text = text.to_owned();
    for (pattern, by) in RULES.iter() {
        let replaced = pattern.replace_all(&text, |found: &Captures<'_>| {
            let mut put = String::new();
            found.expand(by, &mut put);
            removed += usize::from(put != found[0]);
            put
        });
        text = replaced.into_owned();
    }
    (text, removed)
}

/// Returns how many secrets and home paths [`redact`] has taken out of `text`.
pub fn count_redacted(text: &str) -> usize {
    static STAND_INS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<(?:secret|token|private key|e-mail)>|~(?:[/\\]|\z)").ok());
    STAND_INS.as_ref().map_or(0, |pattern| pattern.find_iter(text).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_a_pattern() {
        assert_eq!(RULES.len(), 11);
    }

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        for (given, expected) in [
            ("password=hunter2, user=jo", "password=<secret>, user=jo"),
            (r#"{"apiKey": "abc def", "n": 1}"#, r#"{"apiKey": <secret>, "n": 1}"#),
            ("Authorization: Bearer abcdefghijkl.mno", "Authorization: <secret> <token>"),
            ("ghp_0123456789abcdefghij", "<token>"),
            ("see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "see <token>"),
            ("jdbc:postgresql://jo:pw@db.local/x", "jdbc:postgresql://<secret>@db.local/x"),
            ("/home/jo/shop/Till.kt:3", "~/shop/Till.kt:3"),
            (r"C:\Users\jo\shop", r"~\shop"),
            ("mail jo.doe@example.com now", "mail <e-mail> now"),
            ("AKIAABCDEFGHIJKLMNOP", "<token>"),
            ("-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----!", "<private key>!"),
        ] {
            assert_eq!(redact(given).0, expected, "{given}");
            assert!(redact(given).1 > 0);
        }
        assert_eq!(count_redacted(&redact("pwd=a at /home/jo, jo@a.example in /home/jo").0), 3);
        let plain = "at shop.app.Till.sell(Till.kt:12) with key: Isbn and 3 tokens";
        assert_eq!(redact(plain), (plain.to_owned(), 0));
    }

    #[test]
    fn what_is_redacted_stays_as_it_is() {
        let once = redact("token: abc, /Users/jo/x, Bearer abcdefghijkl").0;
        assert_eq!(redact(&once).0, once);
    }
}
