//! The members that classes of Python's builtins and standard library declare, by name: generated from
//! CPython by `grammars/python/classes.py`. All other classes are unknown. Names between double underscores
//! are not listed.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::library_members::MemberLookup;

/// The generated table; the script explains its format.
const TABLE: &str = include_str!("../../../../grammars/python/classes.txt");

struct Listed {
    bases: &'static str,
    names: &'static str,
}

struct Table {
    classes: HashMap<&'static str, Listed>,
    aliases: HashMap<&'static str, &'static str>,
}

fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| {
        let mut table = Table { classes: HashMap::new(), aliases: HashMap::new() };
        for line in TABLE.lines() {
            if let Some((alias, class)) = line.split_once(" = ") {
                table.aliases.insert(alias, class);
                continue;
            }
            let mut fields = line.split('\t');
            let class = fields.next().unwrap_or("");
            let (bases, names) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
            table.classes.insert(class, Listed { bases, names });
        }
        table
    })
}

/// Looks up whether the class called `class` (`threading.Thread`, `builtins.dict`) has a member `name`, own
/// or inherited.
pub(crate) fn lookup_member(class: &str, name: &str) -> MemberLookup {
    let class = class.strip_prefix("builtins.").unwrap_or(class);
    let renamed = class.strip_prefix("typing_extensions.").map(|rest| format!("typing.{rest}"));
    let class = renamed.as_deref().unwrap_or(class);
    if class == "object" {
        return MemberLookup::No;
    }
    let table = table();
    let mut open = vec![*table.aliases.get(class).unwrap_or(&class)];
    let mut at = 0;
    while let Some(&class) = open.get(at) {
        let Some(listed) = table.classes.get(class) else { return MemberLookup::Unknown };
        if listed.names.split(' ').any(|listed| listed == name) {
            return MemberLookup::Yes(class.to_owned());
        }
        let bases = listed.bases.split(' ').filter(|base| !base.is_empty());
        let new: Vec<&str> = bases.filter(|base| !open.contains(base)).collect();
        open.extend(new);
        at += 1;
    }
    MemberLookup::No
}

/// Whether the class called `class` is the one called `base`, or inherits from it, as far as the table tells.
pub(crate) fn inherits(class: &str, base: &str) -> bool {
    let table = table();
    let named = |class: &'static str| *table.aliases.get(class).unwrap_or(&class);
    let known = |name: &str| {
        let alias = table.aliases.get(name).copied();
        alias.or_else(|| table.classes.get_key_value(name).map(|(class, _)| *class))
    };
    let (Some(class), Some(base)) = (known(class), known(base)) else { return class == base };
    let mut open = vec![class];
    let mut at = 0;
    while let Some(&class) = open.get(at) {
        if class == base {
            return true;
        }
        let bases = table.classes.get(class).map_or("", |listed| listed.bases).split(' ');
        let new: Vec<&str> = bases.filter(|base| !base.is_empty()).map(named).collect();
        open.extend(new.into_iter().filter(|base| !open.contains(base)).collect::<Vec<_>>());
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(class: &str, name: &str, expected: &str) {
        let said = match lookup_member(class, name) {
            MemberLookup::Yes(class) => class,
            MemberLookup::No => "no".to_owned(),
            MemberLookup::Unknown => "unknown".to_owned(),
        };
        assert_eq!(said, expected, "{class}.{name}");
    }

    #[test]
    fn classes_inherit_as_the_table_says() {
        assert!(inherits("ast.NodeTransformer", "ast.NodeVisitor"));
        assert!(inherits("doctest.DocTestCase", "unittest.TestCase"));
        assert!(inherits("unittest.TestCase", "unittest.TestCase"));
        assert!(!inherits("ast.NodeVisitor", "ast.NodeTransformer") && !inherits("x.Y", "cmd.Cmd"));
    }

    #[test]
    fn the_standard_library_is_known_by_its_public_names() {
        check("threading.Thread", "run", "threading.Thread");
        check("threading.Thread", "work", "no");
        check("builtins.dict", "get", "dict");
        check("builtins.Exception", "with_traceback", "BaseException");
        check("builtins.object", "run", "no");
        check("unittest.TestCase", "setUp", "unittest.case.TestCase");
        check("logging.StreamHandler", "handle", "logging.Handler");
        check("json.JSONEncoder", "default", "json.encoder.JSONEncoder");
        check("collections.OrderedDict", "keys", "collections.OrderedDict");
        check("typing.Protocol", "run", "no");
        check("typing_extensions.Protocol", "run", "no");
        check("typing.Dict", "update", "dict");
        check("abc.ABC", "run", "no");
        // An attribute that is only assigned to `self`.
        check("socketserver.TCPServer", "server_address", "socketserver.TCPServer");
        check("werkzeug.test.Client", "open", "unknown");
    }

    #[test]
    fn every_base_and_alias_of_the_table_is_in_it() {
        let table = table();
        assert!(table.classes.len() > 1000, "{}", table.classes.len());
        let bases = table.classes.values().flat_map(|listed| listed.bases.split(' '));
        for class in bases.filter(|base| !base.is_empty()).chain(table.aliases.values().copied()) {
            assert!(table.classes.contains_key(class), "{class}");
        }
    }
}
