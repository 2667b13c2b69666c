//! The words of a text about an error, each in a form that paraphrases share: parts of compound names, without
//! endings; for vectors also one word for several of the same meaning.

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

/// Further such words, which the index of words leaves out; vectors have them.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "about", "after", "all", "also", "although", "am", "android", "androidx", "any", "anybody", "anyone",
    "anything", "because", "before", "being", "between", "both", "cannot", "could", "couldn", "didn",
    "doesn", "doing", "don", "during", "each", "either", "else", "even", "ever", "every", "everything",
    "few", "hasn", "haven", "her", "here", "hers", "him", "his", "how", "however", "instead", "isn",
    "itself", "javax", "just", "kotlinx", "least", "less", "like", "many", "may", "maybe", "might", "more",
    "most", "much", "must", "neither", "net", "nor", "not", "now", "often", "once", "one", "only", "other",
    "others", "ought", "ourselves", "out", "over", "own", "perhaps", "quite", "rather", "really", "shall",
    "she", "should", "since", "some", "somebody", "somehow", "someone", "something", "still", "such",
    "than", "them", "themselves", "these", "thing", "things", "those", "though", "through", "thus", "too",
    "under", "until", "up", "upon", "us", "use", "used", "uses", "using", "very", "via", "wasn", "well",
    "went", "what", "whatever", "whenever", "where", "whereas", "whether", "who", "whole", "whom", "whose",
    "why", "won", "would", "wouldn", "yet",
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
    for_each_word(text, |word, stem| {
        if !COMMON.contains(&word) {
            each(stem);
        }
    });
}

/// Does the same for vectors: with one term for several of the same meaning.
pub(crate) fn for_each_meaning(text: &str, mut each: impl FnMut(&str)) {
    for_each_word(text, |word, stem| {
        let meaning = SAME.iter().find(|words| words.contains(&stem) || words.contains(&word));
        each(meaning.map_or(stem, |words| words[0]));
    });
}

/// Calls `each` for the words that say something, in lower case, each with and without its ending.
fn for_each_word(text: &str, mut each: impl FnMut(&str, &str)) {
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        for part in parts(word) {
            if says_something(&part) {
                each(&part, &without_ending(&part));
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

fn says_something(word: &str) -> bool {
    let is_short = word.chars().count() < 2;
    let is_number = word.chars().all(|c| c.is_ascii_digit()) && word != "404" && word != "500";
    !is_short && !is_number && !EMPTY.contains(&word)
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

    #[test]
    fn paraphrases_share_terms() {
        let terms = |text: &str| {
            let mut all = Vec::new();
            for_each_term(text, |term| all.push(term.to_owned()));
            all
        };
        assert_eq!(terms("java.lang.NullPointerException"), ["null", "point"]);
        assert_eq!(terms("the app crashes"), ["app", "crash"]);
        assert_eq!(terms("rotating / rotation"), ["rotat", "rotat"]);
        assert_eq!(terms("HTTPServer 12 is"), ["http", "serv"]);
        assert_eq!(terms(""), Vec::<String>::new());
    }

    #[test]
    fn words_of_one_meaning_are_one() {
        let meanings = |text: &str| {
            let mut all = Vec::new();
            for_each_meaning(text, |term| all.push(term.to_owned()));
            all
        };
        assert_eq!(meanings("an app which failed"), ["app", "crash"]);
        assert_eq!(meanings("HTTPServer 12 is"), ["network", "network"]);
    }
}
