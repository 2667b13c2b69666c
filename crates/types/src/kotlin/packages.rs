//! Comparison of package names, name by name.

/// How many of a package's names code generated for it shares at least: `com.example.app` of
/// `com.example.app.databinding.MainBinding`.
pub const SHARED_NAMES: usize = 3;

/// Returns whether a package is `outer` or one of its subpackages.
pub fn is_within_package(package: &str, outer: &str) -> bool {
    package.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns whether a qualified name begins with the first names of a package. The project of the package, and
/// code generated for it, declare no other names.
pub fn shares_package_root(qualified: &str, package: &str) -> bool {
    let mut names = qualified.split('.');
    package.split('.').take(SHARED_NAMES).all(|name| names.next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_lies_within_itself_and_those_around_it() {
        assert!(is_within_package("a.b", "a.b"));
        assert!(is_within_package("a.b.c", "a.b"));
        assert!(!is_within_package("a.bc", "a.b"));
        assert!(!is_within_package("a", "a.b"));
    }

    #[test]
    fn generated_code_shares_the_first_names_of_a_package() {
        assert!(shares_package_root("com.example.app.databinding.MainBinding", "com.example.app.ui.home"));
        assert!(shares_package_root("shop.Book", "shop"));
        assert!(!shares_package_root("com.example.other.Book", "com.example.app"));
        assert!(!shares_package_root("com.example", "com.example.app"));
        assert!(!shares_package_root("shopping.Book", "shop"));
    }
}
