//! Compares the index with one of the simplest kind: a list of everything.

mod model;
mod words;

/// Cuts the file without a name that was made in `directory`.
#[allow(clippy::disallowed_methods, reason = "it damages a file")]
pub(crate) fn cut_unnamed_file(directory: &std::path::Path) {
    let descriptors = std::fs::read_dir("/proc/self/fd").expect("listed");
    let is_it = |path: &std::path::PathBuf| {
        std::fs::read_link(path)
            .is_ok_and(|to| to.as_os_str().to_string_lossy().starts_with(&*directory.to_string_lossy()))
    };
    let descriptor = descriptors.filter_map(|one| Some(one.ok()?.path())).find(is_it).expect("open");
    std::fs::File::options().write(true).open(descriptor).expect("opened").set_len(0).expect("cut");
}
