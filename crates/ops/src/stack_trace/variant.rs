//! The variant of an Android build that a trace is of: which source sets were compiled into it. It is told, or named by the
//! mapping's path or the text.
//!
//! Names: <https://developer.android.com/build/build-variants#sourcesets>.

use std::sync::LazyLock;

use regex::Regex;
use symd_base::RelPath;

/// The prefixes of the source sets of tests, and of those of Android in a multiplatform module. A prefix that begins with another one
/// comes after it.
const KINDS: [&str; 7] = [
    "test",
    "testFixtures",
    "android",
    "androidTest",
    "androidUnitTest",
    "androidInstrumentedTest",
    "screenshotTest",
];

/// The last word of source sets that no flavor or build type names: `main`, `commonMain`, `commonTest`, `jvmTest`.
const COMMON_ENDS: [&str; 2] = ["main", "test"];

/// A variant: `paidRelease`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildVariant {
    name: String,
    /// Its flavors and its build type, in lower case; a name of several words is several.
    words: Vec<String>,
}

/// How a file's source set relates to a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetOfVariant {
    /// It is compiled into all variants, or the file is in no source set.
    Common,
    /// It is compiled into this variant, but not into all.
    Own,
    /// It is compiled only into other variants.
    Other,
}

impl BuildVariant {
    /// Reads a variant as it is told: `paidRelease`, `paid-release`, `app-paid-release`, `:app:assemblePaidRelease`; `None` if no letter is in it.
    pub(super) fn named(name: &str) -> Option<BuildVariant> {
        let words = words(name);
        (!words.is_empty()).then(|| BuildVariant { name: name.to_owned(), words })
    }

    /// Returns the variant that a text names by a task of Gradle's or a package, if it names only one.
    pub(super) fn of_text(text: &str) -> Option<BuildVariant> {
        let named = NAMED
            .as_ref()?
            .captures_iter(text)
            .filter_map(|found| BuildVariant::named(found.iter().skip(1).flatten().next()?.as_str()));
        let mut first: Option<BuildVariant> = None;
        for one in named {
            match &first {
                Some(known) if known.words != one.words => return None,
                Some(_) => {}
                None => first = Some(one),
            }
        }
        first
    }

    /// Returns the variant that a mapping is of: `freeRelease` of `app/build/outputs/mapping/freeRelease/mapping.txt`.
    pub(super) fn of_mapping(path: &str) -> Option<BuildVariant> {
        let (variant, _) = path.split_once("build/outputs/mapping/")?.1.split_once('/')?;
        BuildVariant::named(variant)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether another name may be of the same variant: one may have the module before it.
    pub(super) fn may_be(&self, other: &BuildVariant) -> bool {
        self.words.ends_with(&other.words) || other.words.ends_with(&self.words)
    }

    pub(super) fn set_of(&self, path: &RelPath) -> SetOfVariant {
        match set_words(path).as_slice() {
            [] => SetOfVariant::Common,
            words if self.words.windows(words.len()).any(|part| part == words) => SetOfVariant::Own,
            _ => SetOfVariant::Other,
        }
    }
}

/// Returns the flavors and the build type that a file is compiled for, in lower case; none if it is compiled into all variants, or is
/// in no source set.
pub(super) fn set_words(path: &RelPath) -> Vec<String> {
    let Some((_, set)) = source_set(path) else { return Vec::new() };
    let mut kinds = KINDS.iter().filter_map(|start| set.strip_prefix(start));
    // `testimonials` is no set of tests.
    let set = kinds.rfind(|rest| !rest.starts_with(char::is_lowercase)).unwrap_or(set);
    let words = words(set);
    let is_common = words.last().is_some_and(|last| COMMON_ENDS.contains(&last.as_str()));
    if is_common { Vec::new() } else { words }
}

/// Returns the directory of a file's source sets, and the name of its own: `app/src` and `free` of `app/src/free/java/shop/Till.java`.
pub(super) fn source_set(path: &RelPath) -> Option<(&str, &str)> {
    let path = path.as_str();
    let end = if path.starts_with("src/") { 3 } else { path.find("/src/")? + 4 };
    // A file directly beneath `src` is in no set.
    let (set, _) = path[end + 1..].split_once('/')?;
    Some((&path[..end], set))
}

/// A task that runs tests, or a package of an app or library: `testPaidDebugUnitTest`, `connectedPaidDebugAndroidTest`,
/// `app-paid-debug.apk`.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:test([A-Z]\w*)UnitTest|connected([A-Z]\w*)AndroidTest)\b|",
        r"\b\w+-((?:\w+-)*?(?:debug|release))(?:-unsigned)?\.(?:apk|aab|aar)\b"
    ))
    .ok()
});

/// Returns the words of a name, in lower case: it is split before capitals and at what is neither a letter nor a digit.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            is_open = false;
            continue;
        }
        if !is_open || c.is_uppercase() {
            all.push(String::new());
        }
        is_open = true;
        if let Some(last) = all.last_mut() {
            last.extend(c.to_lowercase());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use SetOfVariant::{Common, Other, Own};

    #[test]
    fn source_sets_of_a_variant() {
        for (variant, set, expected) in [
            ("paidRelease", "main", Common),
            ("paidRelease", "paid", Own),
            ("paidRelease", "release", Own),
            ("paidRelease", "paidRelease", Own),
            ("paidRelease", "free", Other),
            ("paidRelease", "debug", Other),
            ("paidRelease", "freeRelease", Other),
            // A part of a word is no word.
            ("prepaidRelease", "paid", Other),
            ("paidRelease", "prepaid", Other),
            ("paidRelease", "leas", Other),
            ("paidRelease", "test", Common),
            ("paidRelease", "testPaid", Own),
            ("paidRelease", "androidTestFreeDebug", Other),
            ("paidRelease", "testimonials", Other),
            ("paidRelease", "testFixtures", Common),
            ("paidRelease", "commonMain", Common),
            ("paidRelease", "commonTest", Common),
            ("paidRelease", "jvmTest", Common),
            ("paidRelease", "androidHostTest", Common),
            ("paidRelease", "androidMain", Common),
            ("paidRelease", "androidPaid", Own),
            ("paidRelease", "androidUnitTestFree", Other),
            ("demoPaidRelease", "demoPaid", Own),
            ("app-paid-release", "paidRelease", Own),
            (":app:assemblePaidDebug", "paid", Own),
        ] {
            let path = RelPath::new(&format!("app/src/{set}/java/shop/Till.java")).unwrap();
            assert_eq!(BuildVariant::named(variant).unwrap().set_of(&path), expected, "{variant}: {set}");
        }
        for path in ["shop/Till.java", "src/Till.java"] {
            let paid = BuildVariant::named("paidRelease").unwrap();
            assert_eq!(paid.set_of(&RelPath::new(path).unwrap()), Common, "{path}");
        }
        assert_eq!(BuildVariant::named(" - "), None);
    }

    #[test]
    fn variants_that_a_text_names() {
        let named = |text: &str| BuildVariant::of_text(text).map(|found| found.name);
        for (text, variant) in [
            ("> Task :app:testPaidDebugUnitTest FAILED", Some("PaidDebug")),
            (
                "> Task :app:testPaidDebugUnitTest\nExecution failed for task ':app:testPaidDebugUnitTest'",
                Some("PaidDebug"),
            ),
            ("file:///shop/app/build/reports/tests/testFreeDebugUnitTest/index.html", Some("FreeDebug")),
            (":app:connectedFreeDebugAndroidTest", Some("FreeDebug")),
            ("adb install app-paid-debug.apk", Some("paid-debug")),
            ("app/build/outputs/apk/paid/release/app-paid-release-unsigned.apk", Some("paid-release")),
            ("app-debug.apk", Some("debug")),
            ("testPaidDebugUnitTest and testFreeDebugUnitTest", None),
            ("at shop.TillUnitTest.test(TillUnitTest.kt:3)", None),
            ("base.apk", None),
        ] {
            assert_eq!(named(text).as_deref(), variant, "{text}");
        }
    }

    #[test]
    fn a_variant_is_told_with_its_module_or_without() {
        let named = |name| BuildVariant::named(name).unwrap();
        assert!(named("app-paid-release").may_be(&named("paidRelease")));
        assert!(named("paidRelease").may_be(&named("app-paid-release")));
        assert!(!named("paidDebug").may_be(&named("paidRelease")));
    }
}
