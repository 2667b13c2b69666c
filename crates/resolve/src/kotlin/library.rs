//! Members of the classes of Kotlin's library: whether a member of the project overrides one of them, or a new name would.

use crate::kotlin::names::KotlinNames;
use crate::library_members::{MemberLookup, WantedMember, java_class_declares, root_class_with};
use symd_base::{RelPath, TextRange};
use symd_types::kotlin::LibraryMember;

impl KotlinNames<'_> {
    /// Whether the class of the library that an identifier of a Kotlin file names, or a class that it inherits from, declares the
    /// member; `Unknown` where it names no class of the library.
    pub(crate) fn library_class_declares(
        &self,
        path: &RelPath,
        range: TextRange,
        wanted: WantedMember,
    ) -> MemberLookup {
        let (mut is_known, mut outside) = (true, Vec::new());
        let classes = self.library_classes(path, range);
        for class in &classes {
            match self.library_member(*class, wanted.name, wanted.parameters) {
                LibraryMember::Declared(by) => return MemberLookup::Yes(by),
                LibraryMember::AtMostIn(names) => outside.extend(names),
                LibraryMember::Unknown => is_known = false,
            }
        }
        for name in outside {
            match java_class_declares(&name, wanted) {
                MemberLookup::No => {}
                MemberLookup::Unknown => is_known = false,
                yes => return yes,
            }
        }
        match root_class_with(wanted) {
            _ if classes.is_empty() => MemberLookup::Unknown,
            Some(root) => MemberLookup::Yes(root),
            None if is_known => MemberLookup::No,
            None => MemberLookup::Unknown,
        }
    }
}
