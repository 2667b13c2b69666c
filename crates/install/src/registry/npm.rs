//! Installs npm packages into a prefix of the server's own. Install scripts are not run; where symd has a
//! lockfile, a package that does not match its integrity hash is not installed.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde_json::{Value, json};

use super::{Work, words};
use crate::{InstallError, pins};
use symd_base::state;

const HINT: &str = "install Node.js with npm (Debian: apt install nodejs npm), then retry";

pub(super) async fn install(work: &mut Work<'_>) -> Result<(), InstallError> {
    let npm = work.find("npm", HINT)?;
    let prefix = work.fresh.part("node");
    state::private_dir(&prefix)?;
    let packages = pins::npm_packages(work.parts);
    let dependencies: Value = packages.iter().map(|(name, version)| (name.clone(), json!(version))).collect();
    let package = json!({ "private": true, "dependencies": dependencies }).to_string();
    state::replace_file(&prefix.join("package.json"), &[package.as_bytes()])?;
    let (what, command) = match pins::npm(work.server, work.parts) {
        Some(lock) => {
            state::replace_file(&prefix.join("package-lock.json"), &[lock.as_bytes()])?;
            ("npm ci", "ci")
        }
        None => ("npm install", "install"),
    };
    let mut arguments = words([command, "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"]);
    arguments.extend(words(["--no-update-notifier", "--prefix"]));
    arguments.push(prefix.clone().into());
    work.run(what, npm, arguments).await?;
    for (package, _) in &packages {
        for program in programs_of(&prefix, package) {
            let target = prefix.join("node_modules/.bin").join(&program);
            // If two packages have a program of the same name, the first package's program is used.
            let wrapper = work.fresh.bin().join(&program);
            if !wrapper.exists() {
                state::create_program(&wrapper, &script(&target))?;
            }
        }
    }
    Ok(())
}

/// Returns a wrapper script for `target`. A script instead of a symlink, so that the process's command line
/// shows which installation it runs from.
fn script(target: &Path) -> Vec<u8> {
    let mut script = b"#!/bin/sh\nexec '".to_vec();
    for &byte in target.as_os_str().as_bytes() {
        match byte {
            b'\'' => script.extend_from_slice(br"'\''"),
            byte => script.push(byte),
        }
    }
    script.extend_from_slice(b"' \"$@\"\n");
    script
}

/// Returns the names of a package's programs as its package.json declares them: a map, or one program with
/// the package's own name.
fn programs_of(prefix: &Path, package: &str) -> Vec<String> {
    let file = prefix.join("node_modules").join(package).join("package.json");
    let text = state::read_file(&file).ok().flatten().unwrap_or_default();
    let parsed: Value = serde_json::from_slice(&text).unwrap_or_default();
    let names = match &parsed["bin"] {
        Value::Object(programs) => programs.keys().cloned().collect(),
        Value::String(_) => vec![package.rsplit('/').next().unwrap_or(package).to_owned()],
        _ => Vec::new(),
    };
    names.into_iter().filter(|name| !name.contains('/') && !name.starts_with('.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_quotes_and_blanks_is_run_as_it_is() {
        let scratch = tempfile::tempdir().expect("scratch");
        let directory = scratch.path().join("it's a \"$HOME\" `x`");
        state::private_dir(&directory).expect("made");
        state::create_program(&directory.join("target"), b"#!/bin/sh\nprintf '%s|' \"$@\"\n").expect("made");
        let wrapper = scratch.path().join("wrapper");
        state::create_program(&wrapper, &script(&directory.join("target"))).expect("made");
        let output = std::process::Command::new(wrapper).args(["a b", "*"]).output().expect("run");
        assert_eq!(output.stdout, b"a b|*|");
    }
}
