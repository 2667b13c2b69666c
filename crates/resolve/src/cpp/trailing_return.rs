//! The arrow of C++ before the type that a function returns, `auto make() -> Point`, which is no access to a member.

use crate::brackets::open_bracket;
use crate::context::last_word;

/// Words between a function's parameters and the arrow.
const SPECIFIERS: [&str; 7] = ["const", "constexpr", "final", "mutable", "noexcept", "override", "volatile"];

/// Whether `before`, the text before an arrow, ends with the head of a function or of a lambda.
pub(crate) fn ends_function_head(before: &str) -> bool {
    let mut left = before.trim_end();
    loop {
        let word = last_word(left);
        let without =
            if SPECIFIERS.contains(&word) { left.strip_suffix(word) } else { left.strip_suffix('&') };
        let Some(shorter) = without else { break };
        left = shorter.trim_end();
    }
    let Some(head) = before_parentheses(left) else { return false };
    // `noexcept(true)`
    if SPECIFIERS.contains(&last_word(head)) {
        return ends_function_head(head);
    }
    if head.ends_with(']') {
        return is_lambda(head);
    }
    let is_operator = |c: char| "+-*/%^&|~!=<>,()[]".contains(c);
    let symbol = head.trim_end_matches(is_operator).trim_end();
    let head = if last_word(symbol) == "operator" { symbol } else { head };
    // `auto Box<T>::get`
    let name = |c: char| c.is_alphanumeric() || "_:~<>,".contains(c);
    let before_name = head.trim_end_matches(name);
    before_name.len() < head.len() && last_word(before_name.trim_end()) == "auto"
        || head.ends_with('>') && head.rfind('<').is_some_and(|open| is_lambda(head[..open].trim_end()))
}

/// Returns the text before the parentheses with which `text` ends.
fn before_parentheses(text: &str) -> Option<&str> {
    let inside = text.strip_suffix(')')?;
    Some(text[..open_bracket(text, inside.len())?].trim_end())
}

/// Whether the brackets with which `text` ends begin a lambda, and read no item: `list[0](x)->y`.
fn is_lambda(text: &str) -> bool {
    let Some(inside) = text.strip_suffix(']') else { return false };
    let open = open_bracket(text, inside.len());
    open.is_some_and(|open| {
        !text[..open].trim_end().ends_with(|c: char| c.is_alphanumeric() || "_)]".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_behind_the_head_of_a_function_is_no_access() {
        for (before, expected) in [
            ("auto make() ", true),
            ("static auto S::get() const noexcept ", true),
            ("auto S::get() noexcept(true) ", true),
            ("auto Box<T>::get(int (*f)(int)) ", true),
            ("auto operator+(P a, P b) ", true),
            ("auto f = [](int n) ", true),
            ("auto f = [this]<class T>(T n) mutable ", true),
            ("sort(v, [&](auto a, auto b) ", true),
            ("auto p = make()", false),
            ("make()", false),
            ("list[0](x)", false),
            ("p", false),
            ("return get<P>(v)", false),
        ] {
            assert_eq!(ends_function_head(before), expected, "{before}");
        }
    }
}
