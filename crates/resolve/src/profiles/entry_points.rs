//! Functions that are called without their names in the code, and annotations that do not make names known.

/// A function that a program's start, or a test runner, finds by its name.
#[derive(Debug)]
pub(crate) struct EntryPoint {
    name: &'static str,
    /// Whether longer names count too, unless a lowercase letter follows.
    is_prefix: bool,
    /// Whether it is a member of a type; otherwise it is at the top level.
    pub(crate) is_member: bool,
    /// Whether it is a method that an interface outside of the project asks for.
    pub(crate) is_of_interface: bool,
    /// The end of the paths of its files.
    pub(crate) file_end: &'static str,
    /// What finds it, as answers say it.
    pub(crate) reader: &'static str,
}

/// How a language annotates declarations, as far as that may make them known to others.
#[derive(Debug)]
pub(crate) struct AnnotationRules {
    pub(crate) form: AnnotationForm,
    /// The last names of annotations after which nothing but its name leads to a declaration.
    pub(crate) harmless: &'static [&'static str],
}

/// How annotations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnotationForm {
    None,
    /// `@name(…)`
    At,
    /// `[Name(…)]`
    Brackets,
    /// `#[name(…)]`
    Hash,
}

impl EntryPoint {
    pub(crate) const fn start(name: &'static str) -> EntryPoint {
        EntryPoint {
            name,
            is_prefix: false,
            is_member: false,
            is_of_interface: false,
            file_end: "",
            reader: "the program's start",
        }
    }

    pub(crate) const fn member(name: &'static str) -> EntryPoint {
        EntryPoint { is_member: true, ..EntryPoint::start(name) }
    }

    pub(crate) const fn read_by(name: &'static str, reader: &'static str) -> EntryPoint {
        EntryPoint { reader, ..EntryPoint::start(name) }
    }

    /// A method that an interface outside of the project asks for.
    pub(crate) const fn of_interface(name: &'static str, reader: &'static str) -> EntryPoint {
        EntryPoint { is_of_interface: true, ..EntryPoint::read_by(name, reader) }
    }

    /// A function that a test runner finds by the prefix of its name.
    pub(crate) const fn test(
        prefix: &'static str,
        file_end: &'static str,
        reader: &'static str,
    ) -> EntryPoint {
        EntryPoint { is_prefix: true, file_end, ..EntryPoint::read_by(prefix, reader) }
    }

    pub(crate) fn fits(&self, name: &str) -> bool {
        match name.strip_prefix(self.name) {
            Some("") => true,
            Some(rest) => self.is_prefix && !rest.starts_with(char::is_lowercase),
            None => false,
        }
    }
}

impl AnnotationRules {
    pub(crate) const NONE: AnnotationRules = AnnotationRules { form: AnnotationForm::None, harmless: &[] };

    pub(crate) const fn at(harmless: &'static [&'static str]) -> AnnotationRules {
        AnnotationRules { form: AnnotationForm::At, harmless }
    }
}
