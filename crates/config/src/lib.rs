//! Configuration: the known languages, project roots, trust, approvals and the user's settings. Reads symd's
//! own configuration, never the project's code.

pub mod approvals;
pub mod languages;
pub mod layers;
pub mod projects;
pub mod roots;
pub mod server;
pub mod settings;
pub mod trust;

pub use languages::{Language, LanguageId, Languages, VendoredRule};
pub use layers::{LanguagesError, LayerText, Loaded, Note};
pub use server::{LanguageServer, ServerUse};
pub use trust::Trust;
