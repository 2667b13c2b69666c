//! Classes and their inheritance in every language: heads, bases, members, overrides.

pub(crate) mod assigned_attributes;
pub(crate) mod bases;
pub(crate) mod classes;
pub(crate) mod graph;
pub(crate) mod graph_by_need;
pub(crate) mod heads;
pub(crate) mod inheritance;
pub(crate) mod inherited;
pub(crate) mod inherited_overloads;
pub(crate) mod kin_uses;
pub(crate) mod overrides;
pub(crate) mod signature;
pub(crate) mod structural;
pub(crate) mod subclasses;
pub(crate) mod type_links;
