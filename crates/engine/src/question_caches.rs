//! What is kept from one question to the next, and can be made again at any time. Invariant: parses and texts
//! together take no more than the budget, what is known of Kotlin files a sixteenth of it for each thread, and the
//! graphs of classes a sixteenth.

use std::sync::Arc;

use super::cache_budget::CacheBudget;
use super::kept_classes::KeptClasses;
use super::kept_kotlin::KeptKotlin;
use super::kept_plain::KeptPlain;
use super::operator_facts::KeptOperatorFacts;
use super::recent_parses::RecentParses;
use super::searches::Searches;

/// The caches. Cheap to clone; shared by the engine's task, its handles and the questions.
#[derive(Clone, Debug)]
pub(super) struct QuestionCaches {
    pub(super) budget: Arc<CacheBudget>,
    pub(super) parses: RecentParses,
    pub(super) searches: Arc<Searches>,
    pub(super) kotlin: KeptKotlin,
    pub(super) classes: KeptClasses,
    pub(super) operators: KeptOperatorFacts,
    pub(super) plain: KeptPlain,
}

impl QuestionCaches {
    /// Returns empty caches that may take this many bytes.
    pub(super) fn new(limit: usize) -> QuestionCaches {
        let budget = Arc::new(CacheBudget::new(limit));
        let parses = RecentParses::new(budget.clone());
        let searches = Arc::new(Searches::new(budget.clone()));
        let kotlin = KeptKotlin::new(budget.clone());
        let classes = KeptClasses::new(budget.clone());
        let operators = KeptOperatorFacts::default();
        let plain = KeptPlain::default();
        QuestionCaches { budget, parses, searches, kotlin, classes, operators, plain }
    }

    /// Lets go of what the budget has no room for any more.
    pub(super) fn trim(&self) {
        self.searches.trim();
        self.parses.trim();
    }

    /// Lets go of everything that takes much memory.
    pub(super) fn let_go(&self) {
        self.searches.forget_texts();
        self.parses.clear();
        self.kotlin.clear();
        self.classes.clear();
        self.operators.clear();
        self.plain.clear();
    }
}
