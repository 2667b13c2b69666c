//! The environment of the registries' client programs: an allow-list of variables, and a working directory of
//! symd's own. Invariant: no setting of the project (`.npmrc`, `pip.conf`, `.cargo/config.toml`,
//! `.python-version`) and no variable that redirects an interpreter (`PYTHONPATH`, `NODE_OPTIONS`,
//! `RUSTFLAGS`) reaches these programs; the user's settings for reaching the registries (proxies,
//! certificates, mirrors) do.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use symd_base::programs::Programs;

/// Variables that are passed on under exactly these names: the user's identity, locale, directories,
/// certificates and version managers.
const PLAIN: [&str; 26] = [
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CACHE_HOME",
    "NETRC",
    // Certificates.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    // Version managers: the programs on PATH are their shims.
    "PYENV_ROOT",
    "PYENV_VERSION",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "NVM_DIR",
    "FNM_DIR",
    "VOLTA_HOME",
    "MISE_DATA_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_DIST_SERVER",
];

/// Proxy variables, compared in lower case.
const PROXIES: [&str; 4] = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];

/// pip's settings that say where the index is and how it is reached.
const PIP: [&str; 12] = [
    "PIP_CONFIG_FILE",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_NO_INDEX",
    "PIP_FIND_LINKS",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_PROXY",
    "PIP_TRUSTED_HOST",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_RETRIES",
    "PIP_CACHE_DIR",
];

/// npm's settings of the same purpose, without their prefix `npm_config_`; compared in lower case.
const NPM: [&str; 12] = [
    "registry",
    "ca",
    "cafile",
    "proxy",
    "https_proxy",
    "noproxy",
    "strict_ssl",
    "userconfig",
    "globalconfig",
    "cache",
    "fetch_timeout",
    "fetch_retries",
];

/// Prefixes of cargo's settings: how registries are reached, which registry replaces which, and how much is optimised.
/// Tokens for publishing are excluded, because build scripts inherit cargo's environment.
const CARGO: [&str; 5] =
    ["CARGO_HTTP_", "CARGO_NET_", "CARGO_PROFILE_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"];

fn passes(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    PLAIN.contains(&name)
        || PIP.contains(&name)
        || name.starts_with("LC_")
        || PROXIES.contains(&small.as_str())
        || small.strip_prefix("npm_config_").is_some_and(|key| NPM.contains(&key))
        || (CARGO.iter().any(|prefix| name.starts_with(prefix)) && !name.ends_with("_TOKEN"))
}

/// Where an installation runs: the programs that it finds, and the variables that they get.
#[derive(Clone, Debug)]
pub struct InstallEnvironment {
    programs: Programs,
    variables: Vec<(OsString, OsString)>,
}

impl InstallEnvironment {
    /// Takes the environment of this process. Programs inside `project` are never found.
    pub fn of_process(project: Option<&Path>) -> InstallEnvironment {
        InstallEnvironment::new(std::env::vars_os(), project)
    }

    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        project: Option<&Path>,
    ) -> InstallEnvironment {
        let mut surroundings =
            InstallEnvironment { programs: Programs::on(OsStr::new(""), project), variables: Vec::new() };
        for (name, value) in variables {
            if name == "PATH" {
                surroundings.programs = Programs::on(&value, project);
            } else if name.to_str().is_some_and(passes) {
                surroundings.variables.push((name, value));
            }
        }
        surroundings
    }

    /// Finds the program `name` on PATH, outside the project.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.programs.find(name).ok()
    }

    pub(super) fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Returns the PATH without entries inside the project and without relative entries.
    pub(super) fn path(&self) -> OsString {
        self.programs.path()
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leads_to_the_registry_passes() {
        for name in ["HOME", "HTTPS_PROXY", "no_proxy", "PIP_INDEX_URL", "npm_config_registry", "LC_ALL"] {
            assert!(passes(name), "{name}");
        }
        for name in ["NPM_CONFIG_CAFILE", "CARGO_HTTP_CAINFO", "CARGO_PROFILE_RELEASE_OPT_LEVEL", "PIP_CERT"]
        {
            assert!(passes(name), "{name}");
        }
        for name in [
            "PYTHONPATH",
            "PYTHONHOME",
            "PIP_TARGET",
            "PIP_USER",
            "NODE_OPTIONS",
            "npm_config_prefix",
            "npm_config_ignore_scripts",
            "RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "CARGO_REGISTRY_TOKEN",
            "CARGO_REGISTRIES_MINE_TOKEN",
            "VIRTUAL_ENV",
            "LD_PRELOAD",
            "AWS_SECRET_ACCESS_KEY",
        ] {
            assert!(!passes(name), "{name}");
        }
    }
}
