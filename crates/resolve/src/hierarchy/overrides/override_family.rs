//! The answer: what is linked to a member, and what may be.

use crate::hierarchy::heads::WrittenBase;
use crate::python::dynamic_classes::DynamicClass;
use crate::python::stand_ins::StandIn;
use crate::sources::IndexedDeclaration;
use symd_base::{RelPath, TextRange};

/// The family of a member: the declarations that are linked to it, and what may be linked.
#[derive(Clone, Debug, Default)]
pub struct OverrideFamily {
    /// All declarations of the member, in path order, then by position; the target is among them.
    pub members: Vec<IndexedDeclaration>,
    /// Members in classes that inherit from the target's class.
    pub in_subclasses: Vec<IndexedDeclaration>,
    /// Members in classes from which the target's class inherits.
    pub in_base_classes: Vec<IndexedDeclaration>,
    /// Evidence that something outside the project certainly declares the member too.
    pub outside_project: Vec<OutsideMember>,
    /// Bases of which the project's text does not determine what they are, or what they declare.
    pub unknown: Vec<UnknownBase>,
    /// Classes that possibly inherit from the target's class, and that declare the member or have subclasses
    /// that do.
    pub possible_subclasses: Vec<IndexedDeclaration>,
    /// Calls that create a class that inherits, or may inherit, from the target's class.
    pub dynamic: Vec<DynamicClass>,
    /// Uses of the member through `super()` in classes of the family: whichever class comes next is of the
    /// family too.
    pub through_super: Vec<(RelPath, TextRange)>,
    /// Places where classes of the family access members by computed names that may be this member's.
    pub by_computed_name: Vec<(RelPath, TextRange)>,
    /// Types that have every member of the interface, or protocol, that declares the member, without naming
    /// it as a base.
    pub structural: Vec<IndexedDeclaration>,
    /// Protocols that have the member, and that a class of the family satisfies without naming them as a
    /// base. Python alone.
    pub satisfied_protocols: Vec<IndexedDeclaration>,
    /// Members of the same name in classes that may be used in place of one of the family, as they declare
    /// the same members.
    pub stand_ins: Vec<StandIn>,
}

/// A member that overrides something outside the project.
#[derive(Clone, Debug)]
pub struct OutsideMember {
    /// The class that inherits the member.
    pub class: IndexedDeclaration,
    /// What declares the member: `threading.Thread`.
    pub base: String,
}

/// A base in a class's head that may declare the member.
#[derive(Clone, Debug)]
pub struct UnknownBase {
    pub class: IndexedDeclaration,
    /// The base as written in the head.
    pub written: WrittenBase,
    /// The name of the base, as far as it is known: `werkzeug.test.Client`, `make(Base)`.
    pub name: String,
    pub fact: UnknownFact,
}

/// The unknown fact about a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownFact {
    /// Whether the base, which is a class outside the project, declares the member.
    Members,
    /// Which class the base is.
    Class,
}
