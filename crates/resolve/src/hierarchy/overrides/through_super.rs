//! Uses of the member through `super()`.

use std::collections::BTreeSet;

use super::Linking;
use crate::context::{Receiver, receiver};
use crate::meaning::Meaning;
use crate::scope::own_class;
use symd_base::{RelPath, TextRange};

impl Linking<'_, '_> {
    /// Finds uses of the name through `super()` in these classes. A class that inherits from several
    /// determines which class comes next; all candidates are of the family.
    pub(super) fn through_super(&self, classes: &BTreeSet<usize>) -> Vec<(RelPath, TextRange)> {
        let mut found = Vec::new();
        for class in classes.iter().map(|&at| &self.graph.node(at).class) {
            let Some((outline, row)) = class.row() else { continue };
            if !self.rules().super_depends_on_subclass || !outline.occurrences.contains(self.name) {
                continue;
            }
            let Some(here) = self.resolver.read_file(&class.file) else { continue };
            let length = u32::try_from(self.name.len()).unwrap_or(u32::MAX);
            let places = here.outline.occurrences.offsets_of(self.name);
            for start in places.filter(|&start| row.start <= start && start < row.end) {
                let range = TextRange::new(start, start.saturating_add(length));
                let is_own = match own_class(&here, start) {
                    Meaning::Declared(around) => around.iter().any(|one| one.is_same_declaration(class)),
                    _ => false,
                };
                let text = here.text.as_str();
                if is_own
                    && here.text.slice(range) == self.name
                    && receiver(text, start as usize, self.resolver.family) == Receiver::Super
                {
                    found.push((class.file.path.clone(), range));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }
}
