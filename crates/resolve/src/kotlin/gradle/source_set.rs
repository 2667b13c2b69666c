//! The source set of a file, by Gradle's conventions: `src/jvmMain/kotlin`, `src/test/java`, `jvm/src`.

use symd_base::RelPath;

/// A source set, as far as its name tells who sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceSet {
    purpose: Purpose,
    platform: Platform,
}

/// What a source set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Its code is shipped.
    Main,
    /// Tests, of which others may be made: `sharedTest`, `commonTest`.
    Test,
    /// Android's tests that run on the developer's machine: `test`, `testDebug`.
    LocalTest,
    /// Android's tests that run on a device, which see those of `src/test` as little as these see them.
    DeviceTest,
    /// Its name does not tell: `jmh`, which sees tests, or `debug`, which does not.
    Unknown,
}

/// The platforms of a source set of a multiplatform module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Platform {
    /// Not a multiplatform module's, or of a name that tells nothing.
    Unknown,
    Common,
    /// More than one platform, by a name that the project chose (`zlibMain`): common code does not see it.
    Several,
    Jvm,
    Js,
    Wasm,
    Native,
}

/// The sets of ktor and others, which stand outside of `src`.
const BARE_SETS: [(&str, Platform); 4] =
    [("common", Platform::Common), ("jvm", Platform::Jvm), ("js", Platform::Js), ("posix", Platform::Native)];

/// What the names of sets of tests end with that are made for others.
const SHARED: [&str; 4] = ["Common", "Shared", "Fixtures", "Support"];

impl SourceSet {
    /// Android's tests that run on the developer's machine.
    pub(super) const OF_LOCAL_TESTS: SourceSet =
        SourceSet { purpose: Purpose::LocalTest, platform: Platform::Unknown };

    /// Returns the source set of the file at a path beneath a module's directory.
    pub(super) fn of(path: &RelPath, module: &RelPath) -> SourceSet {
        let skipped = if module.is_root() { 0 } else { module.components().count() };
        let mut parts = path.components().skip(skipped);
        match (parts.next(), parts.next()) {
            (Some("src"), Some(set)) => SourceSet::named(set),
            (Some(set), Some(kind @ ("src" | "test"))) => {
                let known = BARE_SETS.iter().find(|(name, _)| *name == set);
                SourceSet {
                    purpose: if kind == "test" { Purpose::Test } else { Purpose::Main },
                    platform: known.map_or(Platform::Unknown, |(_, known)| *known),
                }
            }
            _ => SourceSet { purpose: Purpose::Unknown, platform: Platform::Unknown },
        }
    }

    fn named(set: &str) -> SourceSet {
        let is_on_device = set.starts_with("androidTest");
        let is_local = set == "test" || is_variants_test(set);
        let rest = set.strip_suffix("Main").or_else(|| set.strip_suffix("Test"));
        let platform = match rest {
            Some("common") => Platform::Common,
            Some("jvm") => Platform::Jvm,
            Some("js") => Platform::Js,
            Some("wasmJs" | "wasmWasi") => Platform::Wasm,
            Some("native" | "apple" | "linux" | "macos" | "ios") => Platform::Native,
            Some(name) if !name.is_empty() => Platform::Several,
            _ => Platform::Unknown,
        };
        let purpose = match set {
            _ if is_on_device => Purpose::DeviceTest,
            _ if is_local => Purpose::LocalTest,
            _ if set.ends_with("Test") => Purpose::Test,
            _ if set == "main" || set.ends_with("Main") => Purpose::Main,
            _ => Purpose::Unknown,
        };
        SourceSet { purpose, platform }
    }

    /// Whether code in this set may name what another set, of its module or of one that it depends on, declares.
    pub(super) fn may_see(self, declared: SourceSet) -> bool {
        match (self.purpose, declared.purpose) {
            (Purpose::Main, Purpose::Test | Purpose::LocalTest | Purpose::DeviceTest)
            | (Purpose::LocalTest, Purpose::DeviceTest)
            | (Purpose::DeviceTest, Purpose::LocalTest) => return false,
            _ => {}
        }
        match (self.platform, declared.platform) {
            (Platform::Unknown | Platform::Several, _) | (_, Platform::Unknown | Platform::Common) => true,
            (one, Platform::Several) => one != Platform::Common,
            (one, other) => one == other,
        }
    }
}

/// Returns the first two names of a path beneath a module's directory, where they are those of a source set: `src/test`, `jvm/src`.
pub(super) fn set_directory<'p>(path: &'p RelPath, module: &RelPath) -> Option<(&'p str, &'p str)> {
    let skipped = if module.is_root() { 0 } else { module.components().count() };
    let mut parts = path.components().skip(skipped);
    let (first, second) = (parts.next()?, parts.next()?);
    (first == "src" || matches!(second, "src" | "test")).then_some((first, second))
}

/// Whether a set holds the tests of one of Android's variants, by the build types that each module has: `testDebug`, `testDemoRelease`. What a
/// project calls otherwise may be shared by all tests: `testCommon`.
fn is_variants_test(set: &str) -> bool {
    let is_variant = |rest: &str| rest.ends_with("Debug") || rest.ends_with("Release");
    set.strip_prefix("test").is_some_and(|rest| rest.starts_with(char::is_uppercase) && is_variant(rest))
}

/// Returns the product flavor whose tests a set holds by its name: `free` for `testFree`. A set whose name says that others share it is none of these.
pub(super) fn flavor_of_test(set: &str) -> Option<String> {
    let rest = set.strip_prefix("test").filter(|rest| !SHARED.contains(rest))?;
    let first = rest.chars().next().filter(|first| first.is_uppercase())?;
    Some(first.to_lowercase().chain(rest.chars().skip(1)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sees(from: &str, declared: &str) -> bool {
        let set = |path: &str| {
            SourceSet::of(&RelPath::new(path).expect("a path"), &RelPath::new("m").expect("a path"))
        };
        set(from).may_see(set(declared))
    }

    #[test]
    fn sets_see_what_they_depend_on() {
        assert!(sees("m/src/test/java/A.java", "m/src/main/java/B.java"));
        assert!(!sees("m/src/main/java/B.java", "m/src/test/java/A.java"));
        assert!(sees("m/src/jmh/A.kt", "m/src/test/A.kt"));
        assert!(!sees("m/src/test/A.kt", "m/src/androidTest/A.kt"));
        assert!(!sees("m/src/androidTestDebug/A.kt", "m/src/test/A.kt"));
        assert!(!sees("m/src/main/A.kt", "m/src/androidTest/A.kt"));
        assert!(sees("m/src/androidTest/A.kt", "m/src/sharedTest/A.kt"));
        assert!(sees("m/src/androidTest/A.kt", "m/src/commonTest/A.kt"));
        assert!(sees("m/src/androidTest/A.kt", "m/src/testShared/A.kt"));
        assert!(sees("m/src/androidTest/A.kt", "m/src/testCommon/A.kt"));
        assert!(!sees("m/src/androidTest/A.kt", "m/src/testDemoRelease/A.kt"));
        assert!(sees("m/src/androidTest/A.kt", "m/src/debug/A.kt"));
        assert!(sees("m/src/main/A.kt", "m/src/testFixtures/A.kt"));
        assert!(sees("m/src/jvmMain/A.kt", "m/src/commonMain/A.kt"));
        assert!(!sees("m/src/commonMain/A.kt", "m/src/jvmMain/A.kt"));
        assert!(!sees("m/src/jsTest/A.kt", "m/src/jvmMain/A.kt"));
        assert!(sees("m/src/iosArm64Main/A.kt", "m/src/nativeMain/A.kt"));
        assert!(sees("m/src/main/A.kt", "m/src/jvmMain/A.kt"));
        assert!(!sees("m/src/commonMain/A.kt", "m/src/androidAndJvmMain/A.kt"));
        assert!(sees("m/src/jvmMain/A.kt", "m/src/androidAndJvmMain/A.kt"));
        assert!(sees("m/src/androidAndJvmMain/A.kt", "m/src/jvmMain/A.kt"));
        assert!(sees("m/src/commonMain/A.kt", "m/src/main/A.kt"));
        assert!(!sees("m/common/src/A.kt", "m/jvm/src/A.kt"));
        assert!(!sees("m/jvm/src/A.kt", "m/jvm/test/A.kt"));
        assert!(sees("m/jvmAndPosix/src/A.kt", "m/jvm/src/A.kt"));
        assert!(sees("m/a/A.kt", "m/b/B.kt"));
    }
}
