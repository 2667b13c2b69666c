//! The making of a name table: which files and tables it is made of. Slow, so that a pool thread does it while the engine goes on.

use std::sync::Arc;

use super::file::FileEntry;
use super::live_segment::LiveSegment;
use super::segment::{Segment, SegmentOverFiles, SegmentPart};
use symd_base::state::UnnamedFile;

/// The files for a new segment, chosen by [`super::IndexState::plan`]; the segment is built elsewhere.
#[derive(Debug)]
pub struct SegmentPlan {
    pub(super) loose: Vec<Arc<FileEntry>>,
    /// The tables that it replaces.
    pub(super) replaced: Vec<LiveSegment>,
    /// Where its rows are kept if they take so many bytes.
    pub(super) file: Option<(Arc<UnnamedFile>, usize)>,
}

/// A segment built by [`SegmentPlan::build`], for [`super::IndexState::adopt`].
#[derive(Debug)]
pub struct BuiltSegment {
    pub(super) built: SegmentOverFiles,
    /// The tables that it replaces.
    pub(super) replaced: Vec<Arc<Segment>>,
}

impl SegmentPlan {
    /// Builds the segment. Slow, for a pool thread. Files whose outline cannot be read stay loose.
    pub fn build(mut self) -> BuiltSegment {
        let file = self.file.take();
        let mut built = self.build_in_memory();
        if let Some((file, bytes)) = file
            && built.built.segment.posting_bytes() >= bytes
        {
            built.built.segment.spill(&file);
        }
        built
    }

    fn build_in_memory(self) -> BuiltSegment {
        let loose = Segment::build(self.loose);
        if self.replaced.is_empty() {
            return BuiltSegment { built: loose, replaced: Vec::new() };
        }
        let replaced = self.replaced.iter().map(|live| live.segment.clone()).collect();
        // Those that cannot be read stay loose.
        let SegmentOverFiles { segment, files, .. } = loose;
        let loose = LiveSegment::new(segment, files);
        let parts: Vec<LiveSegment> = self.replaced.into_iter().chain([loose]).collect();
        BuiltSegment { built: merge(&parts), replaced }
    }
}

/// Returns one segment of several that have no living file in common. What cannot be read of them is made again from the outlines.
fn merge(parts: &[LiveSegment]) -> SegmentOverFiles {
    let living = |(number, part): (usize, &LiveSegment)| {
        let files = part.living_numbered();
        files.map(|(file, entry)| (entry.clone(), number, file)).collect::<Vec<_>>()
    };
    let mut living: Vec<(Arc<FileEntry>, usize, usize)> = parts.iter().enumerate().flat_map(living).collect();
    // Each part's are in order already.
    living.sort_by(|(one, ..), (other, ..)| one.path.cmp(&other.path));
    let mut numbers: Vec<Vec<Option<u32>>> = parts.iter().map(|part| vec![None; part.files.len()]).collect();
    for (merged, (_, part, file)) in (0..).zip(&living) {
        numbers[*part][*file] = Some(merged);
    }
    let parts =
        parts.iter().zip(numbers).map(|(part, numbers)| SegmentPart { segment: &part.segment, numbers });
    let parts: Vec<SegmentPart<'_>> = parts.collect();
    let files = living.into_iter().map(|(file, ..)| file);
    match Segment::merge(&parts) {
        Some(segment) => SegmentOverFiles { segment, files: files.collect(), unreadable: Vec::new() },
        None => Segment::build(files.collect()),
    }
}
