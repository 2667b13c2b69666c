//! Java, and what Java and Kotlin see of each other.

pub(crate) mod accessors;
pub(crate) mod java_values;
pub(crate) mod names;
