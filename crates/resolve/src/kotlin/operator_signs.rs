//! The signs by which Kotlin calls functions without naming them. What a text holds of them is found out once for each content.

use symd_base::Text;
use symd_index::{NeededWords, SearchedText};
use symd_types::kotlin::FileConventions;

/// All signs, and keywords that are used like one.
const SIGNS: [&str; 18] =
    ["+", "-", "*", "/", "%", "..", "++", "--", "!", "[", "<", ">", "==", "!=", "in", "by", "(", "{"];

/// Some of the signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSigns(u32);

/// What is known of the operators in a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperatorFacts {
    /// The signs that the text holds, in comments and strings too.
    pub signs: Option<TextSigns>,
    /// What its tree may call.
    pub conventions: Option<FileConventions>,
}

impl TextSigns {
    /// Returns those that a text holds.
    pub(crate) fn of_text(text: &Text) -> TextSigns {
        let text = SearchedText::new(text.as_str().as_bytes());
        let holds = |sign: &str| needed(sign).match_text(&text);
        TextSigns::all_that(|sign| holds(sign))
    }

    /// Returns the signs of which a text holds at least one if it calls this function without its name.
    pub(crate) fn of_function(name: &str) -> TextSigns {
        let signs: &[&str] = match name {
            "plus" | "plusAssign" | "unaryPlus" => &["+"],
            "minus" | "minusAssign" | "unaryMinus" => &["-"],
            "times" | "timesAssign" => &["*"],
            "div" | "divAssign" => &["/"],
            "rem" | "remAssign" => &["%"],
            "rangeTo" | "rangeUntil" => &[".."],
            "inc" => &["++"],
            "dec" => &["--"],
            "not" => &["!"],
            "get" | "set" => &["["],
            "compareTo" => &["<", ">"],
            "equals" => &["==", "!="],
            "contains" | "iterator" | "hasNext" | "next" => &["in"],
            "getValue" | "setValue" | "provideDelegate" => &["by"],
            "invoke" => &["(", "{"],
            _ => &["("],
        };
        TextSigns::all_that(|sign| signs.contains(&sign))
    }

    fn all_that(is_meant: impl Fn(&str) -> bool) -> TextSigns {
        let signs = SIGNS.iter().zip(0..).filter(|(sign, _)| is_meant(sign));
        TextSigns(signs.fold(0, |all, (_, bit)| all | 1 << bit))
    }

    pub(crate) fn has_one_of(self, wanted: TextSigns) -> bool {
        self.0 & wanted.0 != 0
    }

    /// Iterates over the words that a text with one of these holds.
    pub(crate) fn needed(self) -> impl Iterator<Item = NeededWords> {
        let signs = SIGNS.iter().zip(0..).filter(move |(_, bit)| self.0 & 1 << bit != 0);
        signs.map(|(sign, _)| needed(sign))
    }
}

fn needed(sign: &str) -> NeededWords {
    match sign.chars().all(char::is_alphabetic) {
        true => NeededWords::of_name(sign),
        false => NeededWords::of_part(sign),
    }
}
