//! The status that clients read.

use super::Run;

impl Run {
    pub(super) fn tell_status(&mut self) {
        let (ready, cache) = (self.is_ready(), self.scanner.cache.as_ref().map(|cache| cache.status()));
        let is_parsed_ahead = ready && self.ahead.is_done(self.state.revision());
        let (state, tally) = (&self.state, &mut self.tally);
        let (pending, unread) = (self.pending.files(), self.pending.unread().len());
        let (changes, verification) = (self.changes, &self.verification);
        let (mut memory, stored_outlines) = (state.memory(), state.stored_outlines());
        memory.outlines += self.scanner.stored.read_bytes();
        self.caches.budget.set_limit(self.ceiling.for_caches(memory.sum()));
        self.status.send_modify(|status| {
            status.revision = state.revision();
            status.files = state.file_count();
            status.symbols = state.symbol_count();
            status.ready = ready;
            status.pending_files = pending;
            status.unread_files = unread;
            status.changes = changes;
            status.recorded_files = verification.taken;
            status.unverified_files = verification.left();
            status.corrected_files = verification.corrected;
            status.segments = state.segment_count();
            status.memory = memory;
            status.stored_outlines = stored_outlines;
            tally.write(status);
            status.cache = cache.unwrap_or_default();
            status.is_parsed_ahead = is_parsed_ahead;
        });
    }
}
