//! Members of the classes of Kotlin's library, read from its signatures: whether a member of the project overrides one of them,
//! or a new name would.

use super::family::Family;
use super::kotlin_names::KotlinNames;
use super::library_members::{MemberLookup, WantedMember, is_root_member, java_class_declares};
use super::signature::parameters;
use symd_base::{RelPath, TextRange};
use symd_types::kotlin::{DeclarationId, DeclarationKind, ProjectFile};

/// How many classes a search looks at: the library's hierarchies are smaller.
const MAX_CLASSES: usize = 100;

impl KotlinNames<'_> {
    /// Whether the class of the library that an identifier of a Kotlin file names, or a class that it inherits from, declares the
    /// member; `Unknown` where it names no class of the library.
    pub(super) fn library_class_declares(
        &self,
        path: &RelPath,
        range: TextRange,
        wanted: WantedMember,
    ) -> MemberLookup {
        let mut open = self.library_classes(path, range);
        if open.is_empty() {
            return MemberLookup::Unknown;
        }
        let mut is_known = true;
        let mut at = 0;
        while let Some(&class) = open.get(at) {
            at += 1;
            let Some(file) = self.library_file(class) else { return MemberLookup::Unknown };
            if file.kind_at(class.number) == DeclarationKind::TypeAlias {
                match self.aliased(&file, class, wanted) {
                    Aliased::Classes(found) => {
                        open.extend(found.into_iter().filter(|id| !open.contains(id)).collect::<Vec<_>>())
                    }
                    Aliased::Java(MemberLookup::No) => {}
                    Aliased::Java(MemberLookup::Unknown) => is_known = false,
                    Aliased::Java(yes) => return yes,
                }
                continue;
            }
            if self.declares_itself(&file, class, wanted) {
                return MemberLookup::Yes(qualified_name(&file, class));
            }
            let bases: Vec<DeclarationId> = bases_of(&file, class)
                .into_iter()
                .flat_map(|range| self.library_ids(class.file, range))
                .collect();
            open.extend(bases.into_iter().filter(|id| !open.contains(id)).collect::<Vec<_>>());
            is_known &= open.len() <= MAX_CLASSES;
            open.truncate(MAX_CLASSES);
        }
        match is_root_member(wanted) {
            true => MemberLookup::Yes("kotlin.Any".to_owned()),
            false if is_known => MemberLookup::No,
            false => MemberLookup::Unknown,
        }
    }

    /// Whether a class of the library declares the member in its own body or its primary constructor.
    fn declares_itself(&self, file: &ProjectFile, class: DeclarationId, wanted: WantedMember) -> bool {
        let range = file.range_of(class.number);
        let text = file.slice(range);
        let named = text.match_indices(wanted.name).filter_map(|(at, name)| {
            let start = range.start + u32::try_from(at).ok()?;
            let name = TextRange::new(start, start + u32::try_from(name.len()).ok()?);
            let id = *self.ids_at(class.file, name).first()?;
            (id.file == class.file && file.name_range(id.number) == Some(name)).then_some((at, id))
        });
        named.into_iter().any(|(at, id)| {
            // The library's signatures have no strings, so brackets tell what is inside of what.
            let depth = text[..at].matches('{').count().saturating_sub(text[..at].matches('}').count());
            let behind = &text[at + wanted.name.len()..];
            match file.kind_at(id.number) {
                DeclarationKind::Function if depth == 1 => {
                    let count = parameters(behind, &Family::Jvm.profile().members).len();
                    wanted.parameters == Some(count)
                }
                DeclarationKind::Property => depth == 1 && wanted.parameters.is_none(),
                DeclarationKind::ConstructorProperty => depth == 0 && wanted.parameters.is_none(),
                _ => false,
            }
        })
    }

    /// Returns what an alias of the library stands for.
    fn aliased(&self, file: &ProjectFile, alias: DeclarationId, wanted: WantedMember) -> Aliased {
        let range = file.range_of(alias.number);
        let text = file.slice(range);
        let Some(equals) = text.find('=') else { return Aliased::Java(MemberLookup::Unknown) };
        let behind = &text[equals + 1..];
        let first = equals + 1 + (behind.len() - behind.trim_start().len());
        let name = text[first..].split(['<', '\n']).next().unwrap_or("").trim_end();
        let last = first + name.rfind('.').map_or(0, |dot| dot + 1);
        let classes = match (u32::try_from(last), u32::try_from(first + name.len())) {
            (Ok(from), Ok(to)) => {
                self.library_ids(alias.file, TextRange::new(range.start + from, range.start + to))
            }
            _ => Vec::new(),
        };
        match classes.is_empty() {
            true => Aliased::Java(java_class_declares(name, wanted)),
            false => Aliased::Classes(classes),
        }
    }
}

/// What an alias stands for.
enum Aliased {
    Classes(Vec<DeclarationId>),
    /// A class of Java, and whether it declares the member.
    Java(MemberLookup),
}

/// Returns where the names of the classes stand from which a class of the library inherits.
fn bases_of(file: &ProjectFile, class: DeclarationId) -> Vec<TextRange> {
    let range = file.range_of(class.number);
    let text = file.slice(range);
    let head = &text[..text.find('{').unwrap_or(text.len())];
    let (mut depth, mut is_list, mut from, mut found) = (0_u32, false, 0, Vec::new());
    let mut push = |from: usize, to: usize| {
        let written = head[from..to].split(['<', '(']).next().unwrap_or("").trim_end();
        let last = from + written.rfind(['.', ' ']).map_or(0, |at| at + 1);
        if let (Ok(start), Ok(end)) = (u32::try_from(last), u32::try_from(from + written.len())) {
            found.push(TextRange::new(range.start + start, range.start + end));
        }
    };
    for (at, c) in head.char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            // The arrow of a function type closes nothing.
            '>' if !head[..at].ends_with('-') => depth = depth.saturating_sub(1),
            ':' if depth == 0 && !is_list => (is_list, from) = (true, at + 1),
            ',' if depth == 0 && is_list => {
                push(from, at);
                from = at + 1;
            }
            _ => {}
        }
    }
    if is_list {
        push(from, head.len());
    }
    found
}

/// Returns the package and the name of a class of the library.
fn qualified_name(file: &ProjectFile, class: DeclarationId) -> String {
    format!("{}.{}", file.package(), file.name_at(class.number))
}
