//! How values of a type are written.

/// How code of a language gives the fields of a new value, where it does so by their positions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldValues {
    /// By names, or by parameters that a constructor declares.
    Named,
    /// Behind the type, `Point{1, 2}`, or all of them by names.
    Braces,
    /// Behind what is declared, `struct point p = {1, 2};`, from the first field on.
    Initializers,
    /// As arguments of a constructor, for classes whose fields are its parameters.
    Arguments(&'static FieldParameters),
}

/// What says of a class that its fields are the parameters of its constructor, in their order.
#[derive(Debug)]
pub(crate) struct FieldParameters {
    /// The last names of its decorators.
    pub(crate) decorators: &'static [&'static str],
    /// The last names of its bases, which make its values tuples.
    pub(crate) bases: &'static [&'static str],
    /// Arguments of a decorator, without white space, with which the constructor takes no fields by position.
    pub(crate) named_only: &'static [&'static str],
    /// What stands in the declaration of a field, without white space, that the constructor does not take by position.
    pub(crate) not_taken: &'static [&'static str],
}
