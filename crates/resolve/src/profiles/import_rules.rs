//! What imports bind, and where modules are.

/// What imports bind in a family of languages, and where the modules are.
#[derive(Debug)]
pub(crate) struct ImportRules {
    /// How a module is found.
    pub(crate) lookup: ModuleLookup,
    /// What a module that is not found means.
    pub(crate) unfound: UnfoundModule,
    /// Whether only build files say where some modules are: packages of JavaScript, crates of Rust. An import
    /// from one that is not found may mean the project's.
    pub(crate) needs_build_files: bool,
    /// Modules outside every project: the crates of Rust's standard library.
    pub(crate) standard: &'static [&'static str],
    /// What an import of a whole module binds, if it gives no other name.
    pub(crate) path_binds: PathBinding,
    /// Which imports of a module its importers see.
    pub(crate) offers: ImportedOffer,
    /// Whether `import *` leaves out names that begin with an underscore.
    pub(crate) star_omits_underscored: bool,
    /// Whether a name whose import does not lead into the project is one from outside.
    pub(crate) is_bound_by_unknown_import: bool,
    /// Whether a submodule is a member of its package only where something has imported it.
    pub(crate) submodules_need_import: bool,
    /// Whether the imported names stand behind the word `import`: `from module import name`. Otherwise they
    /// are last in their path.
    pub(crate) names_follow_import: bool,
    /// Whether the path of an import may name classes: `import a.Outer.Inner`.
    pub(crate) paths_name_classes: bool,
    /// Whether a name may be written with its whole package instead of an import: `a.b.Name`.
    pub(crate) packages_qualify: bool,
    /// Whether a declaration may be an import too: `const { name } = require('module')`.
    pub(crate) declarations_import: bool,
    /// Whether a class may be visible without an import that leads to it: through the package, the language
    /// itself or a header.
    pub(crate) classes_need_no_import: bool,
    /// Which declarations of other files are visible without an import.
    pub(crate) package: PackageScope,
}

/// How a module is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleLookup {
    /// By the package that files declare, wherever they are.
    Package,
    /// Python: by directories, from those above the importing file or from a source root.
    PythonPath,
    /// JavaScript: by a path that is relative to the importing file, with or without its ending.
    EcmaPath,
    /// Rust: by `crate`, `self`, `super` and names of modules.
    RustPath,
    /// Go: by a directory whose path is the end of the import path.
    GoPath,
    /// C: by a file beside the including one, else by the end of its path.
    Include,
}

/// What a module that is not found means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnfoundModule {
    /// Nothing is known, unless it is of the standard library.
    Unknown,
    /// It is outside the project.
    OutsideProject,
    /// It is outside the project, unless it is written relative to the importing file.
    OutsideUnlessRelative,
}

/// The name that an import of a whole module binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathBinding {
    Nothing,
    /// `a` for `a.b`.
    First,
    /// `b` for `a::b`.
    Last,
    /// The package's name, by Go's conventions.
    PackageName,
}

/// Which imports of a module its importers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportedOffer {
    All,
    /// Those of names that are identifiers of the file: every name that an import binds is one.
    Identifiers,
    /// Those that the module exports, stars included.
    Exports,
}

/// Which declarations of other files are visible without an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackageScope {
    None,
    /// Those of files that declare the same package.
    Declared,
    /// Those of files that declare the same namespace, or one around it.
    DeclaredAndOuter,
    /// Those of files in the same directory.
    Directory,
}

impl ImportRules {
    pub(crate) const PLAIN: ImportRules = ImportRules {
        lookup: ModuleLookup::Package,
        unfound: UnfoundModule::Unknown,
        needs_build_files: false,
        standard: &[],
        path_binds: PathBinding::Nothing,
        offers: ImportedOffer::All,
        star_omits_underscored: false,
        is_bound_by_unknown_import: false,
        submodules_need_import: false,
        names_follow_import: false,
        paths_name_classes: false,
        packages_qualify: false,
        declarations_import: false,
        classes_need_no_import: true,
        package: PackageScope::None,
    };
}
