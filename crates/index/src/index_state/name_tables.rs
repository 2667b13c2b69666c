//! The name tables of the index: when one is made, and of what; those that the last daemon stored. Invariant: a file that changed while a table
//! was made stays loose.

use std::sync::Arc;

use super::IndexState;
use crate::live_segment::LiveSegment;
use crate::segment::SegmentOverFiles;
use crate::segment_plan::{BuiltSegment, SegmentPlan};
use crate::stored_index::StoredTable;

/// When name tables are rebuilt.
#[derive(Clone, Copy, Debug)]
pub struct SegmentThresholds {
    /// Loose files are combined into a segment when they have more rows than this …
    pub loose_rows: usize,
    /// … or when there are more of them than this.
    pub loose_files: usize,
    /// While files are being added, they are combined when they are more than a quarter of all, or more than this: the outlines of loose
    /// files stay in memory.
    pub most_loose_files: usize,
    /// A table's rows are kept on disk, where there is a file for that, if they take at least so many bytes.
    pub spilled_bytes: usize,
    /// More segments than this are merged into one, since every exact query searches each of them.
    pub segments: usize,
}

impl Default for SegmentThresholds {
    /// Chosen, not measured: scanning this few rows takes less time than the rest of a question.
    fn default() -> SegmentThresholds {
        SegmentThresholds {
            loose_rows: 20_000,
            loose_files: 512,
            most_loose_files: 8_192,
            spilled_bytes: 2 << 20,
            segments: 4,
        }
    }
}

impl IndexState {
    /// Adds the table that the last daemon stored. A file of it that is unchanged is in the index, and in no other table, once its entry
    /// is put ([`IndexState::put_stored`]).
    pub fn adopt_stored(&mut self, table: StoredTable) {
        self.segments.push(LiveSegment::awaiting(table));
        self.published = None;
    }

    /// Whether files may still be found that are as they were when their index was stored.
    pub fn is_awaiting(&self) -> bool {
        self.segments.iter().any(|live| live.is_awaiting)
    }

    /// Drops what was stored of files that were not found as they were: all are known now.
    pub fn await_no_files(&mut self) {
        if !self.is_awaiting() {
            return;
        }
        self.segments.iter_mut().for_each(|live| live.is_awaiting = false);
        self.segments.retain(|live| live.living_files().next().is_some());
        self.published = None;
    }

    /// Returns what is worth building now, if anything: a segment over the loose files, or one over
    /// everything when there are many segments or more than a quarter of their rows is dead. Many dead rows
    /// are reason enough by themselves: they keep the outlines of removed files in memory. So are lost rows.
    pub fn plan(&self) -> Option<SegmentPlan> {
        self.plan_beyond(self.limits.loose_rows, self.limits.loose_files)
    }

    /// Returns what is worth building while files are being added: as [`IndexState::plan`], but each table is to hold a
    /// good part of all rows, so that all of them together take little more time than one at the end.
    pub fn plan_while_growing(&self) -> Option<SegmentPlan> {
        let SegmentThresholds { loose_rows, loose_files, most_loose_files, .. } = self.limits;
        let most_rows =
            if self.loose.len() > most_loose_files { 0 } else { loose_rows.max(self.symbols / 4) };
        self.plan_beyond(most_rows, loose_files.max(self.files.len() / 4))
    }

    /// Returns the plan of one segment over everything.
    pub fn plan_whole(&self) -> SegmentPlan {
        SegmentPlan { replaced: self.segments.clone(), ..self.plan_loose() }
    }

    fn plan_beyond(&self, loose_rows: usize, loose_files: usize) -> Option<SegmentPlan> {
        // Until then each question that meets what is lost reads all outlines of the table.
        if self.segments.iter().any(|live| live.segment.is_lost()) {
            // In memory: what could not be read may be lost on disk again.
            return Some(SegmentPlan { file: None, ..self.plan_whole() });
        }
        let settled = || self.segments.iter().filter(|live| !live.is_awaiting);
        let dead: usize = settled().map(|live| live.dead_rows).sum();
        let rows: usize = settled().map(|live| live.segment.row_count()).sum();
        let mostly_dead = dead * 4 > rows;
        let much_loose = self.loose_rows > loose_rows || self.loose.len() > loose_files;
        let much_dead = mostly_dead && dead > loose_rows;
        if !much_loose && !much_dead {
            return None;
        }
        if !self.is_awaiting() && (self.segments.len() >= self.limits.segments || mostly_dead) {
            return Some(self.plan_whole());
        }
        Some(self.plan_loose())
    }

    fn plan_loose(&self) -> SegmentPlan {
        SegmentPlan {
            loose: self.loose.values().cloned().collect(),
            replaced: Vec::new(),
            file: self.file.clone().map(|file| (file, self.limits.spilled_bytes)),
        }
    }

    /// Adds a segment built from a [`IndexState::plan`] of this state; files that changed since stay loose.
    pub fn adopt(&mut self, built: BuiltSegment) {
        let BuiltSegment { built: SegmentOverFiles { segment, mut files, unreadable }, replaced } = built;
        let mut dead = Vec::new();
        for file in Arc::make_mut(&mut files) {
            match self.files.get(file.path.as_str()).filter(|now| now.same_symbols(file)) {
                Some(now) => {
                    if let Some(loose) = self.loose.remove(&file.path) {
                        self.loose_rows -= loose.symbol_count();
                    }
                    // Its outline may have been let go of meanwhile.
                    *file = now.clone();
                }
                None => dead.push(file.path.clone()),
            }
        }
        let mut live = LiveSegment::new(segment, files);
        dead.iter().for_each(|path| live.mark_dead(path));
        if !replaced.is_empty() {
            // A table that was stored may have come meanwhile.
            let is_replaced = |live: &LiveSegment| replaced.iter().any(|one| Arc::ptr_eq(one, &live.segment));
            self.segments.retain(|live| !is_replaced(live));
            if self.segments.is_empty() {
                self.touched = Arc::default();
            }
            // They are in no table now.
            for file in unreadable {
                if let Some(now) = self.files.get(file.path.as_str()).filter(|now| now.same_symbols(&file))
                    && self.loose.insert(now.path.clone(), now.clone()).is_none()
                {
                    self.loose_rows += now.symbol_count();
                }
            }
        }
        self.segments.push(live);
        self.published = None;
    }
}
