//! Runs several questions concurrently. Invariant: the answers are in the order of the questions.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// One question, and its answer once it is available.
type JoinedFuture<F> = (Pin<Box<F>>, Option<<F as Future>::Output>);

/// Returns the answers of `questions`, which run concurrently; dropping the future drops them all.
pub(super) async fn all_of<F: Future>(questions: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<JoinedFuture<F>> = questions.into_iter().map(|one| (Box::pin(one), None)).collect();
    poll_fn(|context| {
        let mut is_done = true;
        for (question, answer) in running.iter_mut().filter(|(_, answer)| answer.is_none()) {
            match question.as_mut().poll(context) {
                Poll::Ready(came) => *answer = Some(came),
                Poll::Pending => is_done = false,
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Barrier;

    #[tokio::test]
    async fn all_are_under_way_at_once_and_answers_keep_their_order() {
        let barrier = Arc::new(Barrier::new(5));
        let question = |number: usize| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                number
            }
        };
        assert_eq!(all_of((0..5).map(question)).await, [0, 1, 2, 3, 4]);
        assert!(all_of(std::iter::empty::<std::future::Ready<()>>()).await.is_empty());
    }
}
