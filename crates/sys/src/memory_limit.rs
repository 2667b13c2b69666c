//! How much memory the machine has, or the control groups of this process allow. Read-only.
#![allow(clippy::disallowed_methods, reason = "/proc and /sys are neither the project's nor files")]

use std::path::Path;

/// Returns how many bytes of memory this process may take at most, as the machine and the limits of its control groups
/// say; `None` if neither is known.
pub fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| machine(&text));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    machine.into_iter().chain(of_groups(&groups, Path::new("/sys/fs/cgroup"))).min()
}

/// Parses the line `MemTotal:  24684048 kB` of /proc/meminfo.
fn machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Returns the smallest limit of the groups that /proc/self/cgroup lists (cgroups(7)) and of those above them. In a
/// container the paths may be those of the host, which are not beneath `mount`; its own limit is then at the top.
fn of_groups(groups: &str, mount: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (mount, file) = match controllers {
            "" => (mount.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                (mount.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let path = Path::new(path.trim_start_matches('/'));
        // "max" is no number: no limit. Without one, version 1 tells the greatest number of pages.
        let limit = |path: &Path| {
            std::fs::read_to_string(mount.join(path).join(file)).ok()?.trim().parse::<u64>().ok()
        };
        path.ancestors().filter_map(limit).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_tells_kibibytes() {
        assert_eq!(machine("MemFree: 7 kB\nMemTotal:       24684048 kB\n"), Some(24_684_048 << 10));
        assert_eq!((machine(""), machine("MemTotal: much")), (None, None));
        assert!(available().expect("known") > 64 << 20);
    }

    #[test]
    fn the_smallest_limit_of_a_group_and_those_above_it_counts() {
        let scratch = tempfile::tempdir().expect("made");
        let put = |path: &str, text: &str| {
            let path = scratch.path().join(path);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        put("a/memory.max", "700\n");
        put("a/b/memory.max", "900\n");
        put("a/b/c/memory.max", "max\n");
        put("memory/d/memory.limit_in_bytes", "500\n");
        put("memory/d/e/memory.limit_in_bytes", "9223372036854771712\n");
        let of = |groups: &str| of_groups(groups, scratch.path());
        assert_eq!(of("0::/a/b/c\n"), Some(700));
        assert_eq!(of("0::/a/b/not/mounted/here\n"), Some(700));
        assert_eq!(of("0::/\n"), None, "the topmost group has no limit");
        assert_eq!(of("9:name=systemd:/a\n4:memory:/d/e\n1:cpu:/a\n0::/\n"), Some(500));
        assert_eq!(of("3:cpuset,memory:/d/e\n0::/a\n"), Some(500));
        put("memory.max", "300");
        assert_eq!(of("0::/docker/0123"), Some(300), "a container that sees the host's paths");
        assert_eq!((of(""), of("garbage"), of("0:")), (None, None, None));
    }
}
