//! Parses the part of a signature before the declared name: Kotlin's and Go's receivers, C++'s qualifiers,
//! and types in languages that write them first.

use std::ops::Range;

use super::head_syntax::{BeforeName, HeadSyntax};
use super::parameters::skip_annotation;
use super::tokens::{Kind, Tokens};
use crate::SymbolKind;

/// The parts found before a name; absent parts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// `List<T>`, `*Server`, `Car`.
    pub(super) receiver: String,
    /// `<T>`.
    pub(super) type_parameters: String,
    /// `Map<K, V>`, `const char *`.
    pub(super) of_type: String,
    pub(super) is_static: bool,
}

/// Words that modify a declaration and are not part of its type.
const MODIFIERS: [&str; 42] = [
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "synchronized",
    "native",
    "default",
    "strictfp",
    "transient",
    "volatile",
    "sealed",
    "override",
    "virtual",
    "async",
    "extern",
    "inline",
    "constexpr",
    "consteval",
    "constinit",
    "readonly",
    "partial",
    "unsafe",
    "new",
    "required",
    "event",
    "fixed",
    "typedef",
    "mutable",
    "explicit",
    "implicit",
    "friend",
    "register",
    "thread_local",
    "delegate",
    "operator",
    "__inline",
    "_Noreturn",
    "__extension__",
    "ref",
];

/// Parses `text`, which ends where the name of a `kind` begins.
pub(super) fn read(text: &str, syntax: &HeadSyntax, kind: SymbolKind) -> Prefix {
    let tokens = Tokens::read(text, syntax);
    match syntax.before_name {
        BeforeName::TypeOfReceiver => of_kotlin(&tokens, kind),
        BeforeName::Receiver => of_go(&tokens),
        BeforeName::Type => of_type_first(&tokens, syntax, kind),
        BeforeName::Nothing => Prefix::default(),
    }
}

/// Parses `fun <T> List<T>.`, `val String?.`.
fn of_kotlin(tokens: &Tokens<'_>, kind: SymbolKind) -> Prefix {
    use SymbolKind::{Constant, Function, Method, Property};
    let mut found = Prefix::default();
    let is_keyword = |at: &usize| matches!(tokens.text(*at), "fun" | "val" | "var");
    let Some(keyword) = (0..tokens.len()).rev().find(is_keyword) else { return found };
    let mut start = keyword + 1;
    if !matches!(kind, Function | Method | Property | Constant) || !tokens.is_balanced(start..tokens.len()) {
        return found;
    }
    if let Some(close) = tokens.close(start, "<") {
        found.type_parameters = tokens.render(start..close + 1);
        start = close + 1;
    }
    let Some(dot) = tokens.len().checked_sub(1).filter(|&at| at > start) else { return found };
    let is_null = match tokens.text(dot) {
        "." => "",
        "?." => "?",
        _ => return found,
    };
    found.receiver = format!("{}{is_null}", tokens.render(start..dot));
    found
}

/// Parses `func (s *Server) `.
fn of_go(tokens: &Tokens<'_>) -> Prefix {
    let mut found = Prefix::default();
    if tokens.text(0) == "func"
        && let Some(close) = tokens.close(1, "(")
    {
        let is_named = close > 3 && tokens.is_word(2) && !matches!(tokens.text(3), "." | "[");
        found.receiver = tokens.render(if is_named { 3 } else { 2 }..close);
    }
    found
}

/// Parses `public static <T> Map<K, V> `, `template <class T> const T& Shop<T>::`.
fn of_type_first(tokens: &Tokens<'_>, syntax: &HeadSyntax, kind: SymbolKind) -> Prefix {
    let is_static = tokens.find(0..tokens.len(), |token| token.text == "static").is_some();
    let mut found = Prefix { is_static, ..Prefix::default() };
    let is_alias = tokens.text(0) == "typedef";
    let mut at = 0;
    loop {
        if tokens.text(at) == "@" {
            at = skip_annotation(tokens, at);
        } else if tokens.text(at) == "template" && tokens.close(at + 1, "<").is_some() {
            let close = tokens.close(at + 1, "<").unwrap_or(at);
            found.type_parameters = tokens.render(at + 1..close + 1);
            at = close + 1;
        } else if let Some(close) = tokens.close(at, "[") {
            at = close + 1;
        } else if syntax.has_leading_type_parameters
            && let Some(close) = tokens.close(at, "<")
        {
            found.type_parameters = tokens.render(at..close + 1);
            at = close + 1;
        } else if MODIFIERS.contains(&tokens.text(at))
            || (syntax.has_const_modifier && tokens.text(at) == "const")
            || (tokens.get(at).is_some_and(|token| token.kind == Kind::Literal))
        {
            at += 1;
        } else {
            break;
        }
    }
    let mut end = tokens.len();
    while end > at && MODIFIERS.contains(&tokens.text(end - 1)) {
        end -= 1;
    }
    let separator = syntax.qualifier;
    if end > at && tokens.text(end - 1) == separator {
        let start = qualifier(tokens, at..end - 1, separator);
        found.receiver = tokens.render(start..end - 1);
        end = start;
    }
    if has_type(kind, is_alias) && is_one_type(tokens, at..end) {
        found.of_type = tokens.render(at..end);
    }
    found
}

/// Returns the start of the qualified name that ends with `range`: `a::b<T>`.
fn qualifier(tokens: &Tokens<'_>, range: Range<usize>, separator: &str) -> usize {
    let mut start = range.end;
    while start > range.start {
        let last = start - 1;
        let name = match tokens.text(last) {
            ">" => match tokens.get(last).and_then(|token| token.partner) {
                Some(open) if open > range.start => open - 1,
                _ => break,
            },
            _ => last,
        };
        if !tokens.is_word(name) {
            break;
        }
        start = name;
        if start == range.start || tokens.text(start - 1) != separator {
            break;
        }
        start -= 1;
    }
    start
}

fn has_type(kind: SymbolKind, is_alias: bool) -> bool {
    use SymbolKind::{Constant, Event, Field, Function, Method, Operator, Property, Variable};
    is_alias || matches!(kind, Function | Method | Operator | Property | Field | Constant | Variable | Event)
}

/// Reports whether the remaining tokens are a type, not the beginning of a list of declarators or a body.
fn is_one_type(tokens: &Tokens<'_>, range: Range<usize>) -> bool {
    !range.is_empty()
        && tokens.is_balanced(range.clone())
        && !matches!(tokens.text(range.end - 1), "struct" | "union" | "enum" | "class")
        && tokens.find(range, |token| matches!(token.text, "," | ";" | "=" | "{" | "}")).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_and_types_are_found() {
        use super::super::head_syntax::{C, CPP, CSHARP, GO, JAVA, KOTLIN};
        use SymbolKind::{Class, Constructor, Field, Function, Method, Variable};
        let cases: &[(&HeadSyntax, SymbolKind, &str, [&str; 3])] = &[
            (
                &KOTLIN,
                Function,
                "@A(1)\nprivate suspend inline fun <reified T : Any> Map<String, T>.",
                ["Map<String, T>", "<reified T : Any>", ""],
            ),
            (&KOTLIN, SymbolKind::Property, "val String?.", ["String?", "", ""]),
            (&KOTLIN, SymbolKind::Property, "val (a, ", ["", "", ""]),
            (&KOTLIN, Function, "fun ", ["", "", ""]),
            (&KOTLIN, Class, "class ", ["", "", ""]),
            (&GO, Method, "func (s *Server[T]) ", ["*Server[T]", "", ""]),
            (&GO, Method, "func (Named) ", ["Named", "", ""]),
            (&GO, Function, "func ", ["", "", ""]),
            (
                &JAVA,
                Method,
                "@Override @B(\"x\")\n public static <T extends C<T>> Map<T, int[]> ",
                ["", "<T extends C<T>>", "Map<T, int[]>"],
            ),
            (&JAVA, Constructor, "public ", ["", "", ""]),
            (&CSHARP, Method, "[Http(\"x\")] public async Task<int> ", ["", "", "Task<int>"]),
            (&CSHARP, Method, "void IFoo.", ["IFoo", "", "void"]),
            (
                &CPP,
                Method,
                "template <typename T>\nconst T& a::Shop<T>::",
                ["a::Shop<T>", "<typename T>", "const T&"],
            ),
            (&CPP, Constructor, "Car::", ["Car", "", ""]),
            (&CPP, Function, "[[nodiscard]] static inline unsigned int ", ["", "", "unsigned int"]),
            (&C, Variable, "int a, *", ["", "", ""]),
            (&C, Field, "const char *", ["", "", "const char *"]),
            (&C, Class, "typedef struct { int x; } ", ["", "", ""]),
            (&C, Class, "typedef unsigned int ", ["", "", "unsigned int"]),
            (&C, Variable, "int (*", ["", "", ""]),
        ];
        for (syntax, kind, text, [receiver, type_parameters, of_type]) in cases {
            let found = read(text, syntax, *kind);
            let got = [&*found.receiver, &*found.type_parameters, &*found.of_type];
            assert_eq!(got, [*receiver, *type_parameters, *of_type], "{text}");
        }
    }
}
