//! The index against an index of the simplest kind: a list of everything.

mod model;
