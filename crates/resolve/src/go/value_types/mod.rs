//! The types of values in Go code, as far as declarations tell: of `book` in `book.Title()` where `book *Book` is declared, of
//! `NewBook()`, of what fields, slices and maps hold, of promoted members. Reads the text backwards from the dot; the types of locals
//! come from the tree. Invariant: terminates on every input; a value of which something is not declared in the project, and that a type
//! argument or an `any` may have brought from it, is unknown.

mod calls;
mod literals;
mod locals;
mod members;
mod receivers;
mod text_around;
mod values;
mod written;

use std::sync::Arc;

use self::members::GoMemberSet;
pub(crate) use self::receivers::{GoMethod, methods_called, receiver_of};
pub(crate) use self::text_around::embeds;
use crate::context::last_word;
use crate::family::Family;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;

/// How many expressions, declarations and types are followed from one to the next.
const MAX_DEPTH: usize = 24;

/// The type of a value.
#[derive(Clone, Debug)]
enum GoType {
    Unknown,
    /// Declared outside of the project, without type arguments: so is everything that its members give.
    Outside,
    /// A type that the project declares.
    Named(IndexedDeclaration),
    Package(Module),
    /// A package outside of the project, and whether none of its functions has type parameters.
    OutsidePackage {
        is_plain: bool,
    },
    /// A slice, an array, or several arguments.
    List(TypeSpot),
    Channel(TypeSpot),
    Map {
        key: TypeSpot,
        value: TypeSpot,
    },
    /// A function, whose parameters begin at the spot.
    Function(TypeSpot),
}

/// Where a type is written.
#[derive(Clone, Debug)]
struct TypeSpot {
    file: Arc<FileEntry>,
    /// The byte where it begins.
    at: usize,
}

/// Resolves the member `name` at byte `start`, behind the dot of a value.
pub(crate) fn member(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let reader = GoReader { resolver };
    let Some(owner) = reader.owner(here, start, MAX_DEPTH)? else { return Ok(Meaning::Unknown) };
    reader.member(&owner.ty, name, MAX_DEPTH)
}

/// Whether the name at byte `start` is a member that a value has from a type outside of the project.
pub(crate) fn is_member_of_outside_value(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<bool, Cancelled> {
    let reader = GoReader { resolver };
    let Some(owner) = reader.owner(here, start, MAX_DEPTH)? else { return Ok(false) };
    let is_package = matches!(owner.ty, GoType::Package(_) | GoType::OutsidePackage { .. });
    Ok(!is_package && matches!(reader.member(&owner.ty, name, MAX_DEPTH)?, Meaning::OutsideProject))
}

/// Whether the name at byte `start` stands in the body of an interface, as a method's.
pub(crate) fn is_in_interface(here: &CurrentFile, start: usize) -> bool {
    let text = here.text.as_str();
    let open = text_around::opening(text, start).filter(|open| text[*open..].starts_with('{'));
    open.is_some_and(|open| last_word(text_around::before(here, open)) == "interface")
}

/// Returns the fields and methods called `name` that a type declares itself.
pub(crate) fn own_members_of(
    resolver: &Resolver,
    ty: &IndexedDeclaration,
    name: &str,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let reader = GoReader { resolver };
    reader.own(ty, &reader.underlying(ty, MAX_DEPTH)?, name, GoMemberSet::All)
}

/// What a key of a composite literal is, `T{key: value}`.
#[derive(Debug)]
pub(crate) enum LiteralEntry {
    /// The name of a field, with its meaning.
    Field(Meaning),
    /// An expression.
    Value,
    /// One of both.
    Unknown,
}

/// Tells what the key `name` at byte `start` of a composite literal is.
pub(crate) fn literal_key(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<LiteralEntry, Cancelled> {
    let reader = GoReader { resolver };
    let Some(open) = text_around::opening(here.text.as_str(), start) else {
        return Ok(LiteralEntry::Unknown);
    };
    let literal = reader.literal_type(here, open, MAX_DEPTH)?;
    Ok(match reader.unnamed(literal.clone(), MAX_DEPTH)? {
        GoType::Named(_) => LiteralEntry::Field(reader.field(&literal, name, MAX_DEPTH)?),
        GoType::Map { .. } | GoType::List(_) => LiteralEntry::Value,
        _ => LiteralEntry::Unknown,
    })
}

/// Reads types and expressions.
struct GoReader<'r, 's> {
    resolver: &'r Resolver<'s>,
}

impl GoReader<'_, '_> {
    /// Returns the type that is written at a spot.
    fn at_spot(&self, spot: &TypeSpot, depth: usize) -> Result<GoType, Cancelled> {
        match self.resolver.read_file(&spot.file) {
            Some(here) => self.written(&here, spot.at, depth),
            None => Ok(GoType::Unknown),
        }
    }
}

fn spot(here: &CurrentFile, at: usize) -> TypeSpot {
    TypeSpot { file: here.file.clone(), at }
}

/// Returns the byte behind the name of a declaration, in the file as it is now.
fn name_end(here: &CurrentFile, declared: &IndexedDeclaration) -> Option<usize> {
    let row = &here.outline.rows[here.row_of(declared)?];
    Some(row.name_start as usize + usize::from(row.name_len))
}

const GO: Family = Family::Go;
