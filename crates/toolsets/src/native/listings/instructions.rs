//! The MCP instructions of each listing. They direct a model: the order of work, what to use instead of text
//! search and whole files, what the last line of an answer means and what to do then.

/// The part that the instructions of all short listings share: how far to trust an answer, what edits do, and
/// the parameters of all tools.
macro_rules! shared {
    () => {
        "The last line of an answer says how far to trust it. complete: nothing is missing. unchecked, lines marked `?`: \
         the name stands there, the receiver is unknown; settle them with definition before you rely on them. possible: \
         perhaps uses (text, reflection, another language, or not told by the server); read them before you remove. \
         incomplete: something was left out; it says what, and what to ask for. After a refusal nothing has changed; its \
         text says what to do.\n\
         Edits are made whole or not at all, refused where a file changed since you read it (read it again), tell the new \
         errors, and undo takes them back.\n\
         Lines count from 1, paths from the root. Every tool also takes limit (characters, default 20000), format: \
         \"json\" and wait: \"ready\" (for a starting language server); every edit dry_run, expect (file revision), force."
    };
}

/// The instructions of `native`.
pub(super) const NATIVE: &str = concat!(
    "symd knows every symbol of this project, as of the last finished write. Order of work: overview of a file or \
     directory → explore the symbol you work on (find_symbol for a declaration alone) → references, or impact where users may \
     be many, before you change or remove it → edit by symbol (replace_symbol_body, insert_symbol, rename, safe_delete; \
     apply_patch for several places) → diagnostics, and the tests that impact names.\n\
     Instead of grep for a name: find_symbol, references. Instead of reading a whole file: overview, then find_symbol with \
     body. search is for text, configuration. Several symbols at once: name_path takes a list.\n",
    shared!()
);

/// The instructions of `coding-agent`, for clients that search, read and edit text themselves.
pub(super) const CODING_AGENT: &str = concat!(
    "symd knows every symbol of this project, as of the last finished write. Order of work: overview of a file or \
     directory → explore the symbol you work on (find_symbol for a declaration alone) → references, or impact where users may \
     be many, before you change or remove it → edit by symbol (replace_symbol_body, insert_symbol, rename, safe_delete) → \
     diagnostics, and the tests that impact names.\n\
     Use your own tools for text search, other files and plain text edits. Instead of grep for a name: find_symbol, \
     references. Instead of reading a whole file: overview, then find_symbol with body. Several symbols at once: name_path \
     takes a list.\n",
    shared!()
);

/// The instructions of `debugging`.
pub(super) const DEBUGGING: &str = concat!(
    "symd knows every symbol of this project, as of the last finished write. Order of work: investigate the error's whole \
     text, or the lines that it names (read_file, definition) → explore the symbol, or references with relation: callers, to the cause → history for what was \
     edited last → impact before you change it → edit by symbol (replace_symbol_body, insert_symbol; apply_patch for several places) → diagnostics.\n\
     Instead of grep for a name: find_symbol, references; search is for messages and configuration. Instead of reading a \
     whole file: overview, then find_symbol with body. name_path takes a list.\n",
    shared!()
);

/// The instructions of `native_full`, with the names of its tools.
pub(in super::super) const FULL: &str = "symd keeps every symbol of this project indexed, fresh to the last finished write. To get to know a \
    file use get_symbols_overview; to find a class, function or variable anywhere use find_symbol with a name path \
    (`name`, `Class/method`, `/top_level`), with include_body for its source; to see where it is used, \
    find_referencing_symbols or find_callers; to see what a name on a line means, find_definition or hover; \
    search_for_pattern searches text. To change code use replace_symbol_body, insert_after_symbol and their like, \
    or apply_patch; every edit is applied whole or not at all, is refused where a file changed since you read it, \
    and can be undone; dry_run shows its diff first. \
    Lines are 1-based, paths relative to the project root. The last line of an answer says what was counted, how \
    the answer was made, and whether it is complete; when something was left out it says \
    how to ask for less.";
