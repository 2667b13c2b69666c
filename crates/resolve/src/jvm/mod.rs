//! Java, and what Java and Kotlin see of each other.

pub(crate) mod accessors;
pub(crate) mod hazards;
pub(crate) mod java_values;
pub(crate) mod javadoc_links;
pub(crate) mod names;
