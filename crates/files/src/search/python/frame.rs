//! What is known of a group while it is read: whether there is something to repeat, and how long its matches can be.

/// How many characters a match can have.
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

/// What stands before the place that is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Last {
    /// Nothing: an alternative begins.
    Nothing,
    /// A place, such as `^` or `\b`, which cannot be repeated.
    Place,
    /// A group that never holds a character, such as a look-ahead; its text begins at this byte of what is written.
    Look(usize),
    /// Something that is repeated already.
    Repeated(Width),
    /// Anything else.
    Item(Width),
}

impl Last {
    fn width(self) -> Width {
        match self {
            Last::Nothing | Last::Place | Last::Look(_) => Width::NONE,
            Last::Repeated(width) | Last::Item(width) => width,
        }
    }
}

/// Which group it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// None: the whole pattern.
    Whole,
    /// One that only groups, or gives nothing back.
    Plain,
    /// One with this number.
    Capture(usize),
    /// `(?=` or `(?!`.
    Ahead,
    /// `(?<=` or `(?<!`.
    Behind,
    /// `(?(1)`.
    Conditional,
}

/// A group while it is read.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// Where it begins in the pattern.
    pub(super) start: usize,
    /// At which byte of what is written.
    pub(super) written: usize,
    /// White space and comments count for nothing.
    pub(super) verbose: bool,
    pub(super) last: Last,
    /// What stands before `last` in this alternative.
    before: Width,
    /// The alternatives before this one.
    others: Option<Width>,
}

impl Frame {
    pub(super) fn new(kind: Kind, start: usize, written: usize) -> Frame {
        Frame { kind, start, written, verbose: false, last: Last::Nothing, before: Width::NONE, others: None }
    }

    pub(super) fn put(&mut self, last: Last) {
        self.before = self.before.and(self.last.width());
        self.last = last;
    }

    pub(super) fn repeat(&mut self, at: usize, least: usize, most: usize) -> Result<(), String> {
        self.last = match self.last {
            Last::Nothing | Last::Place => {
                return Err(format!("there is nothing to repeat before position {at}"));
            }
            Last::Repeated(_) => {
                return Err(format!("a second quantifier follows the first at position {at}"));
            }
            Last::Look(_) => Last::Repeated(Width::NONE),
            Last::Item(width) => Last::Repeated(Width {
                least: width.least.saturating_mul(least),
                most: width.most.saturating_mul(most),
            }),
        };
        Ok(())
    }

    pub(super) fn alternative(&mut self, at: usize) -> Result<(), String> {
        if self.kind == Kind::Conditional && self.others.is_some() {
            return Err(format!("a condition has no third branch, as at position {at}"));
        }
        self.others = Some(self.width_so_far());
        (self.before, self.last) = (Width::NONE, Last::Nothing);
        Ok(())
    }

    /// Whether nothing of the pattern has been read yet but flags.
    pub(super) fn is_untouched(&self) -> bool {
        self.others.is_none() && self.before == Width::NONE && matches!(self.last, Last::Nothing)
    }

    /// Of all its alternatives.
    pub(super) fn width(&self) -> Width {
        match (self.kind, self.others) {
            // What is not there is an empty branch.
            (Kind::Conditional, None) => self.width_so_far().or(Width::NONE),
            _ => self.width_so_far(),
        }
    }

    fn width_so_far(&self) -> Width {
        let width = self.before.and(self.last.width());
        self.others.map_or(width, |others| others.or(width))
    }
}
