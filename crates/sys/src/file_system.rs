//! What a file system keeps of a file's state.

use std::os::fd::AsFd;

/// Local file systems that give a file a new change time (`ctime`) with each write and each change of its inode
/// (magic numbers: `man 2 statfs`, linux/magic.h). On a server's files, and on those of FUSE, another machine or program sets it.
const LOCAL: [i64; 9] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683e, // btrfs
    0xf2f5_2010, // f2fs
    0x2fc1_2fc1, // zfs
    0xca45_1a4e, // bcachefs
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0x794c_7630, // overlayfs: the state of the layer's file, another inode after it was copied up
];

/// Reports whether the open file's file system is local and keeps change times, so that an unchanged state says that the
/// bytes are unchanged.
pub fn keeps_change_times(file: impl AsFd) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|system| LOCAL.contains(&system.f_type))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    #[test]
    fn the_kernels_own_files_are_on_no_such_file_system() {
        let proc = std::fs::File::open("/proc/self/status").expect("the kernel's");
        assert!(!super::keeps_change_times(proc));
    }
}
