//! Giving memory that was freed back to the system. With `malloc_trim`, which takes no pointer and may be called at any time
//! by any thread; that is all the unsafe code here.
#![allow(unsafe_code, reason = "glibc's malloc_trim, which no safe crate offers")]

/// Gives back the memory that this process has freed and its allocator has kept. Takes milliseconds for each hundred megabytes
/// of heap, during which other threads wait to allocate. Does nothing with another allocator than glibc's.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it only reads and changes the allocator's own state, under the allocator's locks.
        unsafe { libc::malloc_trim(0) };
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use crate::memory::own;

    #[test]
    fn what_was_freed_is_given_back() {
        // Many small ones, which the allocator keeps; the last one holds the top of the heap.
        let mut small: Vec<Vec<u8>> = (0..64 << 10).map(|_| vec![7; 1024]).collect();
        let last = small.pop();
        drop(small);
        let before = own().expect("read").anonymous;
        give_back();
        let after = own().expect("read").anonymous;
        assert!(after + (32 << 20) < before, "{before} {after}");
        drop(last);
    }
}
