//! Questions that were sent to a client as a result, while editors show them too: the client's answer arrives with the repeated
//! call. Invariant: an editor's answer counts once, for the call that was repeated with the question's number.

use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::ask::ApprovalAnswer;
use super::in_editors::EditorsQuestion;

/// When editors are asked a question that was sent as a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorsAsked {
    AtOnce,
    /// When the client asks whether they have answered: it knows what to do then.
    OnRequest,
}

/// What editors have said so far.
#[derive(Clone, Debug, PartialEq, Eq)]
enum EditorsWord {
    Awaited,
    Answered(ApprovalAnswer),
    /// No editor shows the question (any longer).
    Nothing,
}

/// A question in editors. Dropping it withdraws it.
#[derive(Debug)]
pub(super) struct DeferredQuestion {
    word: watch::Receiver<EditorsWord>,
    begin: Option<oneshot::Sender<()>>,
    asking: JoinHandle<()>,
}

impl DeferredQuestion {
    pub(super) fn new(
        mut question: EditorsQuestion,
        deadline: Instant,
        asked: EditorsAsked,
    ) -> DeferredQuestion {
        let (tell, word) = watch::channel(EditorsWord::Awaited);
        let (begin, is_begun) = oneshot::channel();
        let asking = tokio::spawn(async move {
            if asked == EditorsAsked::OnRequest && is_begun.await.is_err() {
                return;
            }
            let answer = tokio::time::timeout_at(deadline, question.answer()).await;
            tell.send_replace(answer.ok().flatten().map_or(EditorsWord::Nothing, EditorsWord::Answered));
        });
        DeferredQuestion { word, begin: Some(begin), asking }
    }

    /// Asks the editors, if that was not done; the returned value waits for their answer.
    pub(super) fn ask(&mut self) -> EditorsAnswered {
        if let Some(begin) = self.begin.take() {
            // They were asked at once.
            let _ = begin.send(());
        }
        EditorsAnswered(self.word.clone())
    }

    /// Returns the editors' answer, if there is one.
    pub(super) fn answer(&self) -> Option<ApprovalAnswer> {
        match &*self.word.borrow() {
            EditorsWord::Answered(answer) => Some(answer.clone()),
            EditorsWord::Awaited | EditorsWord::Nothing => None,
        }
    }
}

impl Drop for DeferredQuestion {
    fn drop(&mut self) {
        self.asking.abort();
    }
}

/// The wait for an editor's answer.
#[derive(Debug)]
pub(crate) struct EditorsAnswered(watch::Receiver<EditorsWord>);

impl EditorsAnswered {
    /// Waits; false if none comes any more, because the client has answered, or no editor can.
    pub(crate) async fn wait(mut self) -> bool {
        let word = self.0.wait_for(|word| *word != EditorsWord::Awaited).await;
        word.is_ok_and(|word| matches!(*word, EditorsWord::Answered(_)))
    }
}
