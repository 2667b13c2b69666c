//! The words of a text about an error, each in a form that paraphrases share: parts of compound names, without
//! endings, and one word for several of the same meaning.

/// Words that say nothing about an error.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "did",
    "do",
    "does",
    "for",
    "from",
    "get",
    "got",
    "had",
    "has",
    "have",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "java",
    "kotlin",
    "lang",
    "me",
    "my",
    "of",
    "on",
    "or",
    "our",
    "so",
    "that",
    "the",
    "their",
    "then",
    "there",
    "they",
    "this",
    "to",
    "was",
    "we",
    "were",
    "when",
    "which",
    "while",
    "will",
    "with",
    "you",
    "your",
    "com",
    "org",
    "io",
    "exception",
    "error",
];

/// Words of one meaning; the first stands for all. Endings are removed before.
const SAME: &[&[&str]] = &[
    &["crash", "fail", "failur", "throw", "thrown", "abort", "die", "break", "broken", "blow"],
    &["null", "nil", "undefin", "none", "npe", "nullpointer", "nullable", "absent"],
    &["missing", "miss", "lack", "without", "unknown", "unresolv"],
    &["screen", "activity", "page", "view", "fragment", "ui"],
    &["rotat", "orientation", "configuration", "recreat"],
    &["thread", "main", "background", "worker", "looper", "dispatcher"],
    &["list", "array", "collection", "adapter", "recycler", "index"],
    &["empty", "blank", "zero"],
    &["json", "parse", "pars", "deserializ", "serializ", "decod", "gson", "moshi"],
    &[
        "network",
        "http",
        "request",
        "connection",
        "socket",
        "connect",
        "server",
        "api",
        "internet",
        "offline",
    ],
    &["timeout", "slow", "late", "hang", "freez", "frozen", "anr", "block"],
    &["memory", "heap", "oom", "leak", "outofmemory"],
    &["permission", "denied", "deny", "security", "grant", "forbidden", "allow"],
    &["cast", "classcast", "convert", "type"],
    &["initializ", "lateinit", "init", "uninitializ", "inject", "setup"],
    &["concurrent", "modify", "modific", "race", "parallel", "simultaneous"],
    &["database", "sqlite", "room", "sql", "migrat", "table", "schema", "dao"],
    &["file", "path", "directory", "storage", "disk"],
    &["state", "lifecycle", "savedinstance", "restor", "save"],
    &["coroutine", "suspend", "job", "cancel", "scope", "flow"],
    &["build", "gradle", "compile", "compil", "depend", "dependency", "classpath", "version"],
    &["number", "int", "integer", "digit", "numberformat", "numeric"],
    &["duplicate", "twice", "same", "already", "again"],
    &["resource", "drawable", "layout", "xml", "inflat", "string"],
    &["key", "map", "lookup", "entry"],
    &["proguard", "r8", "obfuscat", "minif", "shrink", "release"],
    &["intent", "extra", "bundle", "argument", "parcel"],
    &["close", "clos", "dispos", "destroy", "finish", "detach"],
    &["image", "bitmap", "photo", "picture"],
    &["recurs", "stackoverflow", "endless", "infinite", "loop"],
];

/// Calls `each` for the terms of `text`, in order.
pub(crate) fn for_each_term(text: &str, mut each: impl FnMut(&str)) {
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        for part in parts(word) {
            if let Some(term) = term(&part) {
                each(&term);
            }
        }
    }
}

/// Splits `NullPointerException` and `HTTPServer` at the changes of case, into lower case.
fn parts(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let mut all = vec![String::new()];
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || chars.get(at + 1).is_some_and(|next| next.is_lowercase())
            });
        if begins {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut() {
            last.extend(c.to_lowercase());
        }
    }
    all
}

fn term(word: &str) -> Option<String> {
    let is_short = word.chars().count() < 2;
    let is_number = word.chars().all(|c| c.is_ascii_digit()) && word != "404" && word != "500";
    if is_short || is_number || EMPTY.contains(&word) {
        return None;
    }
    let stem = without_ending(word);
    let meaning = SAME.iter().find(|words| words.contains(&stem.as_str()) || words.contains(&word));
    Some(meaning.map_or(stem, |words| words[0].to_owned()))
}

fn without_ending(word: &str) -> String {
    let word = word.strip_suffix("ies").map_or_else(|| word.to_owned(), |stem| format!("{stem}y"));
    for ending in [
        "ization", "ations", "ation", "ating", "ings", "ing", "ions", "ion", "ated", "ers", "ed", "es", "er",
        "s", "e",
    ] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 4) {
            return stem.to_owned();
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        for_each_term(text, |term| all.push(term.to_owned()));
        all
    }

    #[test]
    fn paraphrases_share_terms() {
        assert_eq!(terms("java.lang.NullPointerException"), ["null", "point"]);
        assert_eq!(terms("the app crashes"), ["app", "crash"]);
        assert_eq!(terms("an app which failed"), ["app", "crash"]);
        assert_eq!(terms("rotating / rotation"), ["rotat", "rotat"]);
        assert_eq!(terms("HTTPServer 12 is"), ["network", "network"]);
        assert_eq!(terms(""), Vec::<String>::new());
    }
}
