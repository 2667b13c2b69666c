//! How much memory the entries of an index take, without what they have read back from disk. Invariant: an outline that several files
//! share is counted once.

use std::collections::HashMap;

use super::entry_outline::EntryOutline;
use super::file::FileEntry;

/// Unused entries of a table that are not worth freeing.
const MOST_SPARE: usize = 1024;

/// The entries that were added and not removed. Those of stored outlines share what is known of many.
#[derive(Debug, Default)]
pub(super) struct EntryMemory {
    bytes: usize,
    /// What of it outlines take.
    resident: usize,
    /// Number of files whose outline is not in memory for as long as they are.
    stored: usize,
    /// Numbers of files by the address of what they share: an outline, or what is known of many outlines on disk. The files keep it
    /// alive.
    sharing: HashMap<usize, u32>,
}

impl EntryMemory {
    pub(super) fn add(&mut self, entry: &FileEntry) {
        self.bytes += entry.memory();
        if let Some((address, bytes)) = entry.file_outline().map(EntryOutline::shared_memory) {
            self.stored += usize::from(!entry.is_resident());
            let files = self.sharing.entry(address).or_default();
            *files += 1;
            if *files == 1 {
                self.bytes += bytes;
                self.resident += if entry.is_resident() { bytes } else { 0 };
            }
        }
    }

    /// Removes an entry that was added.
    pub(super) fn remove(&mut self, entry: &FileEntry) {
        self.bytes -= entry.memory();
        if let Some((address, bytes)) = entry.file_outline().map(EntryOutline::shared_memory)
            && let Some(files) = self.sharing.get_mut(&address)
        {
            self.stored -= usize::from(!entry.is_resident());
            *files -= 1;
            if *files == 0 {
                self.sharing.remove(&address);
                // Outlines that were let go of had an entry each; those on disk share a few.
                if self.sharing.capacity() > MOST_SPARE + 4 * self.sharing.len() {
                    self.sharing.shrink_to(2 * self.sharing.len());
                }
                self.bytes -= bytes;
                self.resident -= if entry.is_resident() { bytes } else { 0 };
            }
        }
    }

    /// Returns how many bytes those outlines take that are in memory as long as their entries.
    pub(super) fn resident(&self) -> usize {
        self.resident
    }

    /// Returns the number of files that have let go of their outline.
    pub(super) fn stored(&self) -> usize {
        self.stored
    }

    /// Returns how many bytes they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.sharing.len() * size_of::<(usize, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::file::{Content, Origin};
    use symd_base::{ContentHash, RelPath};
    use symd_syntax::Outline;
    use symd_vfs::Stat;

    #[test]
    fn a_shared_outline_is_counted_once_until_no_file_has_it() {
        let outline = Arc::new(Outline { names: "x".repeat(10_000).into(), ..Outline::default() });
        let entry = |path: &str, outline: &Arc<Outline>| FileEntry {
            path: RelPath::new(path).expect("a path"),
            content: Content::Code {
                origin: Origin::Server(1),
                hash: ContentHash::of(b""),
                stat: Stat::default(),
                outline: outline.clone().into(),
            },
        };
        let entries = ["a", "b", "c"].map(|path| entry(path, &outline));
        let mut memory = EntryMemory::default();
        entries.iter().for_each(|entry| memory.add(entry));
        assert!((10_000..20_000).contains(&memory.bytes()), "{}", memory.bytes());
        memory.add(&entry("d", &Arc::new(Outline::clone(&outline))));
        assert!((20_000..30_000).contains(&memory.bytes()), "an equal one that is not shared");
        entries[..2].iter().for_each(|entry| memory.remove(entry));
        assert!((20_000..30_000).contains(&memory.bytes()), "{}", memory.bytes());
        memory.remove(&entries[2]);
        assert!((10_000..20_000).contains(&memory.bytes()), "{}", memory.bytes());
    }
}
