//! The vocabulary of `grammars/*/imports.scm`. These patterns run in one query with those of `symbols.scm`.
//! Invariant: a word that is not in the tables fails when the query is loaded, never when it runs.
//!
//! | capture | meaning |
//! |---|---|
//! | `@import` | the statement; binds a name in this file |
//! | `@export` | the statement; offers a name to other files |
//! | `@package` | alone in its pattern: the package of this file |
//! | `@import.module` | the module, quotes included or not |
//! | `@import.name` | the name that is imported from it |
//! | `@import.alias` | the name that it gets in this file |
//! | `@import.star` | a token that marks an import of all names |
//! | `@import.path` | module and name in one, as in Kotlin: the last component is the name, unless there is a star |
//! | `@import.tree` | the tree after Rust's `use` |
//! | `@import.list` | the list of the names that are imported, in braces. To match each name instead, tree-sitter would keep a match in progress for each, until the module comes behind them |
//! | `@_…` | for predicates only |
//!
//! | property | meaning |
//! |---|---|
//! | `star` | all names are imported |
//! | `name <name>`, `alias <name>` | a fixed name or alias where no node has it: `default` |

use tree_sitter::{CaptureQuantifier, Query};

use super::ImportKind;

/// The meaning of a pattern's matches: capture indices.
#[derive(Debug)]
pub(crate) struct ImportRole {
    pub(super) kind: ImportKind,
    pub(super) statement: u32,
    pub(super) module: Option<u32>,
    pub(super) name: Option<u32>,
    pub(super) alias: Option<u32>,
    pub(super) star: Option<u32>,
    pub(super) path: Option<u32>,
    pub(super) tree: Option<u32>,
    pub(super) list: Option<u32>,
    pub(super) always_star: bool,
    pub(super) fixed_name: Option<Box<str>>,
    pub(super) fixed_alias: Option<Box<str>>,
}

impl ImportRole {
    pub(crate) fn read(query: &Query, pattern: usize) -> Result<ImportRole, String> {
        let mut statement = None;
        let mut role = ImportRole {
            kind: ImportKind::Import,
            statement: 0,
            module: None,
            name: None,
            alias: None,
            star: None,
            path: None,
            tree: None,
            list: None,
            always_star: false,
            fixed_name: None,
            fixed_alias: None,
        };
        let quantifiers = query.capture_quantifiers(pattern);
        for (at, name) in query.capture_names().iter().enumerate() {
            if quantifiers.get(at).is_none_or(|quantifier| *quantifier == CaptureQuantifier::Zero) {
                continue;
            }
            let index = u32::try_from(at).unwrap_or(u32::MAX);
            let mut statement_of = |kind| {
                role.kind = kind;
                statement.replace(index).map_or(Ok(()), |_| Err("two captures name the statement".to_owned()))
            };
            match *name {
                "import" => statement_of(ImportKind::Import)?,
                "export" => statement_of(ImportKind::Export)?,
                "package" => statement_of(ImportKind::Package)?,
                "import.module" => role.module = Some(index),
                "import.name" => role.name = Some(index),
                "import.alias" => role.alias = Some(index),
                "import.star" => role.star = Some(index),
                "import.path" => role.path = Some(index),
                "import.tree" => role.tree = Some(index),
                "import.list" => role.list = Some(index),
                predicate if predicate.starts_with('_') => {}
                unknown => return Err(format!("unknown capture @{unknown}")),
            }
        }
        role.statement = statement.ok_or("no capture names the statement")?;
        for property in query.property_settings(pattern) {
            match (&*property.key, property.value.as_deref()) {
                ("star", None) => role.always_star = true,
                ("name", Some(name)) => role.fixed_name = Some(name.into()),
                ("alias", Some(alias)) => role.fixed_alias = Some(alias.into()),
                (key, value) => return Err(format!("unknown property {key} {value:?}")),
            }
        }
        let said = [role.module, role.path, role.tree].iter().flatten().count();
        let is_silent = matches!(role.kind, ImportKind::Package | ImportKind::Export);
        if said != 1 && !is_silent {
            return Err("one of @import.module, @import.path and @import.tree is needed".to_owned());
        }
        Ok(role)
    }
}
