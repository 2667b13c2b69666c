//! The state of a group while it is parsed: whether its last item can be repeated, and how long its matches
//! can be.

/// The range of lengths of a match, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl Width {
    pub(super) const NONE: Width = Width { least: 0, most: 0 };
    pub(super) const ONE: Width = Width { least: 1, most: 1 };

    fn and(self, next: Width) -> Width {
        Width { least: self.least.saturating_add(next.least), most: self.most.saturating_add(next.most) }
    }

    pub(super) fn or(self, other: Width) -> Width {
        Width { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// The item before the current position.
#[derive(Clone, Copy, Debug)]
pub(super) enum LastItem {
    /// None: an alternative begins.
    Nothing,
    /// An assertion of a position, such as `^` or `\b`, which cannot be repeated.
    Assertion,
    /// A group that never consumes a character, such as a look-ahead, with the byte of the output at which it
    /// begins.
    ZeroWidth(usize),
    /// An item with a quantifier.
    Repeated(Width),
    /// Any other item.
    Item(Width),
}

impl LastItem {
    fn width(self) -> Width {
        match self {
            LastItem::Nothing | LastItem::Assertion | LastItem::ZeroWidth(_) => Width::NONE,
            LastItem::Repeated(width) | LastItem::Item(width) => width,
        }
    }
}

/// The kind of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The whole pattern.
    Whole,
    /// A non-capturing or an atomic group.
    Plain,
    /// A capturing group with this number.
    Capture(usize),
    /// A look-ahead, `(?=` or `(?!`.
    Ahead,
    /// A look-behind, `(?<=` or `(?<!`.
    Behind,
    /// A conditional, `(?(1)`.
    Conditional,
}

/// A group while it is parsed.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// The position of the group in the pattern.
    pub(super) start: usize,
    /// The byte of the output at which the group begins.
    pub(super) written: usize,
    /// Whether white space and comments are ignored.
    pub(super) verbose: bool,
    pub(super) last: LastItem,
    /// The width of the items before `last` in this alternative.
    before: Width,
    /// The width of the alternatives before this one.
    others: Option<Width>,
}

impl Frame {
    pub(super) fn new(kind: Kind, start: usize, written: usize) -> Frame {
        Frame {
            kind,
            start,
            written,
            verbose: false,
            last: LastItem::Nothing,
            before: Width::NONE,
            others: None,
        }
    }

    pub(super) fn put(&mut self, last: LastItem) {
        self.before = self.before.and(self.last.width());
        self.last = last;
    }

    pub(super) fn repeat(&mut self, at: usize, least: usize, most: usize) -> Result<(), String> {
        self.last = match self.last {
            LastItem::Nothing | LastItem::Assertion => {
                return Err(format!("there is nothing to repeat before position {at}"));
            }
            LastItem::Repeated(_) => {
                return Err(format!("a second quantifier follows the first at position {at}"));
            }
            LastItem::ZeroWidth(_) => LastItem::Repeated(Width::NONE),
            LastItem::Item(width) => LastItem::Repeated(Width {
                least: width.least.saturating_mul(least),
                most: width.most.saturating_mul(most),
            }),
        };
        Ok(())
    }

    pub(super) fn alternative(&mut self, at: usize) -> Result<(), String> {
        if self.kind == Kind::Conditional && self.others.is_some() {
            return Err(format!("a condition can have two branches only; a third begins at position {at}"));
        }
        self.others = Some(self.width_so_far());
        (self.before, self.last) = (Width::NONE, LastItem::Nothing);
        Ok(())
    }

    /// Whether nothing but flags has been parsed yet.
    pub(super) fn is_untouched(&self) -> bool {
        self.others.is_none() && self.before == Width::NONE && matches!(self.last, LastItem::Nothing)
    }

    /// Returns the width of all alternatives together.
    pub(super) fn width(&self) -> Width {
        match (self.kind, self.others) {
            // A missing second branch is an empty one.
            (Kind::Conditional, None) => self.width_so_far().or(Width::NONE),
            _ => self.width_so_far(),
        }
    }

    fn width_so_far(&self) -> Width {
        let width = self.before.and(self.last.width());
        self.others.map_or(width, |others| others.or(width))
    }
}
