//! What other files see of a file: all but its comments and the blocks of its functions, whose result is written or `Unit`.

use super::declarations::is_class_node;
use super::source_file::SourceFile;
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// The text and the nodes that other files may see.
#[derive(Debug, Default, PartialEq)]
struct OutwardView {
    /// The text without what is hidden; a run of blanks is one blank, or one line feed if it holds one.
    text: String,
    /// The kind of each node, and the number of the declaration that it is.
    nodes: Vec<(K, Option<usize>)>,
}

impl SourceFile {
    /// Whether what is found out about other files holds with either of two texts of this one: nothing that other files see differs, and
    /// its declarations have the same numbers.
    pub fn looks_like(&self, other: &SourceFile) -> bool {
        self.outward_view() == other.outward_view()
    }

    fn outward_view(&self) -> OutwardView {
        let (mut view, mut seen) = (OutwardView::default(), 0);
        let mut hidden_until = 0;
        for node in self.tree().nodes() {
            let range = self.range(node);
            let kind = self.kind(node);
            let is_comment = matches!(kind, K::LineComment | K::MultilineComment);
            // Nodes come in the order of the text, and what is within a hidden one ends with it.
            if range.start < hidden_until {
                continue;
            }
            if is_comment || self.hides_its_text(node) {
                push_text(&mut view.text, self.slice(TextRange::new(seen, range.start)));
                (seen, hidden_until) = (range.end, range.end);
                push_text(&mut view.text, if is_comment { " " } else { "{}" });
            }
            if !is_comment {
                view.nodes.push((kind, self.declaration_of(node)));
            }
        }
        push_text(&mut view.text, self.slice(TextRange::new(seen, self.len())));
        view
    }

    /// Whether a node is the block of a function without types: members of types in it can be found by their names.
    fn hides_its_text(&self, node: NodeId) -> bool {
        self.kind(node) == K::FunctionBody
            && self.text_of(node).starts_with('{')
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
