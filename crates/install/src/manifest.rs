//! The description of one installation, stored beside it as `installed.json`. It is written before the
//! installation is published and never changed afterwards.

use serde::{Deserialize, Serialize};

use super::pins;
use symd_base::ContentHash;
use symd_config::server::Install;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The server's name in languages.toml.
    pub server: String,
    /// The installed parts: `pypi:ty==0.0.105`.
    pub parts: Vec<String>,
    /// The hash of the hash lists against which the downloaded files were checked; `None` where symd has no
    /// list for these versions.
    pub pins: Option<String>,
    /// Unix time in seconds.
    pub installed_at: u64,
    /// The version of symd that installed the server.
    pub symd: String,
}

impl Manifest {
    /// Describes an installation of `parts`, made now.
    pub(super) fn now(server: &str, parts: &[Install]) -> Manifest {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Manifest {
            server: server.to_owned(),
            parts: parts.iter().filter_map(describe).collect(),
            pins: pins::of(server, parts).map(|lists| ContentHash::of(lists.as_bytes()).to_string()),
            installed_at: since.unwrap_or_default().as_secs(),
            symd: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Whether `other` has the same parts and hash lists; the time and the version of symd do not count.
    pub(super) fn same_as(&self, other: &Manifest) -> bool {
        self.parts == other.parts && self.pins == other.pins
    }

    /// Returns the version of the part that has the server's name, else of the first part.
    pub fn version(&self) -> &str {
        let named = |part: &&String| part.contains(&format!(":{}==", self.server));
        let part = self.parts.iter().find(named).or(self.parts.first());
        let version = part.and_then(|part| part.split_once("==")).map_or("", |(_, version)| version);
        // A part's additional packages follow after a space.
        version.split(' ').next().unwrap_or(version)
    }
}

/// Formats a part as one string; `None` for a part that symd does not install.
pub(super) fn describe(part: &Install) -> Option<String> {
    match part {
        Install::PyPi { package, version } => Some(format!("pypi:{package}=={version}")),
        Install::Npm { package, version, with } if with.is_empty() => {
            Some(format!("npm:{package}=={version}"))
        }
        Install::Npm { package, version, with } => {
            Some(format!("npm:{package}=={version} with {}", with.join(", ")))
        }
        Install::Cargo { package, version } => Some(format!("cargo:{package}=={version}")),
        Install::System { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_another_installation() {
        let part = |version: &str| Install::PyPi { package: "x".to_owned(), version: version.to_owned() };
        let rg = Install::Cargo { package: "ripgrep".to_owned(), version: "14.1.0".to_owned() };
        let one = Manifest::now("x", &[part("1.0"), rg.clone()]);
        assert_eq!(one.version(), "1.0");
        let with = vec!["typescript@5".to_owned()];
        let npm = Install::Npm { package: "y".to_owned(), version: "6".to_owned(), with };
        assert_eq!(Manifest::now("y", &[npm]).version(), "6");
        assert_eq!(one.parts, ["pypi:x==1.0", "cargo:ripgrep==14.1.0"]);
        assert!(one.same_as(&Manifest { installed_at: 0, ..one.clone() }));
        assert!(!one.same_as(&Manifest::now("x", &[part("1.1"), rg])));
        assert!(!one.same_as(&Manifest { pins: Some("reviewed".to_owned()), ..one.clone() }));
        let json = serde_json::to_string(&one).expect("written");
        assert_eq!(serde_json::from_str::<Manifest>(&json).expect("read"), one);
    }
}
