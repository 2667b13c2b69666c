//! The kinds of symbols, with LSP's numbers (LSP 3.17, `SymbolKind`).

/// LSP's `SymbolKind`, with its integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are LSP's own and say it")]
pub enum SymbolKind {
    File = 1,
    Module = 2,
    Namespace = 3,
    Package = 4,
    Class = 5,
    Method = 6,
    Property = 7,
    Field = 8,
    Constructor = 9,
    Enum = 10,
    Interface = 11,
    Function = 12,
    Variable = 13,
    Constant = 14,
    String = 15,
    Number = 16,
    Boolean = 17,
    Array = 18,
    Object = 19,
    Key = 20,
    Null = 21,
    EnumMember = 22,
    Struct = 23,
    Event = 24,
    Operator = 25,
    TypeParameter = 26,
}

/// Every kind with its word in symd's own answers and queries, in LSP's order.
const WORDS: [(SymbolKind, &str); 26] = {
    use SymbolKind::*;
    [
        (File, "file"),
        (Module, "module"),
        (Namespace, "namespace"),
        (Package, "package"),
        (Class, "class"),
        (Method, "method"),
        (Property, "property"),
        (Field, "field"),
        (Constructor, "constructor"),
        (Enum, "enum"),
        (Interface, "interface"),
        (Function, "function"),
        (Variable, "variable"),
        (Constant, "constant"),
        (String, "string"),
        (Number, "number"),
        (Boolean, "boolean"),
        (Array, "array"),
        (Object, "object"),
        (Key, "key"),
        (Null, "null"),
        (EnumMember, "enum_member"),
        (Struct, "struct"),
        (Event, "event"),
        (Operator, "operator"),
        (TypeParameter, "type_parameter"),
    ]
};

impl SymbolKind {
    /// Whether symbols of this kind can be called.
    pub fn is_callable(self) -> bool {
        use SymbolKind::{Constructor, Function, Method, Operator};
        matches!(self, Function | Method | Constructor | Operator)
    }

    /// Returns the kind with the LSP number `number`, or `None` outside 1..=26.
    pub fn from_number(number: i64) -> Option<SymbolKind> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        WORDS.get(index).map(|&(kind, _)| kind)
    }

    /// Returns LSP's number, 1..=26.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns the kind for a word such as `class` or `enum_member`.
    pub fn from_word(word: &str) -> Option<SymbolKind> {
        WORDS.iter().find(|(_, known)| *known == word).map(|&(kind, _)| kind)
    }

    /// Returns the word of the kind, such as `class` or `enum_member`.
    pub fn word(self) -> &'static str {
        WORDS[usize::from(self.number()) - 1].1
    }

    /// Returns all words, in LSP's order, for messages that list the valid ones.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|&(_, word)| word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_name_the_same_kinds() {
        for number in 1..=26 {
            let kind = SymbolKind::from_number(number).expect("in range");
            assert_eq!(i64::from(kind.number()), number);
            assert_eq!(SymbolKind::from_word(kind.word()), Some(kind));
        }
        for number in [i64::MIN, -1, 0, 27, i64::MAX] {
            assert_eq!(SymbolKind::from_number(number), None);
        }
    }
}
