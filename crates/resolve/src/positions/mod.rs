//! Code that depends on the order in which a type declares its constants or fields, so that deleting one changes or breaks it. By the
//! text around the type's name. Invariant: a place that is returned is code that names the type, or a value of it.

mod arguments;
mod constants;
mod initializers;
mod lists;
mod literals;
mod ordinals;
mod received;
mod typed_names;
mod unpacked;

use super::family::Family;
use super::occurrence::Judgement;
use super::occurrences::occurrences;
use super::profiles::{FieldValues, LanguageProfile};
use super::resolver::{CurrentFile, Resolver};
use super::sources::{IndexedDeclaration, Sources};
use super::unseen_user::UnseenUser;
use std::rc::Rc;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::{Row, SymbolKind};

/// Code that depends on the order of a type's declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionUse {
    pub path: RelPath,
    /// 0-based.
    pub line: u32,
    /// The line, or its beginning.
    pub code: String,
}

/// Finds code that would mean something else without the target, or break, since it counts the constants or fields of a type.
pub(super) fn find_position_user(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Option<UnseenUser>, Cancelled> {
    let (Some(family), Some((_, row))) = (Family::of(&target.file), target.row()) else { return Ok(None) };
    let resolver = Resolver::new(sources, family, cancel);
    let Some(language) = LanguageProfile::of(&target.file) else { return Ok(None) };
    let target = &resolver.refreshed(target);
    let of_fields = match (language.field_values, row.kind()) {
        (_, SymbolKind::EnumMember) => {
            return Ok(constants::find(&resolver, target)?.map(UnseenUser::PositionRead));
        }
        (FieldValues::Arguments(rules), _) => arguments::find(&resolver, target, rules)?,
        (FieldValues::Braces | FieldValues::Initializers, SymbolKind::Field) => {
            literals::find(&resolver, target)?
        }
        _ => None,
    };
    Ok(of_fields.map(UnseenUser::FieldByPosition))
}

/// How many characters of a line are shown.
const MAX_SHOWN: usize = 80;

impl PositionUse {
    /// Returns the line of byte `at`.
    fn at(here: &CurrentFile, at: usize) -> PositionUse {
        let text = here.text.as_str();
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let shown = text[start..].lines().next().unwrap_or("").trim();
        let line = here.text.line_column(u32::try_from(at).unwrap_or(u32::MAX)).line;
        let code = match shown.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}…", &shown[..end]),
            None => shown.to_owned(),
        };
        PositionUse { path: here.file.path.clone(), line, code }
    }
}

/// Returns the constructor that a class declares, which takes the place of a generated one.
fn own_constructor(here: &CurrentFile, class: usize) -> Option<&Row> {
    let is_own = |row: &&Row| row.parent() == Some(class) && row.kind() == SymbolKind::Constructor;
    here.outline.rows.iter().find(is_own)
}

/// The places of a file that name a type, or may.
struct TypeUses {
    here: Rc<CurrentFile>,
    ranges: Vec<TextRange>,
}

/// Returns where code names a type, by files, its declaration included.
fn uses_of_type(resolver: &Resolver, target: &IndexedDeclaration) -> Result<Vec<TypeUses>, Cancelled> {
    let mut all: Vec<TypeUses> = Vec::new();
    for one in occurrences(resolver.sources, std::slice::from_ref(target), resolver.cancel)? {
        if one.judgement == Judgement::Unlikely {
            continue;
        }
        if let Some(last) = all.last_mut().filter(|last| last.here.file.path == one.path) {
            last.ranges.push(one.range);
            continue;
        }
        let here = resolver.file(one.path.as_str()).and_then(|file| resolver.read_file(file));
        all.extend(here.map(|here| TypeUses { here, ranges: vec![one.range] }));
    }
    Ok(all)
}
