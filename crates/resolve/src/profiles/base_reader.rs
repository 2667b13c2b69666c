//! Classes of libraries that find the members of their subclasses by the beginnings of names.

/// A class outside the project that calls those members of its subclasses whose names begin in some way.
#[derive(Debug)]
pub(crate) struct BaseReader {
    /// Its full name.
    pub(crate) base: &'static str,
    pub(crate) prefixes: &'static [&'static str],
    /// Whether it takes every member with the prefix alike; otherwise the rest of the name tells when it is called.
    pub(crate) takes_any: bool,
}

impl BaseReader {
    /// A class that chooses members by the whole name: `visit_` and the name of a node.
    pub(crate) const fn by_name(base: &'static str, prefixes: &'static [&'static str]) -> BaseReader {
        BaseReader { base, prefixes, takes_any: false }
    }

    /// Whether it finds a member by `name`, and would not, or for another purpose, by `new_name`; `None` for no name.
    pub(crate) fn loses(&self, name: &str, new_name: Option<&str>) -> bool {
        let begins = |prefix: &&str| {
            let keeps = |new_name: &str| self.takes_any && new_name.starts_with(*prefix);
            name.starts_with(*prefix) && !new_name.is_some_and(keeps)
        };
        self.prefixes.iter().any(begins)
    }
}
