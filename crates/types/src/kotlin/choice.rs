//! The choice among declarations of one name and one scope, by what stands before the name and what it is given.

use super::applicability::pair_arguments;
use super::callables::{Arguments, ValueParameter};
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse};
use super::resolve::Certainty;
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What stands before a name.
#[derive(Clone, Copy)]
pub(super) enum Receivers<'a> {
    /// Nothing; these objects are in scope, the innermost first.
    Implicit(&'a [Type]),
    /// A value, whose extensions are asked for.
    Explicit(&'a Type),
    /// A value, whose members are asked for.
    Member(&'a Type),
}

/// What of a function counts when it is compared with others for a call.
struct CallSignature {
    receiver: Option<Type>,
    /// Its type parameters.
    own: Vec<DeclarationId>,
    /// The parameters that the arguments are for, in the order of the arguments.
    taken: Vec<ValueParameter>,
    has_vararg: bool,
    /// How many parameters the call leaves to their defaults.
    defaults: usize,
}

impl Universe<'_> {
    /// Chooses among declarations of one level; `None` when none fits. Those that do not fit are kept in
    /// `unfit`.
    pub(super) fn choose(
        &self,
        file: &ProjectFile,
        members: Vec<Member>,
        wanted: NameUse,
        receivers: Receivers,
        unfit: &mut Vec<Member>,
    ) -> Option<Lookup> {
        let mut fitting: Vec<(Fit, Member)> = Vec::new();
        for member in members {
            let Some(kind) = self.kind(member.declaration) else { continue };
            if self.takes_only_likely_external(&member, receivers) {
                unfit.push(member);
                continue;
            }
            let by_receiver = self.fits_receiver(&member, receivers);
            let fit = match wanted {
                _ if by_receiver == Fit::No => continue,
                NameUse::Value if kind.is_variable() || kind.is_object() => Fit::Yes,
                // `isOpen()` that overrides a Java method is also read as `isOpen`.
                NameUse::Value if kind.is_function() && self.name(member.declaration).starts_with("is") => {
                    Fit::No
                }
                NameUse::Value => continue,
                NameUse::Reference if kind.is_function() || kind.is_variable() || kind.is_class() => Fit::Yes,
                NameUse::Reference => continue,
                NameUse::Call(arguments) => match self.fits_call(file, &member, arguments, receivers) {
                    Some(fit) => fit,
                    None => continue,
                },
            };
            match fit.min(by_receiver) {
                Fit::No => unfit.push(member),
                fit => fitting.push((fit, member)),
            }
        }
        let is_last = |member: &Member| {
            self.get(member.declaration).is_some_and(|(_, one)| one.modifiers.has_low_priority)
        };
        let has_last = fitting.iter().any(|(_, member)| is_last(member));
        let is_sure = |one: &Member| match (receivers, self.extension_receiver(one.declaration)) {
            (Receivers::Explicit(ty), Some(wanted)) => !self.is_open_within(ty, &wanted),
            _ => true,
        };
        let may_be_last =
            has_last && fitting.iter().all(|(fit, one)| is_last(one) || *fit != Fit::Yes || !is_sure(one));
        if has_last && fitting.iter().any(|(_, member)| !is_last(member)) {
            if may_be_last {
                // Those that come first take no `Column<*>` if they extend `Column<Id>`.
                let candidates = fitting.into_iter().map(|(_, member)| member).collect();
                let nothing = Lookup::nothing(false);
                return Some(Lookup { candidates, certainty: Certainty::Likely, is_open: true, ..nothing });
            }
            fitting.retain(|(_, member)| !is_last(member));
        }
        // Functions count before variables that can be called.
        if matches!(wanted, NameUse::Call(_)) {
            let is_variable =
                |member: &Member| self.kind(member.declaration).is_some_and(DeclarationKind::is_variable);
            if fitting.iter().any(|(_, member)| !is_variable(member)) {
                fitting.retain(|(_, member)| !is_variable(member));
            }
        }
        let mut best = fitting.iter().map(|(fit, _)| *fit).max()?;
        let mut has_open = false;
        let had_others = fitting.len() > 1;
        if fitting.iter().any(|(fit, _)| *fit == Fit::Yes) {
            // A class from outside behind an alias may have a constructor that needs no defaults.
            let needs_defaults = |one: &Member| match wanted {
                NameUse::Call(arguments) => self.parameters(one.declaration).len() > arguments.count(),
                _ => false,
            };
            let may_be_outside = fitting.iter().all(|(fit, one)| *fit != Fit::Yes || needs_defaults(one));
            let is_alias = |one: &Member| self.kind(one.declaration) == Some(DeclarationKind::TypeAlias);
            // What the bounds leave open may be more specific.
            let is_open = |one: &Member| match wanted {
                NameUse::Call(arguments) if self.kind(one.declaration) == Some(DeclarationKind::Function) => {
                    self.fits_bounds_of_call(file, one, arguments, receivers) == Fit::Unknown
                }
                _ => false,
            };
            let sure: Vec<Member> =
                fitting.iter().filter(|(fit, _)| *fit == Fit::Yes).map(|(_, one)| one.clone()).collect();
            let may_be_nearer = |one: &Member| match wanted {
                NameUse::Call(arguments) => {
                    sure.iter().all(|other| self.may_come_before(file, one, other, arguments))
                }
                _ => false,
            };
            fitting.retain(|(fit, one)| {
                *fit == Fit::Yes || may_be_outside && is_alias(one) || {
                    let is_open = is_open(one) || may_be_nearer(one);
                    has_open |= is_open;
                    is_open
                }
            });
        }
        if has_open {
            best = Fit::Unknown;
        }
        let mut candidates: Vec<Member> = fitting.into_iter().map(|(_, member)| member).collect();
        if let NameUse::Call(arguments) = wanted {
            candidates = self.most_specific(file, candidates, arguments, best);
        }
        if best == Fit::Yes && !matches!(wanted, NameUse::Call(_)) {
            candidates = self.nearest_extensions(candidates);
        }
        let is_one = self.are_one_symbol(&candidates);
        let certainty = match (is_one, best) {
            (true, Fit::Yes) => Certainty::Certain,
            // One candidate that nothing contradicts.
            (true, _) if !had_others => match receivers {
                Receivers::Implicit([]) => Certainty::Certain,
                _ => Certainty::Likely,
            },
            _ => Certainty::Likely,
        };
        Some(Lookup { candidates, certainty, is_open: best == Fit::Unknown, ..Lookup::nothing(false) })
    }

    /// Adds the project's declarations further out that a call may mean, where types that are not known decide
    /// whether it means those that were found.
    pub(super) fn with_further(
        &self,
        file: &ProjectFile,
        mut found: Lookup,
        further: Vec<Vec<DeclarationId>>,
        wanted: NameUse,
        receivers: Receivers,
    ) -> Lookup {
        if !found.is_open || !matches!(wanted, NameUse::Call(_)) {
            return found;
        }
        // Of an object that is not known the library's extensions are as likely, and so are its functions where arguments decide.
        let has_library = !matches!(receivers, Receivers::Explicit(ty) if !ty.is_unknown());
        for tier in further {
            let meant = tier.into_iter().filter(|id| has_library || !self.of_library(*id));
            let meant = meant.map(Member::new).collect();
            let Some(more) = self.choose(file, meant, wanted, receivers, &mut Vec::new()) else { continue };
            let known =
                |one: &Member| found.candidates.iter().any(|known| known.declaration == one.declaration);
            let new: Vec<Member> = more.candidates.into_iter().filter(|one| !known(one)).collect();
            if !new.is_empty() {
                found.candidates.extend(new);
                found.certainty = found.certainty.min(Certainty::Likely);
            }
        }
        found
    }

    fn fits_receiver(&self, member: &Member, receivers: Receivers) -> Fit {
        let Some(wanted) = self.extension_receiver(member.declaration) else {
            return match receivers {
                Receivers::Explicit(_) => Fit::No,
                _ => Fit::Yes,
            };
        };
        // Of a member of a class with type arguments.
        let wanted = member.substitution.apply(&wanted);
        let own = self.type_parameters(member.declaration);
        let fits = |ty: &Type| self.fits(ty, &wanted, &own);
        match receivers {
            Receivers::Member(_) => Fit::Yes,
            Receivers::Explicit(ty) => fits(ty),
            Receivers::Implicit(all) => all.iter().map(fits).max().unwrap_or(Fit::No),
        }
    }

    /// Returns whether a declaration can be called so; `None` when it is nothing that is called.
    pub(super) fn fits_call(
        &self,
        file: &ProjectFile,
        member: &Member,
        arguments: &Arguments,
        receivers: Receivers,
    ) -> Option<Fit> {
        let id = member.declaration;
        match self.kind(id)? {
            DeclarationKind::Function => {
                let own = self.type_parameters(id);
                if !self.has_form(id, arguments.form)
                    || arguments.types.is_some_and(|list| self.type_arguments(file, list).len() != own.len())
                {
                    return Some(Fit::No);
                }
                let mut parameters = self.parameters(id);
                let mut bound = member.substitution.clone();
                let extended = self.extension_receiver(id);
                let by_bounds = self.fits_bounds_of_call(file, member, arguments, receivers);
                if by_bounds == Fit::No {
                    return Some(Fit::No);
                }
                if let Some(wanted) = &extended {
                    match receivers {
                        Receivers::Explicit(ty) | Receivers::Member(ty) => {
                            self.unify(wanted, ty, &own, &mut bound);
                        }
                        Receivers::Implicit(_) => {}
                    }
                }
                for parameter in &mut parameters {
                    // The receiver is only one of the values that determine what the type parameter stands for.
                    let is_open = |one: &DeclarationId| {
                        own.contains(one) && !extended.as_ref().is_some_and(|ty| self.fixes(ty, *one))
                    };
                    if !matches!(&parameter.ty, Type::Parameter(one) if is_open(one)) {
                        parameter.ty = bound.apply(&parameter.ty);
                    }
                }
                Some(self.is_applicable(file, &parameters, arguments, &own).min(by_bounds))
            }
            DeclarationKind::TypeAlias => match self.class_behind(id) {
                Some(class) => Some(self.fits_construction(file, class, arguments)),
                None => Some(Fit::Unknown),
            },
            DeclarationKind::Object | DeclarationKind::Companion | DeclarationKind::EnumEntry => {
                let members = self.members(&self.self_type(id), "invoke", &DeclarationKind::is_function);
                (!members.found.is_empty()).then_some(Fit::Unknown)
            }
            kind if kind.is_class() => Some(self.fits_construction(file, id, arguments)),
            kind if kind.is_variable() => match self.member_type(member, None) {
                Type::Function(function) => {
                    let takes = self.takes_arguments(file, &function, arguments);
                    Some(if takes { Fit::Yes } else { Fit::No })
                }
                _ => self.is_invocable(id).then_some(Fit::Yes),
            },
            _ => None,
        }
    }

    /// Returns whether a call of a function is within the bounds that type parameters give its own.
    fn fits_bounds_of_call(
        &self,
        file: &ProjectFile,
        member: &Member,
        arguments: &Arguments,
        receivers: Receivers,
    ) -> Fit {
        let id = member.declaration;
        let own = self.type_parameters(id);
        if own.is_empty() {
            return Fit::Yes;
        }
        let object = || {
            let wanted = self.extension_receiver(id)?;
            let object = match receivers {
                Receivers::Explicit(ty) | Receivers::Member(ty) => ty.clone(),
                Receivers::Implicit(all) => {
                    let mut fitting = all.iter().filter(|one| self.fits(one, &wanted, &own) != Fit::No);
                    match (fitting.next(), fitting.next()) {
                        (Some(one), None) => one.clone(),
                        _ => Type::Unknown,
                    }
                }
            };
            Some((wanted, object))
        };
        self.fits_bounds_among(file, &self.parameters(id), arguments, &own, &member.substitution, object)
    }

    fn fits_construction(&self, file: &ProjectFile, class: DeclarationId, arguments: &Arguments) -> Fit {
        let fit = self.is_made(file, class, arguments);
        let Some(companion) = self.companion(class).filter(|_| fit == Fit::No) else { return fit };
        let ty = self.self_type(companion);
        let invoke = self.members(&ty, "invoke", &DeclarationKind::is_function).found;
        let fits = |one: &Member| self.fits_call(file, one, arguments, Receivers::Member(&ty));
        invoke.iter().filter_map(fits).max().unwrap_or(Fit::No)
    }

    /// Returns whether a constructor of a class takes these arguments, or, for a `fun interface`, whether they are a lambda.
    pub(super) fn is_made(&self, file: &ProjectFile, class: DeclarationId, arguments: &Arguments) -> Fit {
        let constructors = self.constructors(class);
        let own = self.type_parameters(class);
        if constructors.is_empty() {
            // A lambda makes an object of a `fun interface`; of a class there is a constructor without parameters.
            let is_interface = self.kind(class) == Some(DeclarationKind::Interface);
            let made = || match (&arguments.values[..], arguments.lambda) {
                ([], Some(_)) => Fit::Yes,
                ([one], None) => self.argument_fits(file, one.value, &self.self_type(class), &own),
                _ => Fit::No,
            };
            let is_plain = arguments.values.is_empty() && arguments.lambda.is_none();
            return match is_interface {
                true if self.takes_lambdas(class) => made(),
                true => Fit::No,
                false if is_plain => Fit::Yes,
                false => Fit::No,
            };
        }
        let fits = |constructor: &DeclarationId| {
            let parameters = self.parameters(*constructor);
            let around = Substitution::default();
            self.is_applicable(file, &parameters, arguments, &own).min(self.fits_bounds_among(
                file,
                &parameters,
                arguments,
                &own,
                &around,
                || None,
            ))
        };
        constructors.iter().filter(|one| self.is_visible(file, **one)).map(fits).max().unwrap_or(Fit::No)
    }

    /// Keeps the candidate that is more specific than all others: by the types of the parameters that the arguments are for, then by having
    /// no `vararg` and needing fewer defaults, then by having no type parameters, which also decides where the types do not (K2's
    /// ConeOverloadConflictResolver compares twice). Types decide only among those that certainly take the arguments (`fit`); otherwise what is not known decides, unless all take the same.
    fn most_specific(
        &self,
        file: &ProjectFile,
        candidates: Vec<Member>,
        arguments: &Arguments,
        fit: Fit,
    ) -> Vec<Member> {
        if candidates.len() < 2 {
            return candidates;
        }
        let signatures = candidates.iter().map(|one| self.signature(file, one, arguments));
        // What is outside the project, behind an alias, is compared with nothing.
        let Some(signatures) = signatures.collect::<Option<Vec<CallSignature>>>() else {
            return candidates;
        };
        let fits =
            |one: usize, two: usize| self.is_as_specific(file, &signatures[one], &signatures[two], arguments);
        let takes_the_same =
            |one: usize, two: usize| fits(one, two) == Fit::Yes && fits(two, one) == Fit::Yes;
        let has_better_shape = |one: usize, two: usize| {
            let (mine, theirs) = (&signatures[one], &signatures[two]);
            match (mine.has_vararg, theirs.has_vararg) {
                (false, true) => true,
                (true, false) => false,
                _ => mine.defaults < theirs.defaults,
            }
        };
        let is_plainer = |one: usize, two: usize| {
            let (mine, theirs) = (&signatures[one], &signatures[two]);
            let has_same_shape = !has_better_shape(one, two) && !has_better_shape(two, one);
            has_same_shape && mine.own.is_empty() && !theirs.own.is_empty()
        };
        let is_better = |one: usize, two: usize| match takes_the_same(one, two) {
            true => has_better_shape(one, two) || is_plainer(one, two),
            false => fit == Fit::Yes && fits(one, two) == Fit::Yes,
        };
        // A platform sees `expect` or one `actual`: they do not compete.
        let is_same = |one: usize, two: usize| {
            self.is_same_symbol(candidates[one].declaration, candidates[two].declaration)
        };
        let all = 0..candidates.len();
        let is_best = |one: &usize| all.clone().all(|two| is_same(*one, two) || is_better(*one, two));
        let best: Vec<Member> = all.clone().filter(is_best).map(|at| candidates[at].clone()).collect();
        if self.are_one_symbol(&best) {
            return best;
        }
        // Where certainly none is more specific, what has no type parameters comes before what has some.
        let is_beaten = |one: usize| all.clone().any(|two| two != one && fits(one, two) == Fit::No);
        let is_decided = fit == Fit::Yes && all.clone().all(is_beaten);
        let is_plain = |one: usize| signatures[one].own.is_empty();
        let is_first = |one: &usize| {
            let is_before = |two: usize| !is_plain(two) || is_same(*one, two) || is_better(*one, two);
            is_decided && is_plain(*one) && all.clone().all(is_before)
        };
        let first: Vec<Member> = all.clone().filter(is_first).map(|at| candidates[at].clone()).collect();
        if self.are_one_symbol(&first) { first } else { candidates }
    }

    /// Whether a function takes, for these arguments, only what another one takes too: it is not less specific.
    fn is_as_specific(
        &self,
        file: &ProjectFile,
        mine: &CallSignature,
        theirs: &CallSignature,
        arguments: &Arguments,
    ) -> Fit {
        let is_int_literal = |at: usize| {
            arguments.values.get(at).is_some_and(|one| one.name.is_none() && is_int_literal(file, one.value))
        };
        let by_receiver = match (&mine.receiver, &theirs.receiver) {
            (Some(one), Some(two)) => self.fits(one, two, &theirs.own),
            _ => Fit::Yes,
        };
        let pairs = mine.taken.iter().zip(&theirs.taken).enumerate();
        let fits = pairs.map(|(at, (mine, their))| match (mine.is_vararg, their.is_vararg) {
            (true, false) => Fit::No,
            _ if self.may_stand_for_null(mine) && self.takes_no_null(their.declaration) => Fit::No,
            // `1` is an `Int` before it is a `Long`.
            _ if self.is_int(&mine.ty) && is_int_literal(at) => Fit::Yes,
            _ => self.fits(&mine.ty, &their.ty, &theirs.own).min(self.fits_bounds_of_class(
                &mine.ty,
                &their.ty,
                &theirs.own,
            )),
        });
        fits.min().unwrap_or(Fit::Yes).min(by_receiver)
    }

    /// Whether a function that may take the arguments is meant before one that certainly takes them, if it does: a `CharSequence` is
    /// taken before an `Any`.
    fn may_come_before(
        &self,
        file: &ProjectFile,
        one: &Member,
        other: &Member,
        arguments: &Arguments,
    ) -> bool {
        // What the bounds of type parameters leave open is compared by itself.
        if !self.type_parameters(one.declaration).is_empty() {
            return false;
        }
        let signatures = (self.signature(file, one, arguments), self.signature(file, other, arguments));
        let (Some(mine), Some(theirs)) = signatures else { return false };
        self.is_as_specific(file, &mine, &theirs, arguments) == Fit::Yes
            && self.is_as_specific(file, &theirs, &mine, arguments) != Fit::Yes
    }

    /// Returns what of a function, or of the one constructor of a class that takes the arguments, counts when it is compared with others for
    /// a call; `None` where that is not known.
    fn signature(&self, file: &ProjectFile, one: &Member, arguments: &Arguments) -> Option<CallSignature> {
        let id = one.declaration;
        let class = match self.kind(id)? {
            DeclarationKind::TypeAlias => Some(self.class_behind(id)?),
            kind if kind.is_class() && !kind.is_object() => Some(id),
            _ => None,
        };
        let (callable, own) = match class {
            None => (id, self.type_parameters(id)),
            Some(class) => {
                let own = self.type_parameters(class);
                let mut fitting = self.constructors(class);
                fitting.retain(|one| {
                    self.is_visible(file, *one)
                        && self.is_applicable(file, &self.parameters(*one), arguments, &own) != Fit::No
                });
                match fitting[..] {
                    [one] => (one, own),
                    _ => return None,
                }
            }
        };
        let parameters = self.parameters(callable);
        let pairs = pair_arguments(&parameters, arguments)?;
        let is_default = |(at, parameter): &(usize, &ValueParameter)| {
            !parameter.is_vararg && !pairs.iter().any(|(given, ..)| given == at)
        };
        Some(CallSignature {
            receiver: self.extension_receiver(callable),
            own,
            defaults: parameters.iter().enumerate().filter(is_default).count(),
            has_vararg: parameters.iter().any(|parameter| parameter.is_vararg),
            taken: pairs.iter().map(|(at, ..)| parameters[*at].clone()).collect(),
        })
    }

    /// Keeps the extension that takes the most specific object, if it is more specific than all others: of two that take the same, the one
    /// without type parameters.
    fn nearest_extensions(&self, candidates: Vec<Member>) -> Vec<Member> {
        let takes = |one: &Member| {
            Some((self.extension_receiver(one.declaration)?, self.type_parameters(one.declaration)))
        };
        let fits = |one: &Member, two: &Member| {
            takes(one)
                .zip(takes(two))
                .is_some_and(|((mine, _), (their, own))| self.fits(&mine, &their, &own) == Fit::Yes)
        };
        let is_plain = |one: &Member| self.type_parameters(one.declaration).is_empty();
        let is_nearer = |one: &Member, two: &Member| {
            fits(one, two) && (!fits(two, one) || is_plain(one) && !is_plain(two))
        };
        let is_nearest = |one: &&Member| {
            candidates
                .iter()
                .all(|two| self.is_same_symbol(one.declaration, two.declaration) || is_nearer(one, two))
        };
        let nearest: Vec<Member> = candidates.iter().filter(is_nearest).cloned().collect();
        if self.are_one_symbol(&nearest) { nearest } else { candidates }
    }

    /// Whether two functions take the same objects and the same values, for so many parameters.
    pub(super) fn take_the_same(&self, one: &Member, two: &Member, count: usize) -> bool {
        let (mine, theirs) = (self.parameters(one.declaration), self.parameters(two.declaration));
        let own: Vec<DeclarationId> =
            [one, two].into_iter().flat_map(|of| self.type_parameters(of.declaration)).collect();
        let is_same = |mine: &Type, their: &Type| {
            mine == their
                || self.fits(mine, their, &own) == Fit::Yes && self.fits(their, mine, &own) == Fit::Yes
        };
        let receivers = (self.extension_receiver(one.declaration), self.extension_receiver(two.declaration));
        let has_same_receiver = match &receivers {
            (Some(one), Some(two)) => is_same(one, two),
            _ => true,
        };
        let mut pairs = mine.iter().zip(&theirs).take(count);
        has_same_receiver && pairs.all(|(mine, their)| is_same(&mine.ty, &their.ty))
    }

    /// Whether all are one declaration, or `expect` and `actual` of one symbol. None are not.
    pub(super) fn are_one_symbol(&self, candidates: &[Member]) -> bool {
        let Some((first, others)) = candidates.split_first() else { return false };
        others.iter().all(|other| self.is_same_symbol(first.declaration, other.declaration))
    }

    fn is_same_symbol(&self, one: DeclarationId, two: DeclarationId) -> bool {
        one == two || self.is_split(one) && self.counterparts(one).contains(&two)
    }
}

/// Whether a value is a literal that an `Int` holds.
fn is_int_literal(file: &SourceFile, value: NodeId) -> bool {
    let text = file.text_of(value).replace('_', "");
    let read = match file.kind(value) {
        K::IntegerLiteral => text.parse(),
        K::HexLiteral => i32::from_str_radix(text.get(2..).unwrap_or_default(), 16),
        K::BinLiteral => i32::from_str_radix(text.get(2..).unwrap_or_default(), 2),
        _ => return false,
    };
    read.is_ok()
}
