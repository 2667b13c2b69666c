//! The requests of one connection that are being worked on: how many there may be, and how each is stopped.
//! Invariant: a request is in the table exactly as long as its [`Ticket`] lives.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use symd_base::Cancel;

/// How one request is stopped: a flag for synchronous work, a wake-up for its future.
#[derive(Debug, Default)]
pub struct Stop {
    flag: Cancel,
    woken: Notify,
}

impl Stop {
    /// Raises the flag and wakes the future that waits in [`Stop::stopped`].
    pub fn stop(&self) {
        self.flag.cancel();
        // Keeps a permit when nobody waits yet, so the wake-up cannot be lost.
        self.woken.notify_one();
    }

    /// The flag, for the work itself.
    pub fn flag(&self) -> Cancel {
        self.flag.clone()
    }

    /// Waits until the request is to be stopped. One waiter at a time.
    pub async fn stopped(&self) {
        self.woken.notified().await;
    }
}

/// All requests in flight on one connection.
#[derive(Debug)]
pub struct InFlight {
    limit: usize,
    open: Mutex<HashMap<String, Arc<Stop>>>,
    ended: Notify,
}

/// Why a request is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAdmitted {
    /// As many as may be are under way.
    Busy,
    /// One with this id is under way.
    Duplicate,
}

/// Holds a request's place. Dropping it frees the place and stops what still works for it.
#[derive(Debug)]
pub struct Ticket {
    key: String,
    table: Arc<InFlight>,
    /// How this request is stopped.
    pub stop: Arc<Stop>,
}

impl InFlight {
    /// A table with room for `limit` requests.
    pub fn new(limit: usize) -> Arc<InFlight> {
        Arc::new(InFlight { limit, open: Mutex::default(), ended: Notify::new() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Stop>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in request `id`.
    pub fn admit(self: &Arc<Self>, id: &Value) -> Result<Ticket, NotAdmitted> {
        let key = id.to_string();
        let mut open = self.open();
        if open.contains_key(&key) {
            return Err(NotAdmitted::Duplicate);
        }
        if open.len() >= self.limit {
            return Err(NotAdmitted::Busy);
        }
        let stop = Arc::new(Stop::default());
        open.insert(key.clone(), Arc::clone(&stop));
        Ok(Ticket { key, table: Arc::clone(self), stop })
    }

    /// Stops request `id`; one that is not under way is no error, its answer crossed the request to stop.
    pub fn stop(&self, id: &Value) {
        if let Some(stop) = self.open().get(&id.to_string()) {
            stop.stop();
        }
    }

    /// Stops everything, because nobody is left to be answered.
    pub fn stop_all(&self) {
        self.open().values().for_each(|stop| stop.stop());
    }

    /// Waits until nothing is under way.
    pub async fn idle(&self) {
        loop {
            // Listen before looking: a request that ends in between would be missed.
            let ended = self.ended.notified();
            if self.open().is_empty() {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop.flag.cancel();
        self.table.open().remove(&self.key);
        self.table.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_ticket_is_a_place() {
        let table = InFlight::new(2);
        let one = table.admit(&json!(1)).unwrap();
        assert_eq!(table.admit(&json!(1)).unwrap_err(), NotAdmitted::Duplicate);
        let text = table.admit(&json!("1")).unwrap();
        assert_eq!(table.admit(&json!(3)).unwrap_err(), NotAdmitted::Busy);
        table.stop(&json!(1));
        one.stop.stopped().await;
        assert!(one.stop.flag().is_cancelled() && !text.stop.flag().is_cancelled());
        drop(one);
        table.admit(&json!(1)).unwrap();
        drop(text);
        table.idle().await;
    }
}
