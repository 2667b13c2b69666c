//! Installs from crates.io: builds the crate on this machine with the crate's own lockfile, which holds the
//! hash of every dependency. Takes minutes.

use std::path::Path;

use super::{Work, words};
use crate::InstallError;
use symd_base::state;

const HINT: &str = "install Rust (https://rustup.rs), then retry";

pub(super) async fn install(work: &mut Work<'_>, package: &str, version: &str) -> Result<(), InstallError> {
    let cargo = work.find("cargo", HINT)?;
    let root = work.fresh.part("cargo");
    let mut arguments =
        words(["install", "--locked", "--color", "never", "--no-track", package, "--version"]);
    arguments.push(format!("={version}").into());
    arguments.extend(words(["--root"]));
    arguments.push(root.clone().into());
    // A target directory of its own, so that it does not wait for another build's lock; it is removed with
    // the workspace.
    arguments.extend(words(["--target-dir"]));
    arguments.push(work.fresh.workspace().join("target").into());
    work.run("cargo install", cargo, arguments).await?;
    let entries = root.join("bin").read_dir().into_iter().flatten().flatten();
    for name in entries.map(|entry| entry.file_name()) {
        state::replace_link(&work.fresh.bin().join(&name), &Path::new("../cargo/bin").join(&name))?;
    }
    Ok(())
}
