//! What Gradle's files tell of who sees what, without running Gradle.

mod build_text;
mod modules;
mod source_set;

pub use self::modules::GradleModules;
use crate::family::Family;
use crate::resolver::Resolver;
use symd_base::RelPath;

/// The name of the directory whose classes every build script of the project sees.
const BUILD_SOURCES: &str = "buildSrc";

/// Whether code in one file may name what another file declares, as far as Gradle's conventions and build files tell. A
/// build script sees other scripts and the sources of builds that the project includes, not the project's own sources; other code
/// sees its own module and those that this depends on.
pub(crate) fn may_see(resolver: &Resolver, from: &RelPath, declared: &RelPath) -> bool {
    if resolver.family != Family::Jvm {
        return true;
    }
    match is_script(from) {
        true => is_script(declared) || is_of_other_build(resolver, declared),
        false => resolver.sources.gradle_modules().may_see(from, declared),
    }
}

fn is_script(path: &RelPath) -> bool {
    path.as_str().ends_with(".kts")
}

/// Whether a directory around a file, other than the root, is a build of its own.
fn is_of_other_build(resolver: &Resolver, path: &RelPath) -> bool {
    let mut directories = std::iter::successors(path.parent(), RelPath::parent);
    directories.any(|directory| {
        let has_settings = ["settings.gradle.kts", "settings.gradle"]
            .iter()
            .any(|name| resolver.has_file(&directory.join(name)));
        directory.file_name() == BUILD_SOURCES || !directory.is_root() && has_settings
    })
}
