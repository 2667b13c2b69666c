//! What the names of a frame, as compilers make them, say about the source: which class, which function. Rules of
//! Kotlin's compiler (JVM), of javac and of D8.

use super::parse::ParsedFrame;

/// The names of a frame in the source's terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceNames {
    pub(super) package: String,
    /// The class at the file's top level, or the facade of a file: `Till`, `TillKt`.
    pub(super) outer: String,
    /// The parts of the class below `outer`: nested classes, functions around lambdas and local classes, and what compilers add.
    pub(super) nested: Vec<String>,
    /// Names of which one is the function, the property or the accessor; empty if the frame's method is one that the
    /// compiler gave to a lambda or an unnamed class.
    pub(super) members: Vec<MemberName>,
    /// The same without the hash of value classes: they are meant where nothing has the whole name.
    pub(super) unhashed: Vec<MemberName>,
    /// Whether the method's name has the hash of value classes.
    pub(super) has_hash: bool,
    /// Whether the method lets another class call a private one of this class.
    pub(super) is_accessor: bool,
    /// Whether the class holds lambdas of all classes of the file.
    pub(super) is_of_file: bool,
    /// Whether compilers made the whole class for lambdas: its methods have no names of the source's.
    pub(super) is_of_lambdas: bool,
    /// Whether the class has a part without a name: a lambda or an object expression.
    pub(super) has_unnamed: bool,
    /// Whether it is a constructor, an initializer or a method that the compiler makes for a class.
    pub(super) is_of_class: bool,
    /// Whether it is a constructor or an initializer, or a lambda of javac's in one.
    pub(super) is_initializer: bool,
    /// Whether it initializes the class, not an object.
    pub(super) is_static: bool,
    /// Whether the method is the function itself, with the name that `@JvmName` gives: lambdas in it have its name in the source.
    pub(super) is_function: bool,
    /// Whether it is a lambda that javac made a method of.
    pub(super) is_javas_lambda: bool,
}

impl SourceNames {
    /// Whether the class is a copy of one in an inline function, made for the function that calls it.
    pub(super) fn is_inlined(&self) -> bool {
        self.nested.iter().any(|part| part == INLINED)
    }

    /// Returns the inline function whose class was copied for the value of a property, which the class's name does not tell.
    pub(super) fn inlined_in_value(&self) -> Option<&str> {
        let mut parts = self.nested.windows(3);
        parts.find_map(|parts| (parts[0] == OF_VALUE && parts[1] == INLINED).then_some(parts[2].as_str()))
    }
}

/// The part before the name of the inline function in the name of a class that was copied from it.
const INLINED: &str = "inlined";

/// Takes the place of the enclosing function's name for a class in the value of a property.
const OF_VALUE: &str = "special";

/// A name that a method may have in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberName {
    pub(super) name: String,
    /// Whether it is meant only if it is a property's: the method is its accessor.
    pub(super) is_of_property: bool,
}

/// What a class's companion is called unless it has a name.
pub(super) const COMPANION: &str = "Companion";

/// Parts of class names that compilers give to what they make for the class before.
const MADE_CLASSES: [&str; 9] = [
    "DefaultImpls",
    "WhenMappings",
    "EntriesMappings",
    "Creator",
    "serializer",
    "entries",
    OF_VALUE,
    // D8's, for the defaults of interfaces.
    "-CC",
    "CC",
];

/// Parts that begin the name of a lambda, an object expression or a class for a Java interface.
const UNNAMED_CLASSES: [&str; 6] = ["Lambda", "lambda", INLINED, "delegate", "sam", "annotationImpl"];

/// Whether a part of a class's name is one that compilers add to that of the class around it.
pub(super) fn is_made_class(part: &str) -> bool {
    MADE_CLASSES.contains(&part)
}

/// Whether a part of a class's name stands for a class that has no name in the source, or for a local one of javac's: `1Local`.
pub(super) fn is_unnamed_class(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_digit())
        || part.starts_with("lambda-")
        || UNNAMED_CLASSES.contains(&part)
}

/// Constructors and initializers; Kotlin's compiler gives the second form to functions in them.
const INITIALIZERS: [&str; 5] = ["<init>", "<clinit>", "_init_", "_clinit_", "constructor-impl"];

/// What javac calls lambdas in the initializers of an object, and in those of a class.
const LAMBDAS_OF_INITIALIZERS: [&str; 2] = ["lambda$new$", "lambda$static$"];

/// Methods that compilers make for a class.
const OF_CLASSES: [&str; 9] = [
    "copy",
    "equals",
    "hashCode",
    "toString",
    "values",
    "valueOf",
    "getEntries",
    "writeToParcel",
    "describeContents",
];

/// What stands behind the class of a lambda in the names of the classes that D8 and the JVM make for it.
pub(super) const LAMBDA_CLASSES: [&str; 3] = ["$$Lambda", "$$ExternalSynthetic", "$$InternalSynthetic"];

/// The prefix of the methods through which such a class calls a private method.
pub(super) const LAMBDA_ACCESSOR: &str = "$r8$lambda$";

fn shorter<'t>(one: &'t str, other: &'t str) -> &'t str {
    if other.len() < one.len() { other } else { one }
}

/// Reads the names of a frame; `None` for one that names a file alone.
pub(super) fn source_names(frame: &ParsedFrame) -> Option<SourceNames> {
    if frame.class.is_empty() {
        return None;
    }
    let (package, class) = frame.class.rsplit_once('.').unwrap_or(("", &frame.class));
    // Of `$$Lambda$14` and `$$ExternalSyntheticLambda0` only the class before is known.
    let whole = class;
    let class = LAMBDA_CLASSES.iter().filter_map(|made| class.split(made).next()).fold(class, shorter);
    let is_of_lambdas = class.len() < whole.len();
    let mut parts = class.split('$').filter(|part| !part.is_empty());
    let mut outer = parts.next().unwrap_or_default().to_owned();
    let mut nested: Vec<String> = parts.map(str::to_owned).collect();
    // `ComposableSingletons$TillKt` holds the lambdas of that file.
    let is_of_file = outer == "ComposableSingletons" && !nested.is_empty();
    if is_of_file {
        outer = nested.remove(0);
        nested.clear();
    }
    let has_unnamed = nested.iter().any(|part| is_unnamed_class(part));
    let mut names = SourceNames {
        package: package.to_owned(),
        outer,
        nested,
        has_unnamed,
        is_of_file,
        is_of_lambdas: is_of_lambdas || is_of_file,
        ..SourceNames::default()
    };
    let method = frame.method.as_str();
    let base = method.trim_start_matches('-').split('$').find(|part| !part.is_empty()).unwrap_or(method);
    names.is_accessor = method.starts_with("access$") || method.starts_with(NEST);
    names.is_function = !method.trim_end_matches("$default").contains('$');
    names.is_javas_lambda = LAMBDAS_OF_INITIALIZERS.iter().any(|start| method.starts_with(start));
    names.is_initializer = INITIALIZERS.contains(&base) || names.is_javas_lambda;
    names.is_static = base.contains("clinit") || method.starts_with(LAMBDAS_OF_INITIALIZERS[1]);
    if names.is_initializer {
        names.is_of_class = true;
    } else if OF_CLASSES.contains(&base) || is_component(base) {
        names.is_of_class = true;
        // They may be written, too.
        names.members = members(base);
        names.unhashed.clone_from(&names.members);
    } else {
        let written = written_name(method);
        names.members = members(written);
        names.unhashed = members(unhashed(written));
        names.has_hash = unhashed(written) != written && !written.ends_with(OF_VALUE_CLASS);
    }
    Some(names)
}

/// `component1`
fn is_component(name: &str) -> bool {
    name.strip_prefix("component")
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// How D8 begins the names of accessors.
const NEST: &str = "-$$Nest$";

/// Parts of method names that compilers add.
const MADE_PARTS: [&str; 10] =
    ["default", "lambda", "access", "suspendImpl", "p", "cp", "annotations", "delegate", "jd", "s"];

/// Returns the first part of a method's name that is of the source: behind it come the names of local functions, of a module and
/// what compilers add.
fn written_name(method: &str) -> &str {
    let method = method.strip_prefix(NEST).map_or(method, |rest| {
        ["fget", "fput", "sfget", "sfput", "sm", "m"]
            .iter()
            .find_map(|kind| rest.strip_prefix(kind))
            .unwrap_or(rest)
    });
    // D8 calls what it makes of a lambda by a hash.
    if method.starts_with(LAMBDA_ACCESSOR) {
        return "";
    }
    let is_made = |part: &str| part.chars().all(|c| c.is_ascii_digit()) || MADE_PARTS.contains(&part);
    method.split('$').find(|part| !is_made(part)).unwrap_or_default()
}

/// Returns the names that a method may have in the source, the written one first.
fn members(written: &str) -> Vec<MemberName> {
    let mut names: Vec<MemberName> = Vec::new();
    let mut add = |name: &str, is_of_property: bool| {
        if !name.is_empty() && !names.iter().any(|known| known.name == name) {
            names.push(MemberName { name: name.to_owned(), is_of_property });
        }
    };
    if let Some(property) = written.strip_suffix("_delegate") {
        add(property, true);
    } else if let Some(property) = written.strip_prefix("_get_").or_else(|| written.strip_prefix("_set_")) {
        add(property.strip_suffix('_').unwrap_or(property), true);
    } else {
        add(written, false);
    }
    let accessor = ["get", "set"].iter().find_map(|accessor| written.strip_prefix(accessor));
    if let Some(rest) = accessor
        && let Some(first) = rest.chars().next().filter(|first| first.is_uppercase())
    {
        add(&format!("{}{}", first.to_lowercase(), &rest[first.len_utf8()..]), true);
        // `setLeft` of `isLeft`, and `getURL` of `URL`.
        add(&format!("is{rest}"), true);
        add(rest, true);
    }
    names
}

/// The end of the names of a value class's own methods.
const OF_VALUE_CLASS: &str = "-impl";

/// The number of characters of the hash of value classes.
const HASH: usize = 7;

/// Removes the hash of value classes: `label-aLo6Cf4`, `vc-q07HuiY`, `pay-impl`.
pub(super) fn unhashed(name: &str) -> &str {
    let is_hash = |hash: &str| hash.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let at = name.len().checked_sub(HASH + 1).filter(|&at| at > 0 && name.is_char_boundary(at));
    if let Some(at) = at
        && let Some(hash) = name[at..].strip_prefix('-')
        && is_hash(hash)
    {
        return &name[..at];
    }
    name.strip_suffix(OF_VALUE_CLASS).filter(|before| !before.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `left*` if it is meant of a property alone.
    fn shown_name(name: &MemberName) -> String {
        format!("{}{}", name.name, if name.is_of_property { "*" } else { "" })
    }

    fn shown(class: &str, method: &str) -> String {
        let frame =
            ParsedFrame { class: class.to_owned(), method: method.to_owned(), ..ParsedFrame::default() };
        let names = source_names(&frame).unwrap();
        let of_class = if names.is_of_class { " class" } else { "" };
        format!(
            "{} {}/{}:{}{of_class}",
            names.package,
            names.outer,
            names.nested.join("/"),
            names.unhashed.iter().map(shown_name).collect::<Vec<_>>().join(",")
        )
    }

    #[test]
    fn names_of_kotlins_compiler() {
        for (class, method, expected) in [
            ("shop.Till", "sell", "shop Till/:sell"),
            ("shop.TillKt", "main", "shop TillKt/:main"),
            ("shop.Catalog$Companion", "check", "shop Catalog/Companion:check"),
            ("shop.Till", "take$default", "shop Till/:take"),
            ("shop.Till", "takeAll$one", "shop Till/:takeAll"),
            ("shop.TillKt", "main$lambda$4$0$0", "shop TillKt/:main"),
            ("shop.TillKt", "label-aLo6Cf4", "shop TillKt/:label"),
            ("shop.Till$refill$1", "invokeSuspend", "shop Till/refill/1:invokeSuspend"),
            ("ShopKtNamed$main$tests$8$1", "run", " ShopKtNamed/main/tests/8/1:run"),
            ("shop.Till", "<init>", "shop Till/: class"),
            ("shop.Till", "_init_$lambda$0", "shop Till/: class"),
            ("shop.Till", "lambda$new$0", "shop Till/: class"),
            ("shop.Till", "lambda$static$3", "shop Till/: class"),
            ("shop.Till", "lambda$newest$0", "shop Till/:newest"),
            ("shop.State$LOST", "next", "shop State/LOST:next"),
            ("shop.Till", "getLeft", "shop Till/:getLeft,left*,isLeft*,Left*"),
            ("shop.Till", "hide$app_debug", "shop Till/:hide"),
            ("shop.Till", "access$getLog$p", "shop Till/:getLog,log*,isLog*,Log*"),
            ("shop.Till", "catalog_delegate$lambda$0", "shop Till/:catalog*"),
            ("shop.Till$$ExternalSyntheticLambda0", "onClick", "shop Till/:onClick"),
            ("shop.ComposableSingletons$TillKt$lambda-1$1", "invoke", "shop TillKt/:invoke"),
            ("shop.Till", "-$$Nest$mhidden", "shop Till/:hidden"),
            ("shop.Isbn", "component1", "shop Isbn/:component1 class"),
            ("shop.Shelf", "getEntries", "shop Shelf/:getEntries,entries*,isEntries*,Entries* class"),
            ("shop.Till$Inner", "run", "shop Till/Inner:run"),
            ("shop.Till", "$r8$lambda$Q9x-_a1", "shop Till/:"),
            ("shop.TillTest", "sells pre-ordered", "shop TillTest/:sells pre"),
            ("shop.TillTest", "sells pre-orders", "shop TillTest/:sells pre-orders"),
        ] {
            assert_eq!(shown(class, method), expected, "{class}.{method}");
        }
    }
}
