//! How long symd waits for editors.

use std::time::Duration;

/// The times that questions and edits of open buffers keep; tests have shorter ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditorDeadlines {
    /// How long an editor that answers at once may take to do so, before it is asked for a change.
    pub greet: Duration,
    /// How long questions wait for a running editor that has not told its open files, once for each time that it connects.
    pub question: Duration,
    /// How long an edit waits for a running editor that has not told its open files since the daemon began. On a busy machine
    /// it notices late: its `symd lsp` looks for a daemon every 300 ms, and less often after several restarts.
    pub present: Duration,
    /// How long it waits if that editor is suspended: its user may not come back soon.
    pub suspended: Duration,
    /// How long editors may take to make a change and to tell it. Some ask their user first.
    pub change: Duration,
    /// How long an editor that says it made a change may take to tell the text.
    pub tell: Duration,
    /// How long editors may take to write buffers to their files.
    pub save: Duration,
    /// How long an edit that is made waits until editors have read its changed files again, by themselves or on request.
    pub reload: Duration,
    /// How long an edit waits while the one before it waits for an editor: that editor may be waiting for this
    /// very edit, through a program of which symd does not know that the editor runs it (format on save).
    pub turn: Duration,
}

impl Default for EditorDeadlines {
    fn default() -> EditorDeadlines {
        EditorDeadlines {
            greet: Duration::from_secs(3),
            question: Duration::from_secs(1),
            present: Duration::from_secs(15),
            suspended: Duration::from_secs(2),
            change: Duration::from_secs(20),
            tell: Duration::from_secs(3),
            save: Duration::from_secs(5),
            reload: Duration::from_secs(1),
            turn: Duration::from_secs(5),
        }
    }
}
