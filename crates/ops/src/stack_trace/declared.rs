//! The rows of a file that a frame's names may mean. Rules of Kotlin's compiler (JVM) and of javac: the body of an enum's entry is
//! a class `Color$RED`, `@JvmName` names a function or an accessor, and constructors, initializers and the values of
//! properties are one method. Invariant: only what is compiled into the frame's class is meant, not what stands in a class within it.

use super::named_text::NamedText;
use super::names::{COMPANION, MemberName, SourceNames, is_made_class, is_unnamed_class, unhashed};
use super::place_in_file::attributed;
use super::value_classes;
use crate::naming::entity::before_name;
use crate::spot::whole_words;
use symd_base::TextRange;
use symd_resolve::is_type;
use symd_syntax::{Row, SymbolKind};

/// What a language's compiler makes of unnamed classes and lambdas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnnamedClasses {
    /// Kotlin's: those in functions and properties have their names; what is left stands in an initializer or a constructor.
    OfInitializers,
    /// javac's: those of a whole class are numbered.
    OfClasses,
}

/// A file's declarations as a frame names them.
pub(super) struct FrameDeclarations<'s> {
    source: &'s NamedText,
    names: &'s SourceNames,
    unnamed: UnnamedClasses,
    /// Whether the file declares the frame's outermost class, or is its facade.
    is_known: bool,
    /// The row of the innermost class of the frame that the file declares; an enum's entry with a body is one.
    class: Option<usize>,
    /// The functions or properties of which one holds the frame's class.
    around: Vec<usize>,
    /// The part of the frame's class that the file does not declare.
    missing: Option<&'s str>,
    /// Whether `class` is the class of the frame itself, not one around a lambda or a local class.
    is_whole_class: bool,
}

impl<'s> FrameDeclarations<'s> {
    pub(super) fn of(
        source: &'s NamedText,
        names: &'s SourceNames,
        unnamed: UnnamedClasses,
    ) -> FrameDeclarations<'s> {
        let outline = &source.current.outline;
        let top = (0..outline.rows.len()).find(|&row| {
            let this = &outline.rows[row];
            this.parent().is_none() && is_type(this.kind()) && outline.name(this) == names.outer
        });
        let mut all = FrameDeclarations {
            source,
            names,
            unnamed,
            is_known: top.is_some() || source.is_facade(&names.outer),
            class: top,
            around: Vec::new(),
            missing: None,
            is_whole_class: true,
        };
        if all.is_known {
            for part in &names.nested {
                if !all.enter(part) {
                    break;
                }
            }
        }
        all.is_whole_class &= !names.is_of_lambdas;
        if let Some(function) = names.inlined_in_value().filter(|_| all.around.is_empty()) {
            all.around = all.values_with(function);
        }
        all
    }

    /// Goes on to what the next part of the class's name means, and says whether the rest may be declared too: what stands in a
    /// function has no row.
    fn enter(&mut self, part: &'s str) -> bool {
        let is_class = |row: &usize| {
            let this = self.row(*row);
            this.parent() == self.class
                && (is_type(this.kind()) || this.kind() == SymbolKind::EnumMember)
                && self.name(*row) == part
        };
        if let Some(class) = self.rows_inside().find(is_class) {
            self.class = Some(class);
            return true;
        }
        if is_made_class(part) {
            return true;
        }
        self.is_whole_class = false;
        if is_unnamed_class(part) {
            return false;
        }
        let is_around = |row: &usize, name: &str| {
            let is_named = !is_type(self.row(*row).kind()) && self.name(*row) == name;
            is_named
                && (self.row(*row).parent() == self.class
                    || self.is_of_companion(*row) && self.is_value(*row))
        };
        let mut around: Vec<usize> = self.rows_inside().filter(|row| is_around(row, part)).collect();
        if around.is_empty() {
            around = self.rows_inside().filter(|row| is_around(row, unhashed(part))).collect();
        }
        self.missing = around.is_empty().then_some(part);
        self.around = around;
        false
    }

    /// Returns the properties of the class whose text has a word.
    fn values_with(&self, word: &str) -> Vec<usize> {
        let text = |row: usize| self.source.current.text.slice(self.row(row).range());
        let is_meant = |row: &usize| {
            self.row(*row).parent() == self.class
                && self.is_value(*row)
                && whole_words(text(*row), word).next().is_some()
        };
        self.rows_inside().filter(is_meant).collect()
    }

    fn row(&self, row: usize) -> &'s Row {
        &self.source.current.outline.rows[row]
    }

    fn name(&self, row: usize) -> &'s str {
        self.source.current.outline.name(self.row(row))
    }

    fn is_value(&self, row: usize) -> bool {
        is_value(self.row(row))
    }

    /// Returns what stands before a row's name: annotations and modifiers.
    fn modifiers(&self, row: usize) -> &'s str {
        before_name(self.source.current.text.as_str(), &self.source.current.outline, row)
    }

    /// Returns the rows beneath the frame's class; all rows if the file does not declare it.
    fn rows_inside(&self) -> std::ops::Range<usize> {
        match self.class {
            Some(class) => class + 1..class + 1 + self.row(class).descendants as usize,
            None => 0..self.source.current.outline.rows.len(),
        }
    }

    fn is_companion(&self, row: usize) -> bool {
        let has_word = || self.modifiers(row).split_whitespace().any(|word| word == "companion");
        is_type(self.row(row).kind()) && (self.name(row) == COMPANION || has_word())
    }

    /// Whether a row stands in the companion of the frame's class.
    fn is_of_companion(&self, row: usize) -> bool {
        let parent = self.row(row).parent();
        parent.is_some_and(|parent| self.row(parent).parent() == self.class && self.is_companion(parent))
            && self.class.is_some()
    }

    /// Whether a row is compiled into the frame's class: one of its own, or one of its companion that is static or keeps its value
    /// there.
    fn is_own(&self, row: usize) -> bool {
        if !self.is_known || self.row(row).parent() == self.class {
            return true;
        }
        self.is_of_companion(row)
            && (self.modifiers(row).contains("JvmStatic") || self.is_value(row) && !self.names.is_function)
    }

    pub(super) fn holds(&self, row: usize, line: usize) -> bool {
        holds(self.row(row), line)
    }

    /// Returns the line of a row's name, from 1.
    pub(super) fn line_of(&self, row: usize) -> usize {
        self.row(row).name_line as usize + 1
    }

    pub(super) fn class_line(&self) -> Option<usize> {
        self.class.map(|class| self.line_of(class))
    }

    pub(super) fn class_name(&self) -> Option<&'s str> {
        self.class.map(|class| self.name(class))
    }

    /// Whether the frame's method may be one that has no name in the source.
    pub(super) fn has_no_name(&self) -> bool {
        self.names.is_of_class || self.names.members.is_empty() || self.is_local()
    }

    /// Returns the part of the frame's class that the file does not declare.
    pub(super) fn missing(&self) -> Option<&'s str> {
        self.missing
    }

    /// Whether the frame's class stands in a function, an initializer or a value: its methods are no rows.
    pub(super) fn is_local(&self) -> bool {
        !self.is_whole_class
    }

    /// Whether the class holds the line; without a class the file does.
    pub(super) fn class_holds(&self, line: usize) -> bool {
        self.class.is_none_or(|class| self.holds(class, line))
    }

    /// Returns the rows that the frame's method may be, or in which its class stands.
    pub(super) fn members(&self) -> Vec<usize> {
        if self.is_known && !self.is_whole_class {
            return self.around.clone();
        }
        let named = self.members_named(&self.names.members);
        if !named.is_empty() || self.names.unhashed == self.names.members {
            return named;
        }
        let mut named = self.members_named(&self.names.unhashed);
        named.retain(|&row| !self.names.has_hash || self.may_have_hash(row));
        named
    }

    fn may_have_hash(&self, row: usize) -> bool {
        !self.row(row).kind().is_callable()
            || value_classes::may_have_hash(self.modifiers(row), self.head(row))
    }

    /// Returns a row's head from its name on.
    fn head(&self, row: usize) -> &'s str {
        let this = self.row(row);
        let end = this.name_start + u32::from(this.head);
        self.source.current.text.slice(TextRange::new(this.name_start, end))
    }

    fn members_named(&self, wanted: &[MemberName]) -> Vec<usize> {
        let written = wanted.first().map_or("", |first| first.name.as_str());
        let is_meant = |name: &MemberName, row: usize| {
            name.name == self.name(row) && (!name.is_of_property || self.is_value(row))
        };
        let is_named = |row: &usize| {
            // A function has one name in the class file, a property one for each accessor.
            let has_other_name = self.names.is_function
                && self.row(*row).kind().is_callable()
                && !self.source.jvm_names(*row).is_empty();
            self.source.jvm_names(*row).iter().any(|name| name == written)
                || !has_other_name && wanted.iter().any(|name| is_meant(name, *row))
        };
        self.rows_inside().filter(|row| is_named(row) && self.is_own(*row)).collect()
    }

    /// Whether a line is the one that compilers give to what they make for the class; that of a file's facade is the first.
    pub(super) fn is_class_line(&self, line: usize) -> bool {
        let is_head = |row: &Row| line == row.name_line as usize + 1 || line == row.start_line as usize + 1;
        self.class.map_or(self.is_known && line == 1, |class| is_head(self.row(class)))
    }

    /// Whether compilers may make a method of the same name that calls this one: an accessor, or a bridge to what overrides a method
    /// of other types.
    pub(super) fn may_have_caller(&self, row: usize) -> bool {
        let is_override = |word: &str| matches!(word, "override" | "@Override");
        let head = || self.class.map(|class| self.head(class));
        let has_supertypes = || {
            self.unnamed == UnnamedClasses::OfClasses
                && head().is_some_and(|head| head.contains(" extends ") || head.contains(" implements "))
        };
        self.names.is_accessor || self.modifiers(row).split_whitespace().any(is_override) || has_supertypes()
    }

    /// Whether a method without a name of the source's may have a line: an initializer, one that the compiler makes, or one of a lambda.
    pub(super) fn may_hold(&self, line: usize) -> bool {
        if self.names.is_of_file {
            return attributed(&self.source.current, line).is_some();
        }
        match (self.is_whole_class, self.unnamed) {
            (true, _) if self.names.is_of_class => self.initializes(line),
            (false, UnnamedClasses::OfInitializers) => self.initializes(line),
            (true, _) | (false, UnnamedClasses::OfClasses) => self.is_direct(line),
        }
    }

    /// Whether a line is in the frame's class and in no class within it.
    fn is_direct(&self, line: usize) -> bool {
        let mut row = attributed(&self.source.current, line);
        while let Some(at) = row {
            if Some(at) == self.class || is_type(self.row(at).kind()) {
                return Some(at) == self.class;
            }
            row = self.row(at).parent();
        }
        self.class.is_none()
    }

    /// Whether a line is in a constructor, an initializer or a value of the frame's class: in no function of another name, and in no
    /// other class.
    fn initializes(&self, line: usize) -> bool {
        let Some(mut row) = attributed(&self.source.current, line) else { return false };
        while Some(row) != self.class {
            let this = self.row(row);
            // Values of a companion are those of the class around it.
            let is_other_class = is_type(this.kind())
                && !(self.names.is_static && self.class.is_some() && self.is_companion(row));
            if is_other_class || this.kind().is_callable() && this.kind() != SymbolKind::Constructor {
                return false;
            }
            match this.parent() {
                Some(parent) => row = parent,
                None => return self.class.is_none(),
            }
        }
        true
    }

    /// Returns the only constructor or field with a value of a class of Java's that an initializer without a line may be in. Of
    /// Kotlin's, initializers are no rows: any may be meant.
    pub(super) fn only_initializer(&self) -> Option<usize> {
        let class = self.class.filter(|_| self.names.is_initializer && self.is_whole_class)?;
        let of_class = |row: &usize| self.row(*row).parent() == Some(class) && self.has_initializer(*row);
        let mut found = self.rows_inside().filter(of_class);
        let only = found.next().filter(|_| found.next().is_none())?;
        (self.names.is_javas_lambda || self.name(only) == self.name(class)).then_some(only)
    }

    /// Whether a method that Kotlin's compiler made for the frame's class, and that no row has the name of, can only be the class's:
    /// its one constructor with default arguments, or a method that the class delegates.
    pub(super) fn only_made_of_class(&self) -> bool {
        let Some(class) = self.class.filter(|_| self.is_whole_class) else { return false };
        let is_constructor = |row: usize| {
            self.row(row).parent() == Some(class) && self.row(row).kind() == SymbolKind::Constructor
        };
        if self.unnamed != UnnamedClasses::OfInitializers || self.names.is_static {
            return false;
        }
        match self.names.is_initializer {
            true => !self.rows_inside().any(is_constructor),
            false => !self.names.members.is_empty() && self.head(class).contains(" by "),
        }
    }

    fn has_initializer(&self, row: usize) -> bool {
        let this = self.row(row);
        let text = self.source.current.text.slice(this.range());
        let is_of_class = self.modifiers(row).split_whitespace().any(|word| word == "static");
        let has_value = is_value(this) && (text.contains('=') || text.contains(" by "))
            || this.kind() == SymbolKind::Constructor;
        let has_lambda = !self.names.is_javas_lambda || text.contains("->");
        has_value && has_lambda && is_of_class == self.names.is_static
    }
}

fn holds(row: &Row, line: usize) -> bool {
    (row.start_line as usize) < line && line <= row.end_line as usize + 1
}

fn is_value(row: &Row) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    !row.is_local() && matches!(row.kind(), Constant | Field | Property | Variable)
}
