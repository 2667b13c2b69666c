//! The source sets of a multiplatform module that no program of a frame's platform holds: `nonJvmMain` and `iosMain` for the JVM.
//!
//! Names: <https://kotlinlang.org/docs/multiplatform-hierarchy.html#see-the-full-hierarchy-template>.

use super::variant::{source_set, words};
use symd_base::RelPath;

/// The platform of the program that a frame is of, as its form tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FramePlatform {
    /// Android's runtime, too.
    #[default]
    Jvm,
    KotlinNative,
}

/// Words of the names of source sets that are compiled for browsers and other engines of JavaScript and WebAssembly alone.
const WEB: [&str; 3] = ["js", "wasm", "web"];

/// Words of the names of those that are compiled by Kotlin/Native alone; `posix` and `darwin` are common names of shared ones.
const NATIVE: [&str; 10] =
    ["native", "apple", "ios", "macos", "tvos", "watchos", "linux", "mingw", "posix", "darwin"];

impl FramePlatform {
    /// Whether a program of this platform may hold the code of a file. A source set whose name tells no platform may be in each.
    pub(super) fn may_hold(self, path: &RelPath) -> bool {
        let set = source_set(path).map_or("", |(_, set)| set);
        let Some(name) = set.strip_suffix("Main").or_else(|| set.strip_suffix("Test")) else { return true };
        let words = words(name);
        if words.first().is_some_and(|first| first == "non") {
            return !words.iter().any(|word| self.is_named_by(word));
        }
        let is_native_android = words.starts_with(&["android".to_owned(), "native".to_owned()]);
        let named = words.iter().skip(usize::from(is_native_android));
        let mut platforms = named.filter(|word| is_platform(word)).peekable();
        platforms.peek().is_none() || platforms.any(|word| self.is_named_by(word))
    }

    fn is_named_by(self, word: &str) -> bool {
        match self {
            FramePlatform::Jvm => matches!(word, "jvm" | "android"),
            FramePlatform::KotlinNative => NATIVE.contains(&word),
        }
    }
}

fn is_platform(word: &str) -> bool {
    matches!(word, "jvm" | "android") || WEB.contains(&word) || NATIVE.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::FramePlatform::{Jvm, KotlinNative};
    use super::*;

    #[test]
    fn source_sets_of_platforms() {
        for (set, of_jvm, of_native) in [
            ("commonMain", true, true),
            ("jvmMain", true, false),
            ("androidMain", true, false),
            ("androidUnitTest", true, false),
            ("nonJvmMain", false, true),
            ("nonNativeTest", true, false),
            ("jvmAndNativeMain", true, true),
            ("jsAndWasmSharedMain", false, false),
            ("wasmJsTest", false, false),
            ("iosSimulatorArm64Main", false, true),
            ("linuxX64Test", false, true),
            ("androidNativeArm64Main", false, true),
            // The project's own names.
            ("zlibMain", true, true),
            ("desktopMain", true, true),
            // Flavors and build types of Android, not source sets of platforms.
            ("main", true, true),
            ("web", true, true),
            ("linuxDebug", true, true),
        ] {
            let path = RelPath::new(&format!("app/src/{set}/kotlin/shop/Till.kt")).expect("valid");
            assert_eq!((Jvm.may_hold(&path), KotlinNative.may_hold(&path)), (of_jvm, of_native), "{set}");
        }
        assert!(Jvm.may_hold(&RelPath::new("native/Till.kt").expect("valid")));
    }
}
