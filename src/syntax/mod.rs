//! From text to outline: grammars, their queries, the tree of symbols in a file, name paths. Pure: text in,
//! values out. Knows neither files nor the index.

pub mod kind;
pub mod outline;

pub use kind::SymbolKind;
pub use outline::{Outline, Row};
