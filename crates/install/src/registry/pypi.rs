//! Installs PyPI wheels into a virtual environment of the server's own, created with the user's python3.
//! Nothing is built from source; where symd has a hash list, only files on it are installed.

use std::path::{Path, PathBuf};

use super::{Work, words};
use crate::{InstallError, pins};
use symd_base::state;
use symd_config::server::Install;

const HINT: &str = "install Python 3 with its venv module (Debian: apt install python3-venv), then retry";

pub(super) async fn install(work: &mut Work<'_>) -> Result<(), InstallError> {
    let python = work.find("python3", HINT)?;
    let environment = work.fresh.part("python");
    // `-I` isolates: the user's site-packages and the PYTHON… variables are ignored.
    let mut arguments = words(["-I", "-m", "venv"]);
    arguments.push(environment.clone().into());
    work.run("python3 -m venv", python, arguments).await?;

    let mut arguments = words([
        "-I",
        "-m",
        "pip",
        "install",
        "--no-input",
        "--progress-bar",
        "off",
        "--only-binary",
        ":all:",
    ]);
    match pins::pypi(work.server, work.parts) {
        Some(list) => {
            let file = work.fresh.workspace().join("requirements.txt");
            state::replace_file(&file, &[list.as_bytes()])?;
            // The list includes all dependencies, so pip must not resolve any itself.
            arguments.extend(words(["--require-hashes", "--no-deps", "-r"]));
            arguments.push(file.into());
        }
        None => {
            for (package, version) in packages(work.parts) {
                arguments.push(format!("{package}=={version}").into());
            }
        }
    }
    work.run("pip install", environment.join("bin/python"), arguments).await?;
    for (package, _) in packages(work.parts) {
        for program in programs_of(&environment, package) {
            let link = work.fresh.bin().join(&program);
            state::replace_link(&link, &Path::new("../python/bin").join(&program))?;
        }
    }
    Ok(())
}

fn packages(parts: &[Install]) -> impl Iterator<Item = (&str, &str)> {
    parts.iter().filter_map(|part| match part {
        Install::PyPi { package, version } => Some((package.as_str(), version.as_str())),
        _ => None,
    })
}

/// Returns the programs that a package put into the environment's `bin`, according to its `RECORD`.
fn programs_of(environment: &Path, package: &str) -> Vec<String> {
    let mut programs = Vec::new();
    for record in records_of(environment, package) {
        let text = state::read_file(&record).ok().flatten().unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let path = line.split(',').next().unwrap_or_default();
            if let Some(name) = path.strip_prefix("../../../bin/").filter(|name| !name.contains('/')) {
                programs.push(name.to_owned());
            }
        }
    }
    programs
}

fn records_of(environment: &Path, package: &str) -> Vec<PathBuf> {
    let wanted = pins::normalised(package);
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let distribution = name.strip_suffix(".dist-info").and_then(|name| name.rsplit_once('-'));
        distribution.is_some_and(|(name, _)| pins::normalised(name) == wanted)
    };
    let entries =
        |directory: PathBuf| directory.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    entries(environment.join("lib"))
        .flat_map(|python| entries(python.join("site-packages")))
        .filter(is_ours)
        .map(|information| information.join("RECORD"))
        .collect()
}
