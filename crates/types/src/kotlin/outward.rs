//! What other files see of a file: everything except comments and the blocks of functions without a contract. The result type of a
//! function with a block is written, or is `Unit`.

use super::contracts::contract;
use super::declarations::is_class_node;
use super::source_file::SourceFile;
use symd_base::{ContentHash, TextRange};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl SourceFile {
    /// Whether what is found out about other files holds with either of two texts of this one: nothing that other files see differs, and
    /// its declarations have the same numbers.
    pub fn looks_like(&self, other: &SourceFile) -> bool {
        let hash = |file: &SourceFile| *file.outward.get_or_init(|| file.outward_hash());
        hash(self) == hash(other)
    }

    /// Hashes the text without what is hidden, in which a run of blanks is one blank or line feed, and of each node its kind and the number of
    /// the declaration that it is.
    fn outward_hash(&self) -> ContentHash {
        let (mut text, mut nodes) = (String::new(), Vec::new());
        let (mut seen, mut hidden_until) = (0, 0);
        for node in self.tree().nodes() {
            let range = self.range(node);
            let kind = self.kind(node);
            let is_comment = matches!(kind, K::LineComment | K::MultilineComment);
            // Nodes come in the order of the text, and what is within a hidden one ends with it.
            if range.start < hidden_until {
                continue;
            }
            if is_comment || self.hides_its_text(node) {
                push_text(&mut text, self.slice(TextRange::new(seen, range.start)));
                (seen, hidden_until) = (range.end, range.end);
                push_text(&mut text, if is_comment { " " } else { "{}" });
            }
            if !is_comment {
                let number = self.declaration_of(node).unwrap_or(usize::MAX);
                nodes.push(kind as u8);
                nodes.extend(number.to_le_bytes());
            }
        }
        push_text(&mut text, self.slice(TextRange::new(seen, self.len())));
        // A text holds no such byte.
        text.push('\0');
        ContentHash::of(&[text.as_bytes(), &nodes].concat())
    }

    /// Whether a node is the block of a function, and declares no class or object and no contract. Members of a class in a block are found by
    /// their names from other files, and a contract tells callers about their values, so such a block is not hidden.
    fn hides_its_text(&self, node: NodeId) -> bool {
        self.kind(node) == K::FunctionBody
            && self.text_of(node).starts_with('{')
            && contract(self, node).is_none()
            && !self.tree().subtree(node).any(|within| is_class_node(self, within))
    }
}

/// Appends a text; blanks become one blank, which is a line feed if one of them is.
fn push_text(to: &mut String, text: &str) {
    for character in text.chars() {
        let last = to.chars().next_back();
        let follows_blank = last.is_some_and(char::is_whitespace);
        match character {
            '\n' if last == Some(' ') => {
                to.pop();
                to.push('\n');
            }
            _ if character.is_whitespace() && follows_blank => {}
            '\n' => to.push('\n'),
            _ if character.is_whitespace() => to.push(' '),
            _ => to.push(character),
        }
    }
}
