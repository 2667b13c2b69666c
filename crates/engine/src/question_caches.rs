//! What is kept from one question to the next, and can be made again at any time.

use std::sync::Arc;

use super::recent_parses::RecentParses;
use super::searches::Searches;

/// The caches. Cheap to clone; shared by the engine's task, its handles and the questions.
#[derive(Clone, Debug, Default)]
pub(super) struct QuestionCaches {
    pub(super) parses: RecentParses,
    pub(super) searches: Arc<Searches>,
}
