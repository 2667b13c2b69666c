//! What is true of Kotlin alone: its files as `types` asks for them, what its names mean, operators, links in documentation, modules of
//! Gradle.

pub(crate) mod alias_uses;
pub(crate) mod code;
pub(crate) mod companion_uses;
pub(crate) mod delegates;
pub(crate) mod edited;
pub(crate) mod edits;
pub(crate) mod gradle;
pub(crate) mod hazards;
pub(crate) mod java_types;
pub(crate) mod kdoc_links;
pub(crate) mod library;
pub(crate) mod local_symbols;
pub(crate) mod locals;
pub(crate) mod names;
pub(crate) mod operator_signs;
pub(crate) mod operator_uses;
pub(crate) mod package_line;
pub(crate) mod project;
pub(crate) mod state;
mod text_files;
