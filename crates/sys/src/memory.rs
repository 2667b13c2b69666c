//! Memory: what this process takes. Read-only.
#![allow(clippy::disallowed_methods, reason = "/proc is neither the project's nor a file")]

use super::processes::page_bytes;

/// The memory of a process at one moment, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// What of it is in memory: its own, and pages of files, which may be shared and are read again when needed.
    pub resident: u64,
    /// What of that belongs to no file: the heap and the stacks. The system cannot take it away but by swapping.
    pub anonymous: u64,
}

/// Returns the memory of this process; takes some microseconds.
pub fn own() -> Option<ProcessMemory> {
    of_pages(&std::fs::read_to_string("/proc/self/statm").ok()?)
}

/// Parses /proc/PID/statm (proc(5)): pages in all, resident, resident of files or shared, and others.
fn of_pages(text: &str) -> Option<ProcessMemory> {
    let mut fields = text.split_ascii_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, of_files) = (fields.next()?.ok()?, fields.next()?.ok()?);
    let anonymous = resident.saturating_sub(of_files) * page_bytes();
    Some(ProcessMemory { resident: resident * page_bytes(), anonymous })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_in_bytes() {
        let page = page_bytes();
        let told = ProcessMemory { resident: 300 * page, anonymous: 200 * page };
        assert_eq!(of_pages("1000 300 100 5 0 400 0\n"), Some(told));
        // The kernel counts the two at different moments.
        let told = ProcessMemory { resident: 100 * page, anonymous: 0 };
        assert_eq!(of_pages("1000 100 101 5 0 400 0\n"), Some(told));
        assert_eq!((of_pages(""), of_pages("1000 100")), (None, None));
    }

    #[test]
    fn what_this_process_takes_is_counted() {
        // Other tests take and free memory meanwhile.
        let taken = std::hint::black_box(vec![7_u8; 8 << 20]);
        let with = own().expect("read");
        assert!(with.anonymous > 8 << 20, "{with:?}");
        assert!(with.resident > with.anonymous, "the program itself is a file");
        drop(taken);
    }
}
