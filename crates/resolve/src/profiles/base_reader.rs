//! Classes of libraries that find the members of their subclasses by names or their beginnings.

/// A class outside the project that calls those members of its subclasses that have some names, or whose names begin in some way.
#[derive(Debug)]
pub(crate) struct BaseReader {
    /// Its full name.
    pub(crate) base: &'static str,
    pub(crate) prefixes: &'static [&'static str],
    /// Whole names.
    pub(crate) names: &'static [&'static str],
    /// Whether it takes every member with the prefix alike; otherwise the rest of the name tells when it is called.
    pub(crate) takes_any: bool,
}

impl BaseReader {
    /// A class that chooses members by the whole name: `visit_` and the name of a node.
    pub(crate) const fn by_name(base: &'static str, prefixes: &'static [&'static str]) -> BaseReader {
        BaseReader { base, prefixes, names: &[], takes_any: false }
    }

    /// A class that calls the members of these names, and no others.
    pub(crate) const fn of_names(base: &'static str, names: &'static [&'static str]) -> BaseReader {
        BaseReader { base, prefixes: &[], names, takes_any: false }
    }

    /// Whether it finds a member by `name`, and would not, or for another purpose, by `new_name`; `None` for no name.
    pub(crate) fn loses(&self, name: &str, new_name: Option<&str>) -> bool {
        let begins = |prefix: &&str| {
            let keeps = |new_name: &str| self.takes_any && new_name.starts_with(*prefix);
            name.starts_with(*prefix) && !new_name.is_some_and(keeps)
        };
        self.names.contains(&name) || self.prefixes.iter().any(begins)
    }
}
