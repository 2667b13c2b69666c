//! What is configured rather than computed: the languages symd knows, where a project's root is, and the user's
//! settings. Reads symd's own configuration, never the project's code.

pub mod languages;
pub mod roots;
pub mod settings;

pub use languages::{Language, LanguageId, Languages, VendoredRule};
