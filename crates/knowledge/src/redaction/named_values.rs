//! Values whose name says that they are secret: settings, code, command lines, JSON, also inside of strings, XML.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What a name of a secret holds; upper and lower case are the same.
const SECRET: &str = r"(?:passw(?:or)?d|passwd|passphrase|pwd|secret(?:[_-]?key(?:[_-]?base)?)?|token|credential|(?:api|access|private|signing|encryption|account|master|auth)[_-]?key|authorization)s?";

/// A quoted text, also one inside a string, whose quotes are escaped; one without an end ends with its line.
const QUOTED: &str = r#"(?:\\+"[^\n]*?\\+"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\\*["'][^\n]*)"#;

/// A value without quotes. A bracket or quote inside it does not end it.
const BARE: &str = r#"[^\s,;"'&)}\]\\]+(?:[)}\]'"\\]+[^\s,;"'&)}\]\\]+)*"#;

struct Patterns {
    /// `password = x`, `"apiKey": "x"`, `token => x`, `secret: String = "x"`; the word before it.
    assigned: Regex,
    /// The shapes in which the whole value is removed: what is before it is group 1, what follows group 2.
    others: Vec<Regex>,
    call: Regex,
    kind: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let assigned = format!(
        r#"(?i)(?P<before>\b(?:unexpected|unrecogni[sz]ed|illegal|extraneous|mismatched|expected|expecting|next)\s+)?(?P<name>\\*["']?[a-z0-9_.-]*{SECRET}\\*["']?)(?P<separator>\s*(?::\s*[a-z]\w*(?:<[^>\n]*>)?\??\s*=|[=!]==?|:=|=>|=|:)\s*)(?P<value>{QUOTED}|{BARE})"#
    );
    let others = [
        // keyPassword "x", password("x"); "token" before a quoted text is a parser's word.
        format!(
            r"(?i)(\b[a-z0-9_.-]*(?:passw(?:or)?d|passwd|passphrase|pwd|secret|[_-]key|apikey)[ \t]+){QUOTED}()"
        ),
        format!(r"(?i)(\b[a-z0-9_.-]*{SECRET}\(\s*){QUOTED}()"),
        // --password x
        format!(r"(?i)(--[a-z0-9-]*{SECRET}[ \t]+)(?:{QUOTED}|[^\s<-]\S*)()"),
        // "API_KEY", "x"; "password" to "x"
        format!(r#"(?i)(["'][a-z0-9_.-]*{SECRET}["']\s*(?:,|\bto\b)\s*){QUOTED}()"#),
        // <password>x</password>, <string name="api_key">x</string>, name="API_KEY" value="x"
        format!(r"(?i)(<[a-z0-9:._-]*{SECRET}(?:\s[^<>]*)?>)[^<]+(</)"),
        format!(r#"(?i)(\bname\s*=\s*["'][^"'\n]*{SECRET}["'][^<>]*>)[^<]+(</)"#),
        format!(r#"(?i)(\bname\s*=\s*["'][^"'\n]*{SECRET}["']\s+(?:[a-z]+:)?value\s*=\s*){QUOTED}()"#),
    ];
    let others: Result<Vec<Regex>, _> = others.iter().map(|pattern| Regex::new(pattern)).collect();
    Some(Patterns {
        assigned: Regex::new(&assigned).ok()?,
        others: others.ok()?,
        call: Regex::new(r"^[A-Za-z_]\w*(?:(?:\.|\?\.|!!\.|::)\w+)*\(").ok()?,
        kind: Regex::new(
            r"^(?:String|CharArray|ByteArray|Int|Long|Boolean|Any|Unit|string|str|bytes|number|boolean)\??$",
        )
        .ok()?,
    })
});

/// Removes the values from `text`; adds how many.
pub(super) fn redact(text: &str, removed: &mut usize) -> String {
    let Some(patterns) = &*PATTERNS else { return "<secret>".to_owned() };
    let mut count = 0;
    let mut text = patterns
        .assigned
        .replace_all(text, |found: &Captures<'_>| {
            if patterns.is_harmless(found) {
                return found[0].to_owned();
            }
            count += 1;
            let before = found.name("before").map_or("", |before| before.as_str());
            format!("{before}{}{}<secret>", &found["name"], &found["separator"])
        })
        .into_owned();
    for pattern in &patterns.others {
        let replaced = pattern.replace_all(&text, |found: &Captures<'_>| {
            count += 1;
            format!("{}<secret>{}", &found[1], &found[2])
        });
        text = replaced.into_owned();
    }
    *removed += count;
    text
}

impl Patterns {
    /// Whether a value is a parser's word, code that computes it, or has been taken out.
    fn is_harmless(&self, found: &Captures<'_>) -> bool {
        let (separator, value) = (&found["separator"], &found["value"]);
        let is_quoted = value.trim_start_matches('\\').starts_with(['"', '\'']);
        let inner = value.trim_matches(['"', '\'', '\\']);
        let is_taken_out = ["<secret>", "<token>", "<private key>", "<private", "<e-mail>", "${"]
            .iter()
            .any(|put| inner.starts_with(put));
        if inner.is_empty() || is_taken_out {
            return true;
        }
        if found.name("before").is_some() {
            return inner.len() <= 32 && !inner.chars().any(|c| c.is_ascii_digit());
        }
        if is_quoted {
            return false;
        }
        let is_compared = separator.contains("==") || separator.contains("!=");
        let is_code = separator.starts_with(char::is_whitespace) && self.call.is_match(value);
        let is_empty = ["null", "true", "false", "None", "nil", "undefined"].contains(&value);
        is_compared || is_code || is_empty || (separator.trim() == ":" && self.kind.is_match(value))
    }
}
