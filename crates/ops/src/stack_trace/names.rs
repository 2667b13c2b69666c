//! What the names of a frame, as compilers make them, say about the source: which class, which function. Rules of
//! Kotlin's compiler (JVM), of javac and of D8.

use super::parse::ParsedFrame;

/// The names of a frame in the source's terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceNames {
    pub(super) package: String,
    /// The class at the file's top level, or the facade of a file: `Till`, `TillKt`.
    pub(super) outer: String,
    /// The named parts of the class below `outer`: nested classes, and functions around lambdas and local classes.
    pub(super) nested: Vec<String>,
    /// Names of which one is the function, the property or the accessor; empty if the frame's method is one that the
    /// compiler gave to a lambda or an unnamed class.
    pub(super) members: Vec<String>,
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

/// Parts of class names that stand for no declaration.
const NO_CLASSES: [&str; 11] = [
    "Companion",
    "DefaultImpls",
    "WhenMappings",
    "Lambda",
    "inlined",
    "special",
    "serializer",
    "Creator",
    "EntriesMappings",
    "entries",
    "delegate",
];

/// Methods of lambdas, coroutines and unnamed classes.
const OF_LAMBDAS: [&str; 8] =
    ["invoke", "invokeSuspend", "run", "call", "emit", "resumeWith", "apply", "accept"];

/// Constructors and initializers; Kotlin's compiler gives the second form to functions in them.
const INITIALIZERS: [&str; 4] = ["<init>", "<clinit>", "_init_", "_clinit_"];

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

/// Reads the names of a frame; `None` for one that names a file alone.
pub(super) fn source_names(frame: &ParsedFrame) -> Option<SourceNames> {
    if frame.class.is_empty() {
        return None;
    }
    let (package, class) = frame.class.rsplit_once('.').unwrap_or(("", &frame.class));
    // Of `$$Lambda$14` and `$$ExternalSyntheticLambda0` only what is before counts.
    let class = class.split("$$Lambda").next().unwrap_or(class);
    let class = class.split("$$ExternalSynthetic").next().unwrap_or(class);
    let mut parts = class.split('$').filter(|part| !part.is_empty());
    let mut outer = parts.next().unwrap_or_default().to_owned();
    let mut rest: Vec<&str> = parts.collect();
    // `ComposableSingletons$TillKt` holds the lambdas of that file.
    if outer == "ComposableSingletons" && !rest.is_empty() {
        outer = rest.remove(0).to_owned();
    }
    let is_unnamed = |part: &&str| {
        part.chars().all(|c| c.is_ascii_digit())
            || *part == "lambda"
            || part.starts_with("lambda-")
            || NO_CLASSES.contains(part)
    };
    let has_unnamed = rest.iter().any(|part| part.chars().all(|c| c.is_ascii_digit()) || *part == "Lambda");
    let nested: Vec<String> = rest.iter().filter(|part| !is_unnamed(part)).map(|part| plain(part)).collect();
    let mut names =
        SourceNames { package: package.to_owned(), outer, nested, has_unnamed, ..SourceNames::default() };
    let method = frame.method.as_str();
    let base = method.trim_start_matches('-').split('$').find(|part| !part.is_empty()).unwrap_or(method);
    names.is_function = !method.trim_end_matches("$default").contains('$');
    names.is_javas_lambda = LAMBDAS_OF_INITIALIZERS.iter().any(|start| method.starts_with(start));
    names.is_initializer = INITIALIZERS.contains(&base) || names.is_javas_lambda;
    names.is_static = base.contains("clinit") || method.starts_with(LAMBDAS_OF_INITIALIZERS[1]);
    if names.is_initializer {
        names.is_of_class = true;
    } else if OF_CLASSES.contains(&base) || is_component(base) {
        names.is_of_class = true;
        // They may be written, too.
        names.members = vec![base.to_owned()];
    } else if !(has_unnamed && OF_LAMBDAS.contains(&base)) {
        names.members = members(method);
    }
    Some(names)
}

/// `component1`
fn is_component(name: &str) -> bool {
    name.strip_prefix("component")
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// Returns the names that a method may have in the source.
fn members(method: &str) -> Vec<String> {
    let method = method.strip_prefix("-$$Nest$").map_or(method, |rest| {
        ["fget", "fput", "sfget", "sfput", "sm", "m"]
            .iter()
            .find_map(|kind| rest.strip_prefix(kind))
            .unwrap_or(rest)
    });
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for part in method.split('$') {
        let is_made = part.chars().all(|c| c.is_ascii_digit())
            || matches!(
                part,
                "default"
                    | "lambda"
                    | "access"
                    | "suspendImpl"
                    | "p"
                    | "cp"
                    | "annotations"
                    | "delegate"
                    | "jd"
                    | "s"
            );
        if is_made {
            continue;
        }
        let part = plain(part);
        let part = part.strip_suffix("_delegate").unwrap_or(&part);
        let part = part
            .strip_prefix("_get_")
            .or_else(|| part.strip_prefix("_set_"))
            .map_or(part, |rest| rest.strip_suffix('_').unwrap_or(rest));
        add(part);
        for accessor in ["get", "set", "is"] {
            let Some(rest) = part.strip_prefix(accessor) else { continue };
            let mut chars = rest.chars();
            if let Some(first) = chars.next().filter(|first| first.is_uppercase()) {
                add(&format!("{}{}", first.to_lowercase(), chars.as_str()));
                add(&format!("is{rest}"));
                // `getURL` of `URL`.
                add(rest);
            }
        }
    }
    names
}

/// Removes the hash of value classes: `label-aLo6Cf4`, `vc-q07HuiY`, `pay-impl`.
fn plain(name: &str) -> String {
    match name.rsplit_once('-') {
        Some((before, hash))
            if !before.is_empty()
                && (hash.chars().count() == 7 || hash == "impl" || hash.starts_with("impl")) =>
        {
            before.to_owned()
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            names.members.join(",")
        )
    }

    #[test]
    fn names_of_kotlins_compiler() {
        for (class, method, expected) in [
            ("shop.Till", "sell", "shop Till/:sell"),
            ("shop.TillKt", "main", "shop TillKt/:main"),
            ("shop.Catalog$Companion", "check", "shop Catalog/:check"),
            ("shop.Till", "take$default", "shop Till/:take"),
            ("shop.Till", "takeAll$one", "shop Till/:takeAll,one"),
            ("shop.TillKt", "main$lambda$4$0$0", "shop TillKt/:main"),
            ("shop.TillKt", "label-aLo6Cf4", "shop TillKt/:label"),
            ("shop.Till$refill$1", "invokeSuspend", "shop Till/refill:"),
            ("ShopKtNamed$main$tests$8$1", "run", " ShopKtNamed/main/tests:"),
            ("shop.Till", "<init>", "shop Till/: class"),
            ("shop.Till", "_init_$lambda$0", "shop Till/: class"),
            ("shop.Till", "lambda$new$0", "shop Till/: class"),
            ("shop.Till", "lambda$static$3", "shop Till/: class"),
            ("shop.Till", "lambda$newest$0", "shop Till/:newest"),
            ("shop.State$LOST", "next", "shop State/LOST:next"),
            ("shop.Till", "getLeft", "shop Till/:getLeft,left,isLeft,Left"),
            ("shop.Till", "hide$app_debug", "shop Till/:hide,app_debug"),
            ("shop.Till", "access$getLog$p", "shop Till/:getLog,log,isLog,Log"),
            ("shop.Till", "catalog_delegate$lambda$0", "shop Till/:catalog"),
            ("shop.Till$$ExternalSyntheticLambda0", "onClick", "shop Till/:onClick"),
            ("shop.ComposableSingletons$TillKt$lambda-1$1", "invoke", "shop TillKt/:"),
            ("shop.Till", "-$$Nest$mhidden", "shop Till/:hidden"),
            ("shop.Isbn", "component1", "shop Isbn/:component1 class"),
            ("shop.Till$Inner", "run", "shop Till/Inner:run"),
        ] {
            assert_eq!(shown(class, method), expected, "{class}.{method}");
        }
    }
}
