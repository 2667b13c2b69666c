//! The hash lists in `installs/`, reviewed by symd's authors: for each server a pip requirements file with
//! the hash of every wheel, or an npm lockfile with the integrity of every package, dependencies included. A
//! list is valid for one version only: for another version (a user's own languages.toml may name one) there
//! is none, and only the version is pinned. `installs/regenerate.py` generates the lists and `pinned.rs` from
//! languages.toml.

use serde_json::Value;

use super::pinned::PINNED;
use symd_config::server::Install;

/// Returns all lists for these parts of `server`, concatenated; `None` if a required list does not exist for
/// exactly these versions. cargo needs no list: a crate's own lockfile holds the hashes of its dependencies.
pub(super) fn of(server: &str, parts: &[Install]) -> Option<String> {
    let mut lists = String::new();
    if parts.iter().any(|part| matches!(part, Install::PyPi { .. })) {
        lists.push_str(pypi(server, parts)?);
    }
    if parts.iter().any(|part| matches!(part, Install::Npm { .. })) {
        lists.push_str(npm(server, parts)?);
    }
    Some(lists)
}

/// Returns the requirements file that covers all PyPI parts, if there is one.
pub(super) fn pypi(server: &str, parts: &[Install]) -> Option<&'static str> {
    let list = find(server, "txt")?;
    let mut any = false;
    for part in parts {
        if let Install::PyPi { package, version } = part {
            any = true;
            let pinned = format!("{}=={version}", normalised(package));
            let named = |line: &str| line.split([' ', ';']).next() == Some(pinned.as_str());
            if !list.lines().any(named) {
                return None;
            }
        }
    }
    any.then_some(list)
}

/// Returns the lockfile that covers all npm parts, if there is one.
pub(super) fn npm(server: &str, parts: &[Install]) -> Option<&'static str> {
    let lock = find(server, "package-lock.json")?;
    let wanted = npm_packages(parts);
    let parsed: Value = serde_json::from_str(lock).ok()?;
    let locked = parsed["packages"][""]["dependencies"].as_object()?;
    let same = locked.len() == wanted.len()
        && wanted
            .iter()
            .all(|(package, version)| locked.get(package).and_then(Value::as_str) == Some(version));
    (same && !wanted.is_empty()).then_some(lock)
}

/// Returns name and version of every npm package that the parts name.
pub(super) fn npm_packages(parts: &[Install]) -> Vec<(String, String)> {
    let mut packages = Vec::new();
    for part in parts {
        if let Install::Npm { package, version, with } = part {
            packages.push((package.clone(), version.clone()));
            // A scoped package's name itself starts with an @.
            let beside = with.iter().filter_map(|with| with.rsplit_once('@'));
            packages.extend(beside.map(|(name, version)| (name.to_owned(), version.to_owned())));
        }
    }
    packages
}

/// Normalises the name of a distribution as PyPI does to compare names.
pub(super) fn normalised(package: &str) -> String {
    let words: Vec<String> =
        package.split(['-', '_', '.']).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

fn find(server: &str, kind: &str) -> Option<&'static str> {
    let name = format!("{server}.{kind}");
    PINNED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_config::Languages;

    #[test]
    fn every_part_that_a_registry_gives_is_held_against_hashes() {
        for (name, server) in Languages::builtin().servers() {
            let parts = &server.install;
            if parts.iter().any(|part| matches!(part, Install::PyPi { .. })) {
                let list = pypi(name, parts);
                assert!(list.is_some(), "{name}: run installs/regenerate.py");
                let pins = list.unwrap_or_default().lines().filter(|line| line.contains("==")).count();
                assert!(list.unwrap_or_default().matches("--hash=sha256:").count() >= pins, "{name}");
            }
            if parts.iter().any(|part| matches!(part, Install::Npm { .. })) {
                let lock = npm(name, parts).unwrap_or_else(|| panic!("{name}: run installs/regenerate.py"));
                let lock: Value = serde_json::from_str(lock).expect("JSON");
                for (path, package) in lock["packages"].as_object().expect("packages") {
                    assert!(path.is_empty() || package["integrity"].is_string(), "{name}: {path}");
                }
            }
        }
    }

    #[test]
    fn every_list_belongs_to_a_server() {
        for (file, _) in PINNED {
            let server = file.trim_end_matches(".txt").trim_end_matches(".package-lock.json");
            assert!(Languages::builtin().server(server).is_some(), "{file}: run installs/regenerate.py");
        }
    }

    #[test]
    fn a_list_is_of_one_version() {
        let part = |version: &str| Install::PyPi { package: "ty".to_owned(), version: version.to_owned() };
        let Some(Install::PyPi { version, .. }) =
            Languages::builtin().server("ty").and_then(|server| server.install.first())
        else {
            panic!("ty comes from PyPI")
        };
        assert!(pypi("ty", &[part(version)]).is_some());
        assert!(pypi("ty", &[part("0.0.1")]).is_none());
        assert_eq!(normalised("Jedi_Language..Server"), "jedi-language-server");
    }
}
