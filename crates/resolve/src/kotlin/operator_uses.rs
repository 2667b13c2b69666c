//! Uses of Kotlin functions by operators and other conventions: `a + b` calls `plus`, `a[i]` calls `get`. Nothing
//! in a file tells that it uses one but the types of its expressions, so every file that holds the sign is read.

use std::sync::Arc;

use crate::family::{Family, has_types};
use crate::kotlin::gradle;
use crate::kotlin::operator_signs::TextSigns;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::occurrences::FILES_OF_THREAD;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, cores};
use symd_index::FileEntry;
use symd_syntax::SymbolKind;
use symd_types::kotlin::is_convention;

/// How many files one question reads for operators.
const MAX_FILES: usize = 600;

/// How many uses that may be of the function are told.
const MAX_DOUBTS: usize = 50;

/// The uses of a function by operators.
#[derive(Debug, Default)]
pub struct OperatorUses {
    /// Each with the text that stands for the function; none is `Unlikely`.
    pub uses: Vec<(String, Occurrence)>,
    /// How many more places or files may use it.
    pub unchecked: usize,
}

/// Returns the uses of `target` by operators; none for what is no Kotlin function with the name of one.
pub fn operator_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<OperatorUses, Cancelled> {
    let mut found = OperatorUses::default();
    let Some((_, row)) = target.row().filter(|_| has_types(&target.file)) else { return Ok(found) };
    let is_function = matches!(row.kind(), SymbolKind::Function | SymbolKind::Method);
    if row.is_local() || !is_function || !is_convention(target.name()) {
        return Ok(found);
    }
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let function = resolver.refreshed(target);
    if !may_be_operator(&resolver, &function) {
        return Ok(found);
    }
    let is_private = resolver.kotlin().is_private(&function);
    let signs = TextSigns::of_function(target.name());
    let known = &sources.snapshot().files;
    let _own = known.get(target.file.path.as_str());
    let package = target.file.imports().and_then(|imports| imports.package());
    let declared_in = function.file.imports().and_then(|imports| imports.package());
    let needed = signs.needed().filter(|_| !is_private).map(|sign| match &package {
        Some(package) if !is_member(&function) => sign.and_of(package),
        _ => sign,
    });
    let mut files: Vec<&Arc<FileEntry>> = known
        .with_any_words(needed)
        .filter(|file| has_types(file) && (!is_private || file.path == target.file.path))
        .filter(|file| gradle::may_see(&resolver, &file.path, &target.file.path))
        .filter(|file| is_member(&function) || declared_in.as_ref().is_none_or(|one| sees_package(file, one)))
        .collect();
    // Files that name the class come first: they are the ones that most likely use it.
    let class = row
        .parent()
        .and_then(|class| Some(target.file.outline()?.name(target.file.outline()?.rows.get(class)?)));
    files.sort_by_key(|file| {
        let names_it = |class| file.holds(class);
        !class.is_some_and(names_it)
    });
    let with_sign = |file: &&Arc<FileEntry>| {
        let known = file.hash().and_then(|content| sources.operator_facts(content).signs);
        let read = || {
            let current = sources.current(file).filter(|_| !cancel.is_cancelled())?;
            let signs = TextSigns::of_text(&current.text);
            sources.keep_signs(current.hash, signs);
            Some(signs)
        };
        known.or_else(read)?.has_one_of(signs).then(|| Arc::clone(file))
    };
    let mut files: Vec<Arc<FileEntry>> =
        cores::concurrent_map(&files, FILES_OF_THREAD, with_sign).into_iter().flatten().collect();
    cancel.check()?;
    found.unchecked += files.len().saturating_sub(MAX_FILES);
    files.truncate(MAX_FILES);
    let threads = cores::count().min(files.len() / FILES_OF_THREAD).max(1);
    let may_call = |file: &Arc<FileEntry>| {
        let known = file.hash().and_then(|content| sources.operator_facts(content).conventions);
        known.is_none_or(|known| known.may_call(target.name()))
    };
    let of_part = |resolver: &Resolver, part: usize| {
        let files = files.iter().skip(part).step_by(threads).take_while(|_| !cancel.is_cancelled());
        let uses = |file: &Arc<FileEntry>| match may_call(file) {
            true => resolver.kotlin().convention_uses(&file.path, &function),
            false => Vec::new(),
        };
        files.map(uses).collect::<Vec<_>>()
    };
    let in_parts = cores::in_parts(
        threads,
        || of_part(&resolver, 0),
        |part| of_part(&Resolver::new(sources, Family::Jvm, cancel), part),
    );
    cancel.check()?;
    let mut doubts = 0;
    for (at, file) in files.iter().enumerate() {
        for (range, written, judgement) in in_parts[at % threads].get(at / threads).into_iter().flatten() {
            doubts += usize::from(*judgement == Judgement::Unchecked);
            if *judgement == Judgement::Unchecked && doubts > MAX_DOUBTS {
                found.unchecked += 1;
                continue;
            }
            let (path, range, judgement) = (file.path.clone(), *range, *judgement);
            let one = Occurrence { path, range, judgement, role: Role::Operator };
            found.uses.push((written.clone(), one));
        }
    }
    found.uses.sort_by_key(|(_, one)| (one.path.clone(), one.range.start));
    Ok(found)
}

/// Whether a function is declared with the modifier that lets operators call it, or may inherit it.
fn may_be_operator(resolver: &Resolver, function: &IndexedDeclaration) -> bool {
    let head = || {
        let (_, row) = function.row()?;
        let here = resolver.read_file(&function.file)?;
        let head = here.text.as_str().get(row.start as usize..row.name_start as usize)?;
        let mut words = head.split(|letter: char| !letter.is_alphanumeric());
        Some(words.any(|word| matches!(word, "operator" | "override" | "actual")))
    };
    head().unwrap_or(true)
}

/// Whether a function is declared in a class: code that calls it needs no import.
fn is_member(function: &IndexedDeclaration) -> bool {
    function.row().is_some_and(|(_, row)| row.parent != 0)
}

/// Whether a file is of a package, or imports something of it.
fn sees_package(file: &FileEntry, package: &str) -> bool {
    let Some(imports) = file.imports() else { return true };
    let is_own = imports.package().is_some_and(|own| own == package);
    is_own || imports.unpack().iter().any(|import| import.module.starts_with(package))
}
