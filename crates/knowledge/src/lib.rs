//! Past solutions of errors: what was recorded, and what of it is similar to an error. Holds the store, the
//! embedders and the removal of secrets; no protocol and no project.

mod best_rows;
pub mod chroma;
mod consent;
pub mod embedder;
pub mod lexical;
mod matrix;
mod query_text;
mod ranking;
pub mod redaction;
mod related;
mod shared_words;
pub mod solution;
pub mod sqlite;
pub mod store;
mod terms;
pub mod url_embedder;
mod waiting_call;
mod word_ranking;

pub use chroma::{ChromaServer, ChromaStore};
pub use embedder::{EmbedError, Embedder};
pub use lexical::LexicalEmbedder;
pub use redaction::{count_redacted, redact};
pub use solution::{InvalidSolution, Solution};
pub use sqlite::SqliteStore;
pub use store::{
    ImportedSolutions, SimilarSolution, SimilarSolutions, SolutionQuery, SolutionStore, StoreError,
};
pub use url_embedder::UrlEmbedder;
