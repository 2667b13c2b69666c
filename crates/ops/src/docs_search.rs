//! Documentation search: what of a query may leave the machine. Invariant: the project's own packages, paths, e-mail
//! addresses, secrets and ids do not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use symd_engine::View;
use symd_knowledge::redact;

/// Files whose names are the same in all projects.
const COMMON_FILES: [&str; 9] = [
    "AndroidManifest.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradle.properties",
    "local.properties",
    "libs.versions.toml",
    "proguard-rules.pro",
];

/// Ends of the names of files.
const FILE_ENDS: [&str; 22] = [
    "kt",
    "kts",
    "java",
    "xml",
    "gradle",
    "properties",
    "toml",
    "json",
    "pro",
    "py",
    "ts",
    "tsx",
    "js",
    "jsx",
    "go",
    "rs",
    "c",
    "cpp",
    "h",
    "class",
    "jar",
    "aar",
];

/// Organisations whose packages are public: a project of theirs keeps only its own packages to itself.
const PUBLIC: [&str; 16] = [
    "com.android",
    "com.google",
    "com.squareup",
    "com.facebook",
    "com.github",
    "io.github",
    "io.ktor",
    "org.jetbrains",
    "org.apache",
    "org.junit",
    "org.gradle",
    "org.springframework",
    "java",
    "javax",
    "kotlin",
    "kotlinx",
];

/// Public packages whose first name says it all.
const PUBLIC_ROOTS: [&str; 7] = ["java", "javax", "kotlin", "kotlinx", "android", "androidx", "dagger"];

/// Returns the packages that the project's files declare.
pub fn own_packages(view: &View) -> BTreeSet<String> {
    let packages = view.snapshot.files.iter().filter_map(|file| file.imports()?.package());
    packages.filter(|package| !package.is_empty()).collect()
}

/// Returns the part of a query that may leave the machine: words, on one line. May be empty.
pub fn outgoing_query(query: &str, own: &BTreeSet<String>) -> String {
    let (text, _) = redact(query);
    // What stands for secrets.
    static STAND_INS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<(?:secret|token|private key|e-mail)>").ok());
    let text =
        STAND_INS.as_ref().map_or(text.clone(), |stand_ins| stand_ins.replace_all(&text, " ").into_owned());
    let is_between = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                ',' | ';'
                    | '"'
                    | '\''
                    | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | '|'
                    | '='
                    | '“'
                    | '”'
                    | '‘'
                    | '’'
                    | '«'
                    | '»'
            )
    };
    let mut kept: Vec<String> = Vec::new();
    for token in text.split(is_between) {
        let token =
            token.trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '-' | '*' | '#' | '&' | '…'));
        if let Some(word) = outgoing_word(token, own)
            && !word.is_empty()
        {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// Returns what of a token may leave.
fn outgoing_word(token: &str, own: &BTreeSet<String>) -> Option<String> {
    if token.is_empty()
        || token.contains("://")
        || token.contains('@') && token.contains('.') && !token.starts_with('@')
    {
        return None;
    }
    if token.contains(['/', '\\']) {
        return outgoing_slashes(token, own);
    }
    // `Till@1f2e3d`: an object's identity.
    let token = match token.split_once('@') {
        Some((name, id)) if !name.is_empty() && id.chars().all(|c| c.is_ascii_hexdigit()) => name,
        _ => token,
    };
    // Colons begin qualifiers in the sources' query languages.
    let words: Vec<&str> = token.split(':').filter(|word| !word.is_empty()).collect();
    // The numbers behind a file's name are its lines.
    let has_file = words.iter().any(|word| is_file(word));
    let is_line = |word: &str| has_file && word.bytes().all(|byte| byte.is_ascii_digit());
    let kept: Vec<&str> = words
        .into_iter()
        .filter(|word| !is_file(word) && !is_line(word) && !is_id(word) && !is_own(word, own))
        .collect();
    Some(kept.join(" "))
}

/// Decides about a token with slashes: a path, a class as the JVM writes it, or two words.
fn outgoing_slashes(token: &str, own: &BTreeSet<String>) -> Option<String> {
    let parts: Vec<&str> = token.split(['/', '\\']).collect();
    let is_name =
        |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if parts.len() >= 3
        && parts.iter().all(is_name)
        && PUBLIC_ROOTS.contains(&parts[0].trim_start_matches('L'))
    {
        let name = parts.join(".");
        return (!is_own(&name, own)).then_some(name);
    }
    let is_pair = parts.len() == 2 && parts.iter().all(is_name);
    (is_pair && !parts.iter().any(|part| is_id(part))).then(|| parts.join(" "))
}

fn is_file(word: &str) -> bool {
    if COMMON_FILES.contains(&word) {
        return false;
    }
    let Some((name, end)) = word.rsplit_once('.') else { return false };
    // `R.java` is a file; `kotlin.js` could be either, and `Foo.kt` never is a name.
    !name.is_empty() && FILE_ENDS.contains(&end)
}

/// Whether a word identifies one object, user, machine or version of the sources.
fn is_id(word: &str) -> bool {
    static IDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?xi)^(?:
                [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}    # a UUID
                | 0x[0-9a-f]{4,}
                | \d{6,}
                | \d{1,3}(?:\.\d{1,3}){3}                                       # an address
                | [0-9a-f]*(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]*                   # hexadecimal; its length below
                | u\d+_a\d+
                | [A-Za-z0-9+_=-]{24,}                                          # a key; its digits below
            )$",
        )
        .ok()
    });
    if !IDS.as_ref().is_some_and(|ids| ids.is_match(word)) {
        return false;
    }
    let is_hexadecimal = word.chars().all(|c| c.is_ascii_hexdigit());
    let digits = word.chars().filter(char::is_ascii_digit).count();
    match word.len() {
        _ if word.contains(['.', '-']) || word.starts_with("0x") || word.starts_with('u') => {
            word.len() < 24 || digits >= 4
        }
        length if is_hexadecimal => length >= 7 || digits == length && length >= 6,
        _ => digits >= 4,
    }
}

/// Whether a name with dots is of one of the project's packages, or of the project's organisation.
fn is_own(word: &str, own: &BTreeSet<String>) -> bool {
    if !word.contains('.') {
        return own.contains(word) && !PUBLIC_ROOTS.contains(&word);
    }
    let is_within = |package: &str| {
        word.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']))
    };
    own.iter().any(|package| {
        if is_within(package) {
            return true;
        }
        let organisation: Vec<&str> = package.splitn(3, '.').take(2).collect();
        let organisation = organisation.join(".");
        let is_public = PUBLIC.contains(&organisation.as_str())
            || PUBLIC_ROOTS.iter().any(|root| organisation.split('.').next() == Some(root));
        organisation.contains('.') && !is_public && is_within(&organisation)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_projects_own_stays() {
        let own: BTreeSet<String> =
            ["com.acme.shop", "com.acme.shop.ui", "androidx.acme"].into_iter().map(str::to_owned).collect();
        let cases = [
            (
                "java.lang.NullPointerException: Attempt to invoke virtual method on a null object reference",
                "java.lang.NullPointerException Attempt to invoke virtual method on a null object reference",
            ),
            (
                "lateinit property cart has not been initialized at com.acme.shop.ui.Cart.total(Cart.kt:12)",
                "lateinit property cart has not been initialized at",
            ),
            ("Unresolved reference: com.acme.billing.Bill$Companion", "Unresolved reference"),
            ("androidx.lifecycle.ViewModel and androidx.acme.Till", "androidx.lifecycle.ViewModel and"),
            ("open /data/user/0/com.acme.shop/files/a.db failed", "open failed"),
            (r"C:\Users\jo\x.txt and ..\y and src/main/Foo.kt", "and and"),
            ("mail jo@acme.example token=ghp_abcdefghijklmnop1234567890", "mail token"),
            (
                "user 123e4567-e89b-12d3-a456-426614174000 of 10.1.2.3:8080, id 12345678, 0x7f0a0b",
                "user of 8080 id",
            ),
            ("Fragment Till@1f2e3d4 not attached, commit 1d00eea9", "Fragment Till not attached commit"),
            (
                "HTTP 404 on https://git.acme.example/a/b for text/html and I/O",
                "HTTP 404 on for text html and I O",
            ),
            ("Ljava/lang/Object; and com/acme/shop/Till", "Ljava.lang.Object and"),
            (
                "AndroidManifest.xml merge failed in build.gradle.kts",
                "AndroidManifest.xml merge failed in build.gradle.kts",
            ),
            ("is:open repo:acme/shop \"[kotlin]\" -word", "is open kotlin word"),
            ("Kotlin 2.2.0 cafe facade deadline", "Kotlin 2.2.0 cafe facade deadline"),
        ];
        for (query, expected) in cases {
            assert_eq!(outgoing_query(query, &own), expected, "{query}");
        }
    }

    #[test]
    fn nothing_may_be_left() {
        assert_eq!(outgoing_query("/home/jo/shop jo@acme.example", &BTreeSet::new()), "");
    }
}
