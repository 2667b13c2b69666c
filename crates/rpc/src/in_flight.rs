//! The requests in flight on one connection: their limit, and how each is stopped. Invariant: a request is in
//! the table exactly as long as its [`Ticket`] lives.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use symd_base::Cancel;

/// A stop signal for one request: a flag for synchronous work, a wake-up for its future.
#[derive(Debug, Default)]
pub struct Stop {
    flag: Cancel,
    woken: Notify,
}

impl Stop {
    /// Raises the flag and wakes the future that waits in [`Stop::stopped`].
    pub fn stop(&self) {
        self.flag.cancel();
        // `notify_one` stores a permit if no one waits yet, so the wake-up cannot be lost.
        self.woken.notify_one();
    }

    /// Returns the flag for synchronous work.
    pub fn flag(&self) -> Cancel {
        self.flag.clone()
    }

    /// Waits until the request is stopped. Only one waiter at a time.
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

/// Why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAdmitted {
    /// The limit of requests in flight is reached.
    Busy,
    /// A request with the same id is in flight.
    Duplicate,
}

/// A request's entry in the table. Dropping it removes the entry and cancels the request's remaining work.
#[derive(Debug)]
pub struct Ticket {
    key: String,
    table: Arc<InFlight>,
    /// The stop signal of this request.
    pub stop: Arc<Stop>,
}

impl InFlight {
    /// Creates a table for at most `limit` requests.
    pub fn new(limit: usize) -> Arc<InFlight> {
        Arc::new(InFlight { limit, open: Mutex::default(), ended: Notify::new() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Stop>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds request `id` to the table.
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

    /// Stops request `id`. Ignores an unknown id: its response may have crossed the cancellation.
    pub fn stop(&self, id: &Value) {
        if let Some(stop) = self.open().get(&id.to_string()) {
            stop.stop();
        }
    }

    /// Stops all requests, because the client is gone.
    pub fn stop_all(&self) {
        self.open().values().for_each(|stop| stop.stop());
    }

    /// Waits until no request is in flight.
    pub async fn idle(&self) {
        loop {
            // Subscribes before checking: a request that ends in between would be missed.
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
