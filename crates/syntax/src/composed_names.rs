//! Names that no text contains: the word that a query composes, and the keyword for which it does so. The other
//! composed names (`impl A for B`, `new T`, `class`) consist of words of the text.

/// Each composed word that differs from the text, with the keyword that the text has in its place.
pub const COMPOSED_NAMES: [(&str, &str); 1] = [("Companion", "companion")];

/// Returns the keyword for which `word` may have been composed.
pub fn spelled_as(word: &str) -> Option<&'static str> {
    COMPOSED_NAMES.iter().find(|(name, _)| *name == word).map(|(_, keyword)| *keyword)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "it reads the repository's queries")]
mod tests {
    use super::*;

    /// Words of templates that are keywords of the text.
    const OF_THE_TEXT: [&str; 8] = ["class", "for", "get", "impl", "init", "new", "object", "set"];

    #[test]
    fn every_word_of_a_template_is_a_keyword_or_listed() {
        let grammars = concat!(env!("CARGO_MANIFEST_DIR"), "/../../grammars");
        let mut found = 0;
        for grammar in std::fs::read_dir(grammars).expect("there") {
            let query = grammar.expect("an entry").path().join("symbols.scm");
            let Ok(query) = std::fs::read_to_string(&query) else { continue };
            for template in query.split("(#set! name \"").skip(1) {
                let template = template.split('"').next().unwrap_or("");
                let literal = template.split('{').flat_map(|piece| piece.rsplit('}').next());
                for word in literal.flat_map(str::split_whitespace) {
                    found += 1;
                    assert!(OF_THE_TEXT.contains(&word) || spelled_as(word).is_some(), "{template}: {word}");
                }
            }
        }
        assert!(found > 5, "{found}");
    }
}
