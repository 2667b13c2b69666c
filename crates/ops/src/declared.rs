//! Declarations that servers or syntax lead to: each place, and the symbol that is declared there.

use super::question::QuestionError;
use super::spot::{Dropped, Expect, OutsideSpot, Source, Spot, check};
use super::symbol::{Detail, GrammarText, Symbol, symbol};
use symd_base::{Cancel, TextRange};
use symd_engine::View;
use symd_lsp::Span;
use symd_resolve as resolve;

/// A declaration in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSymbol {
    /// The place of the name.
    pub spot: Spot,
    /// The symbol; `None` if the declaration is not a symbol of the index: an import, a parameter, a file.
    pub symbol: Option<Symbol>,
}

/// Declarations, in path order, then by position.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Declarations in the project.
    pub inside: Vec<DeclaredSymbol>,
    /// Declarations outside the project.
    pub outside: Vec<OutsideSpot>,
    /// Omitted parts of a server's answer.
    pub dropped: Dropped,
}

/// Returns the declarations at a server's spans.
pub(super) fn of_spans(view: &View, spans: &[Span], cancel: &Cancel) -> Result<Declarations, QuestionError> {
    let checked = check(view, spans, Expect::Anything, cancel)?;
    let mut inside: Vec<DeclaredSymbol> = Vec::new();
    for spot in checked.spots {
        let declared = declared(view, spot);
        if !inside.contains(&declared) {
            inside.push(declared);
        }
    }
    Ok(Declarations { inside, outside: checked.outside, dropped: checked.dropped })
}

/// Converts what `resolve` found to declarations, in its order: best first.
pub(super) fn of_targets(view: &View, targets: &[resolve::IndexedDeclaration]) -> Declarations {
    let declared = |target: &resolve::IndexedDeclaration| {
        let (outline, row) = target.row()?;
        let length = u32::try_from(target.name().len()).ok()?;
        let source = Source::read(view, &target.file.path)?;
        let range = TextRange::new(row.name_start, row.name_start.checked_add(length)?);
        let mut found = declared(view, source.spot(&target.file.path, range));
        // Types without a name, and types declared in bodies, are not symbols of the index.
        if found.symbol.is_none() && outline.hides_types {
            let detail = Detail { depth: 0, text: None };
            found.symbol = Some(symbol(&target.file.path, outline, target.row, detail));
        }
        Some(found)
    };
    Declarations { inside: targets.iter().filter_map(declared).collect(), ..Declarations::default() }
}

fn declared(view: &View, spot: Spot) -> DeclaredSymbol {
    let Some((row, _)) = declared_by(view, &spot) else { return DeclaredSymbol { spot, symbol: None } };
    let shown = Source::read(view, &spot.path).and_then(|source| {
        let (grammar, outline) = source.code?;
        outline.rows.get(row)?;
        let text = Some(GrammarText { grammar, text: source.text.as_str() });
        Some(symbol(&spot.path, &outline, row, Detail { depth: 0, text }))
    });
    DeclaredSymbol { spot, symbol: shown }
}

/// Returns the row of the symbol that is declared at a spot, and the offset of its name. Servers point at the
/// name, or at the whole declaration.
pub(super) fn declared_by(view: &View, spot: &Spot) -> Option<(usize, u32)> {
    let outline = view.snapshot.files.get(spot.path.as_str())?.outline()?;
    let rows = || outline.rows.iter().enumerate();
    let named = rows().find(|(_, row)| row.name_start == spot.range.start);
    let is_whole = |range: TextRange| range.start == spot.range.start && range.contains(spot.range);
    let whole = || rows().filter(|(_, row)| is_whole(row.range())).min_by_key(|(_, row)| row.end - row.start);
    named.or_else(whole).map(|(at, row)| (at, row.name_start))
}
