//! The parts of a declaration that distinguish two members of one name in languages with overloads: the
//! parameters, and the words before the name. Read from the text around the name, without a tree. Types are
//! compared by their last names alone.

use crate::profiles::MemberRules;
use crate::resolver::CurrentFile;
use symd_syntax::SymbolKind;

/// The head of a member's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberHead {
    /// The types of its parameters; `None` for a member without a parameter list: a property, a field.
    pub(crate) parameters: Option<Vec<String>>,
    /// Whether it is marked as an override.
    pub(crate) overrides: bool,
    /// Whether nothing can override it: it is private, static, or a field.
    pub(crate) is_own: bool,
}

impl MemberHead {
    /// Reads the member in `row` of a file.
    pub(crate) fn read(here: &CurrentFile, rules: &MemberRules, row: usize) -> MemberHead {
        let this = &here.outline.rows[row];
        let text = here.text.as_str();
        let (start, name) = (this.start as usize, this.name_start as usize);
        let before = text.get(start..name).unwrap_or("");
        let behind = text.get(name + usize::from(this.name_len)..this.end as usize).unwrap_or("");
        let words: Vec<&str> =
            before.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '@')).collect();
        let is_function = matches!(this.kind(), SymbolKind::Method | SymbolKind::Function);
        let is_field = this.kind() == SymbolKind::Field;
        let head = behind.split(['{', ';']).next().unwrap_or("");
        let says_behind = |word: &str| {
            rules.marks_override_behind && head.split(|c: char| !c.is_alphanumeric()).any(|one| one == word)
        };
        let overrides = words.iter().any(|word| matches!(*word, "override" | "@Override"));
        MemberHead {
            parameters: is_function.then(|| parameters(behind, rules)),
            overrides: overrides || says_behind("override"),
            is_own: is_field || words.iter().any(|word| matches!(*word, "private" | "static")),
        }
    }

    /// Whether both take the same number of parameters, or neither is a function.
    pub(crate) fn has_arity_of(&self, other: &MemberHead) -> bool {
        self.parameters.as_ref().map(Vec::len) == other.parameters.as_ref().map(Vec::len)
    }
}

/// Returns the types in the parameter list that `text` begins with.
pub(crate) fn parameters(text: &str, rules: &MemberRules) -> Vec<String> {
    let Some(open) = text.find('(') else { return Vec::new() };
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for c in text[open..].chars() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && c == ')' {
                    break;
                }
            }
            ',' if depth == 1 => parts.push(String::new()),
            // Text in nested brackets is omitted: arguments of types, of annotations.
            c if depth == 1 => parts.last_mut().into_iter().for_each(|last| last.push(c)),
            _ => {}
        }
    }
    let types = parts.iter().map(|part| type_of(part, rules));
    types.filter(|one| !one.is_empty()).collect()
}

/// Returns the last name of a parameter's type.
fn type_of(parameter: &str, rules: &MemberRules) -> String {
    let parameter = parameter.split('=').next().unwrap_or("");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let written = match parameter.split_once(':') {
        // Kotlin's `name: Type`, not C++'s `a::B`.
        Some((_, written)) if rules.types_follow_colon => written,
        _ => {
            let words: Vec<&str> = parameter.split_whitespace().collect();
            // A type without a name, as in a prototype.
            let only =
                words.iter().filter(|word| !matches!(**word, "const" | "final" | "volatile")).count() < 2;
            if only { parameter } else { parameter.trim_end().trim_end_matches(is_word) }
        }
    };
    let mut words = written.split(|c: char| !is_word(c)).filter(|word| !word.is_empty() && *word != "const");
    words.next_back().unwrap_or("").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;

    #[test]
    fn parameters_are_told_by_the_last_names_of_their_types() {
        let check = |family: Family, text: &str, expected: &[&str]| {
            assert_eq!(parameters(text, &family.profile().members), expected, "{text}")
        };
        check(
            Family::Jvm,
            "(a: Int, b: List<String> = listOf(1, 2), c: k.Map<A, B>): Int",
            &["Int", "List", "Map"],
        );
        check(Family::Jvm, "()", &[]);
        check(Family::Jvm, "(final int a, @Nullable java.lang.String b)", &["int", "String"]);
        check(Family::C, "(const std::string& a, int *b, double)", &["string", "int", "double"]);
        check(Family::CSharp, "(int a, ref List<int> b)", &["int", "List"]);
    }
}
