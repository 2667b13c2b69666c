//! Calls that set variables which strings name: `setattr(shop, "till", x)`, `patch("shop.till", x)`, `patch.multiple(shop, till=x)`,
//! `patch.dict(shop.__dict__, {"till": x})`.

use super::values::held_by;
use crate::context::is_word;
use crate::hierarchy::heads::{arguments_of, without_texts};
use crate::profiles::PYTHON;

/// Functions of `mock.patch` that set what a string or a keyword names.
pub(super) const SETTERS_OF_PATCH: [&str; 3] = ["object", "multiple", "dict"];

/// Keywords of these functions that name no attribute.
const OPTIONS: [&str; 8] =
    ["target", "in_dict", "spec", "create", "spec_set", "autospec", "new_callable", "clear"];

/// A variable that a call sets.
pub(in crate::python) struct SetByString<'t> {
    /// The module before the name; `None` where a string holds it: `"shop.till"`.
    pub(in crate::python) module: Option<&'t str>,
    /// The string that holds the module, and the name too where the function takes both at once.
    pub(in crate::python) path: Option<&'t str>,
    pub(in crate::python) variable: String,
    /// Each alternative of what it is set to.
    pub(in crate::python) values: Vec<String>,
}

impl<'t> SetByString<'t> {
    /// Returns what a call sets of `setattr`, `setitem`, `patch` or a function of `patch`.
    pub(super) fn all(setter: &str, arguments: &[&'t str]) -> Vec<SetByString<'t>> {
        let given = GivenArguments::of(arguments);
        match setter {
            "setattr" | "patch" | "object" => SetByString::named(&given).into_iter().collect(),
            "multiple" => SetByString::multiple(&given),
            "dict" => SetByString::in_dict(&given),
            "setitem" => SetByString::item(&given).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Of what stands for the module: an expression, or a string.
    fn new(target: &'t str, variable: &str, value: &str) -> SetByString<'t> {
        let path = path_in_string(target);
        let module = path.is_none().then_some(target.trim());
        let values = held_by(&without_texts(value, &PYTHON));
        SetByString { module, path, variable: variable.to_owned(), values }
    }

    /// Reads the arguments of `setattr`, `patch` and `patch.object`.
    fn named(given: &GivenArguments<'t>) -> Option<SetByString<'t>> {
        let target = given.at(0, &["target"])?;
        let new = |at: usize| given.at(at, &["new", "new_callable", "value"]);
        if let Some(path) = path_in_string(target) {
            // `monkeypatch.setattr(target="shop.till", name=x)`.
            let value = new(1).or_else(|| given.at(1, &["name"]))?;
            return Some(SetByString::new(target, path.rsplit_once('.')?.1, value));
        }
        let variable = path_in_string(given.at(1, &["name", "attribute"])?)?;
        (!variable.contains('.')).then_some(())?;
        Some(SetByString::new(target, variable, new(2)?))
    }

    /// Reads the arguments of `patch.multiple`: `shop, till=x`, `"shop", **{"till": x}`.
    fn multiple(given: &GivenArguments<'t>) -> Vec<SetByString<'t>> {
        let Some(target) = given.at(0, &["target"]) else { return Vec::new() };
        given.attributes().map(|(name, value)| SetByString::new(target, &name, &value)).collect()
    }

    /// Reads the arguments of `patch.dict`: `shop.__dict__, {"till": x}`.
    fn in_dict(given: &GivenArguments<'t>) -> Vec<SetByString<'t>> {
        let Some(target) = given.at(0, &["in_dict"]) else { return Vec::new() };
        let Some(module) = dict_of(target) else { return Vec::new() };
        let values = given.at(1, &["values"]).map(pairs).unwrap_or_default();
        let all = values.into_iter().chain(given.attributes().filter(|(name, _)| name != "values"));
        all.map(|(name, value)| SetByString::new(module, &name, &value)).collect()
    }

    /// Reads the arguments of `monkeypatch.setitem`: `shop.__dict__, "till", x`.
    fn item(given: &GivenArguments<'t>) -> Option<SetByString<'t>> {
        let module = dict_of(given.at(0, &["dic"])?)?;
        let variable = path_in_string(given.at(1, &["name"])?)?;
        Some(SetByString::new(module, variable, given.at(2, &["value"])?))
    }
}

/// The arguments of a call.
pub(in crate::python) struct GivenArguments<'t> {
    pub(in crate::python) positional: Vec<&'t str>,
    keywords: Vec<(&'t str, &'t str)>,
    /// Dictionaries of keywords: `**{…}`.
    spread: Vec<&'t str>,
}

impl<'t> GivenArguments<'t> {
    pub(in crate::python) fn of(arguments: &[&'t str]) -> GivenArguments<'t> {
        let mut given = GivenArguments { positional: Vec::new(), keywords: Vec::new(), spread: Vec::new() };
        for one in arguments {
            let keyword =
                one.split_once('=').map(|(name, value)| (name.trim(), value)).filter(|(name, value)| {
                    !name.is_empty() && name.chars().all(is_word) && !value.starts_with('=')
                });
            match (keyword, one.trim().strip_prefix("**")) {
                (Some(keyword), _) => given.keywords.push(keyword),
                (None, Some(dictionary)) => given.spread.push(dictionary),
                (None, None) => given.positional.push(one),
            }
        }
        given
    }

    /// Returns the argument at a place, or that of one of these keywords.
    pub(in crate::python) fn at(&self, place: usize, names: &[&str]) -> Option<&'t str> {
        let named = || self.keywords.iter().find(|(name, _)| names.contains(name)).map(|(_, value)| *value);
        self.positional.get(place).copied().or_else(named)
    }

    /// Returns the keywords that are no options of the function, with their values.
    fn attributes(&self) -> impl Iterator<Item = (String, String)> {
        let keywords = self.keywords.iter().filter(|(name, _)| !OPTIONS.contains(name));
        let keywords = keywords.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        keywords.chain(self.spread.iter().flat_map(|dictionary| pairs(dictionary)))
    }
}

/// Returns the names and values of `{"till": x}` and `dict(till=x)`.
fn pairs(dictionary: &str) -> Vec<(String, String)> {
    let dictionary = dictionary.trim();
    if let Some(call) = dictionary.strip_prefix("dict") {
        let arguments = arguments_of(call.trim_start()).unwrap_or_default();
        let keywords = GivenArguments::of(&arguments).keywords;
        return keywords.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    }
    let Some(inner) = dictionary.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return Vec::new();
    };
    let call = format!("({inner})");
    let pair = |one: &str| {
        let (name, value) = one.split_once(':')?;
        Some((path_in_string(name)?.to_owned(), value.to_owned()))
    };
    arguments_of(&call).unwrap_or_default().into_iter().filter_map(pair).collect()
}

/// Returns the module of whose names an expression is the dictionary, or the string that holds it: `shop` of `shop.__dict__` and of
/// `vars(shop)`, all of `"shop.__dict__"`.
fn dict_of(expression: &str) -> Option<&str> {
    let expression = expression.trim();
    if path_in_string(expression).is_some_and(|path| path.ends_with(".__dict__")) {
        return Some(expression);
    }
    let of_call = || expression.strip_prefix("vars(")?.strip_suffix(')');
    Some(expression.strip_suffix(".__dict__").or_else(of_call)?.trim())
}

/// Returns the names, joined by dots, of which a string consists.
pub(super) fn path_in_string(argument: &str) -> Option<&str> {
    // Of an f-string, too: there is nothing to fill in.
    let argument = argument.trim().trim_start_matches(['f', 'F', 'r', 'R', 'u', 'U']);
    let quote = argument.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let path = argument.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_path =
        !path.is_empty() && path.split('.').all(|part| !part.is_empty() && part.chars().all(is_word));
    is_path.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_strings_name() {
        let one = Some;
        for (call, expected) in [
            ("setattr(shop, \"till\", Fake())", one((Some("shop"), "till", "Fake()"))),
            ("patch('pkg.shop.till', new=Fake())", one((None, "till", "Fake()"))),
            ("object(shop, 'till', new_callable=Fake)", one((Some("shop"), "till", "Fake"))),
            ("setattr(shop, f\"till\", Fake())", one((Some("shop"), "till", "Fake()"))),
            ("patch(target=\"shop.till\", new=Fake())", one((None, "till", "Fake()"))),
            ("setattr(target=shop, name='till', value=Fake())", one((Some("shop"), "till", "Fake()"))),
            ("setattr(target='shop.till', name=Fake())", one((None, "till", "Fake()"))),
            ("object(target=shop, attribute='till', new=x)", one((Some("shop"), "till", "x"))),
            ("multiple(\"shop\", till=Fake())", one((None, "till", "Fake()"))),
            ("multiple(shop, create=True, till=Fake())", one((Some("shop"), "till", "Fake()"))),
            ("multiple(target=shop, **{'till': Fake()})", one((Some("shop"), "till", "Fake()"))),
            ("dict(shop.__dict__, {'till': Fake()})", one((Some("shop"), "till", "Fake()"))),
            ("dict('shop.__dict__', till=Fake())", one((None, "till", "Fake()"))),
            ("dict(vars(shop), values=dict(till=Fake()))", one((Some("shop"), "till", "Fake()"))),
            ("setitem(shop.__dict__, 'till', Fake())", one((Some("shop"), "till", "Fake()"))),
            ("dict(os.environ, {'till': 'x'})", None),
            ("setattr(shop, f\"{till}\", Fake())", None),
            ("object(shop, 'till', autospec=True)", None),
            ("patch('till', Fake())", None),
            ("setattr(shop, name, Fake())", None),
            ("object(shop, 'till')", None),
            ("patch()", None),
        ] {
            let (setter, rest) = call.split_at(call.find('(').unwrap());
            let named = arguments_of(rest).map(|all| SetByString::all(setter, &all)).unwrap();
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(module, variable, value)| (module, variable.to_owned(), vec![value.to_owned()]))
                .collect();
            let named: Vec<_> = named.into_iter().map(|one| (one.module, one.variable, one.values)).collect();
            assert_eq!(named, expected, "{call}");
        }
    }
}
