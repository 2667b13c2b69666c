//! Code that depends on the order in which a type declares its constants.

/// How code of a language reads the position of an enumeration's constant.
#[derive(Debug)]
pub(crate) struct PositionRules {
    /// The member of a constant that is its position.
    pub(crate) member: &'static str,
    /// Whether that is a method.
    pub(crate) member_is_called: bool,
    /// What stands behind the enumeration's name for the list of its constants, without white space.
    pub(crate) lists: &'static [&'static str],
    /// What reads one of a list by its position, behind the list.
    pub(crate) indexing: &'static [&'static str],
    /// Calls behind a list that give a list in the same order.
    pub(crate) passing: &'static [&'static str],
    /// The beginnings of blocks that have what is named before them as their object: `.run{`.
    pub(crate) blocks_behind: &'static [&'static str],
    /// Calls whose block has their argument as its object: `with(`.
    pub(crate) blocks_of_argument: &'static [&'static str],
    /// The types to which a cast turns a constant into its position: `as u8`.
    pub(crate) casts: &'static [&'static str],
    /// The derived traits whose code holds the positions.
    pub(crate) derives: &'static [&'static str],
    /// The arguments of `repr`, beside the types of casts, for which the positions are known to code that names none.
    pub(crate) layouts: &'static [&'static str],
    /// Whether a type follows the name of its value, behind a colon: `color: Color`. Otherwise it precedes it.
    pub(crate) types_follow: bool,
    /// What precedes the type that a function returns, behind its parameters.
    pub(crate) returns: &'static str,
}

impl PositionRules {
    /// For languages whose constants have no positions, or count by them always.
    pub(crate) const NONE: PositionRules = PositionRules {
        member: "",
        member_is_called: false,
        lists: &[],
        indexing: &[],
        passing: &[],
        blocks_behind: &[],
        blocks_of_argument: &[],
        casts: &[],
        derives: &[],
        layouts: &[],
        types_follow: false,
        returns: "",
    };

    /// Whether some code of the language can tell the position of a constant.
    pub(crate) fn are_read(&self) -> bool {
        !self.member.is_empty() || !self.casts.is_empty()
    }
}
