//! What is true of JavaScript and TypeScript alone: modules, exports, keys, strings, hazards of a rename.

pub(crate) mod augmentation;
pub(crate) mod commonjs;
pub(crate) mod hazards;
pub(crate) mod importers;
pub(crate) mod member_keys;
pub(crate) mod module_calls;
pub(crate) mod plain_strings;
pub(crate) mod renamed_exports;
