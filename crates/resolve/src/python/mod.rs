//! What is true of Python alone: bases, objects and names that a program computes, fixtures, keywords, hazards of a rename.

pub(crate) mod base_reader;
pub(crate) mod builtin_classes;
pub(crate) mod code_strings;
pub(crate) mod comprehension;
pub(crate) mod computed_classes;
pub(crate) mod computed_names;
pub(crate) mod dynamic_classes;
pub(crate) mod dynamic_receivers;
pub(crate) mod field_readers;
pub(crate) mod fixture_uses;
pub(crate) mod fixtures;
pub(crate) mod forwarded_keywords;
pub(crate) mod function_values;
pub(crate) mod hazards;
pub(crate) mod keyword_uses;
pub(crate) mod keywords;
pub(crate) mod locals;
pub(crate) mod mirrored_calls;
pub(crate) mod named_output;
pub(crate) mod outside;
pub(crate) mod parameter_readers;
pub(crate) mod parameters;
pub(crate) mod reached_unnamed;
pub(crate) mod registered;
pub(crate) mod stand_ins;
pub(crate) mod string_names;
