//! Compares the index with one of the simplest kind: a list of everything.

mod model;
mod words;
