//! Accessors of properties.

/// What a language of a family that shares accessors declares, and what the others make of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AccessorForm {
    /// The family shares none.
    #[default]
    None,
    /// Properties, which the others reach through methods: `getSize`.
    Properties,
    /// Methods, which the others reach as properties: `size`.
    Methods,
}
