//! Declarations of one entity in several files: what Kotlin's common code marks `expect` and each platform marks
//! `actual`. Invariant: two declarations of one platform are two entities.

use super::container::container;
use super::entity::{before_name, text_of};
use super::entity_rules::EntityRules;
use crate::symbol::signature_of;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_engine::View;
use symd_index::{Hit, Locals, Query};
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;

/// Maximum number of symbols of one name that are examined: no entity has so many declarations.
const MAX_NAMESAKES: usize = 2_000;

/// The role of a declaration among the others of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeclarationRole {
    /// Declares the entity: `expect`.
    Declares,
    /// Defines the entity for one platform: `actual`.
    DefinesHere,
    /// Not linked to declarations in other files.
    Own,
}

/// Returns the declarations of the entity that `hit` declares, including `hit`.
pub(super) fn across_files(view: &View, hit: &Hit, cancel: &Cancel) -> Result<Vec<Hit>, Cancelled> {
    let alone = || vec![hit.clone()];
    let Some(own) = DeclarationFacts::read(view, hit) else { return Ok(alone()) };
    let Ok(pattern) = NamePattern::parse(&own.name, Matching::Exact) else { return Ok(alone()) };
    let query = Query::in_project(pattern, Locals::Excluded);
    let namesakes = view.snapshot.find(&query, cancel)?;
    if own.part == DeclarationRole::Own || namesakes.len() > MAX_NAMESAKES {
        return Ok(alone());
    }
    let mut all = Vec::new();
    for other in namesakes.into_iter().filter(|other| has_same_kind(hit, other)) {
        cancel.check()?;
        // Checked before the text is read.
        if container(view, &other) != own.container {
            continue;
        }
        let Some(declared) = DeclarationFacts::read(view, &other) else { return Ok(alone()) };
        if declared.part != DeclarationRole::Own && declared.is_same(&own) {
            all.push((declared.part, other));
        }
    }
    let count = |part: DeclarationRole| all.iter().filter(|(of, _)| *of == part).count();
    let is_one =
        count(DeclarationRole::Declares) == 1 && count(DeclarationRole::DefinesHere) + 1 == all.len();
    let hits = all.into_iter().map(|(_, other)| other);
    Ok(if is_one { hits.collect() } else { alone() })
}

/// Whether two symbols can be one entity by language and kind.
fn has_same_kind(one: &Hit, other: &Hit) -> bool {
    let kind =
        |hit: &Hit| hit.file.outline().and_then(|outline| outline.rows.get(hit.row)).map(|row| row.kind());
    let spread = |hit: &Hit| EntityRules::of(&hit.file).spread;
    let (Some(first), Some(second)) = (kind(one), kind(other)) else { return false };
    let is_kind = first == second || (first.is_callable() && second.is_callable());
    is_kind && spread(one) == spread(other)
}

/// The properties of a declaration that are compared.
struct DeclarationFacts {
    name: String,
    container: Vec<String>,
    /// The types of its parameters where they distinguish overloads, without white space.
    types: Option<Vec<String>>,
    part: DeclarationRole,
}

impl DeclarationFacts {
    fn read(view: &View, hit: &Hit) -> Option<DeclarationFacts> {
        let outline = hit.file.outline()?;
        let row = outline.rows.get(hit.row)?;
        let text = text_of(view, &hit.file)?;
        let says = |row: usize, word: &str| {
            before_name(&text, outline, row).split_whitespace().any(|other| other == word)
        };
        // The members of an `expect` declaration are expected too, without a keyword.
        let mut above = std::iter::successors(Some(hit.row), |&row| outline.rows[row].parent());
        let part = if says(hit.row, "actual") {
            DeclarationRole::DefinesHere
        } else if above.any(|row| says(row, "expect")) {
            DeclarationRole::Declares
        } else {
            DeclarationRole::Own
        };
        let types = || signature_of(view, &hit.file, hit.row)?.parameter_types();
        Some(DeclarationFacts {
            name: outline.name(row).to_owned(),
            container: container(view, hit),
            types: types(),
            part,
        })
    }

    fn is_same(&self, other: &DeclarationFacts) -> bool {
        self.container == other.container && self.types == other.types
    }
}
