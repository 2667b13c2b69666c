//! The vectors of all solutions in memory, with what filters need: one byte for each component. Scores are
//! approximate; the best are computed again from the exact vectors.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The vectors of a store, in the order of their row ids.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    dimension: usize,
    rows: Vec<MatrixRow>,
    components: Vec<i8>,
    languages: Interner,
    error_types: Interner,
}

#[derive(Clone, Copy, Debug)]
struct MatrixRow {
    id: i64,
    /// What a component of 1 stands for.
    scale: f32,
    confidence: f32,
    language: u32,
    error_type: u32,
}

/// What filters compare.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// In lower case.
    pub(crate) language: Option<String>,
    /// The last component, in lower case.
    pub(crate) error_type: Option<String>,
    pub(crate) min_confidence: f64,
}

#[derive(Debug, Default)]
struct Interner(HashMap<String, u32>);

impl Interner {
    fn number(&mut self, text: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(text.to_owned()).or_insert(next)
    }
}

/// Returns the last component of a qualified name, in lower case.
pub(crate) fn simple_type(name: &str) -> String {
    name.rsplit(['.', '$', '/']).next().unwrap_or(name).trim().to_lowercase()
}

impl Matrix {
    pub(crate) fn new(dimension: usize) -> Matrix {
        Matrix { dimension, ..Matrix::default() }
    }

    /// Returns the number of components of each vector.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds the vector of a row with a greater id than all before.
    pub(crate) fn push(&mut self, id: i64, vector: &[f32], of: (&str, &str, f64)) {
        let greatest = vector.iter().fold(0.0_f32, |greatest, x| greatest.max(x.abs()));
        let scale = if greatest > 0.0 { greatest / 127.0 } else { 1.0 };
        let (language, error_type) =
            (self.languages.number(of.0), self.error_types.number(&simple_type(of.1)));
        #[allow(clippy::cast_possible_truncation, reason = "from -127 to 127, and a confidence")]
        {
            self.components.extend(vector.iter().map(|x| (x / scale).round() as i8));
            self.rows.push(MatrixRow { id, scale, confidence: of.2 as f32, language, error_type });
        }
    }

    /// Returns the `count` rows that pass the filter and are nearest to `query`, a unit vector, and all that are not
    /// farther than a cosine of `least`.
    pub(crate) fn nearest(&self, query: &[f32], filter: &Filter, count: usize, least: f64) -> NearestRows {
        let (Some(language), Some(error_type)) = (
            FilterValue::of(filter.language.as_deref(), &self.languages),
            FilterValue::of(filter.error_type.as_deref(), &self.error_types),
        ) else {
            return NearestRows::default();
        };
        let greatest = query.iter().fold(f32::MIN_POSITIVE, |greatest, x| greatest.max(x.abs()));
        #[allow(clippy::cast_possible_truncation, reason = "from -127 to 127")]
        let query: Vec<i16> = query.iter().map(|x| (x * 127.0 / greatest).round() as i16).collect();
        let mut near = Vec::new();
        let mut best: BinaryHeap<Reverse<(Score, Reverse<i64>)>> = BinaryHeap::new();
        for (row, components) in self.rows.iter().zip(self.components.chunks_exact(self.dimension)) {
            let passes = f64::from(row.confidence) + 1e-6 >= filter.min_confidence
                && language.takes(row.language)
                && error_type.takes(row.error_type);
            if !passes {
                continue;
            }
            #[allow(clippy::cast_precision_loss, reason = "scores are approximate")]
            let score = Score(dot(components, &query) as f32 * row.scale);
            if f64::from(score.0 * greatest / 127.0) >= least {
                near.push(row.id);
            }
            best.push(Reverse((score, Reverse(row.id))));
            if best.len() > count {
                best.pop();
            }
        }
        let mut best: Vec<(Score, Reverse<i64>)> = best.into_iter().map(|Reverse(one)| one).collect();
        best.sort_unstable_by(|a, b| b.cmp(a));
        NearestRows { best: best.into_iter().map(|(_, Reverse(id))| id).collect(), near }
    }
}

/// The rows near to a query.
#[derive(Debug, Default)]
pub(crate) struct NearestRows {
    /// The nearest, the nearest first.
    pub(crate) best: Vec<i64>,
    /// All that are near enough, by their approximate scores.
    pub(crate) near: Vec<i64>,
}

/// The rows that one filter accepts.
#[derive(Clone, Copy)]
enum FilterValue {
    All,
    Only(u32),
}

impl FilterValue {
    /// Returns `None` if no row has the value.
    fn of(text: Option<&str>, known: &Interner) -> Option<FilterValue> {
        match text {
            None => Some(FilterValue::All),
            Some(text) => known.0.get(text).copied().map(FilterValue::Only),
        }
    }

    fn takes(self, number: u32) -> bool {
        match self {
            FilterValue::All => true,
            FilterValue::Only(wanted) => wanted == number,
        }
    }
}

/// A score; never NaN.
#[derive(Clone, Copy, PartialEq)]
struct Score(f32);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Score) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Score) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn dot(components: &[i8], query: &[i16]) -> i32 {
    components.iter().zip(query).map(|(a, b)| i32::from(i16::from(*a)) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> Filter {
        Filter { language: None, error_type: None, min_confidence: 0.0 }
    }

    #[test]
    fn the_nearest_come_first_and_filters_come_before() {
        let mut matrix = Matrix::new(2);
        matrix.push(1, &[1.0, 0.0], ("kotlin", "kotlin.KotlinNullPointerException", 0.9));
        matrix.push(2, &[0.6, 0.8], ("kotlin", "java.lang.IllegalStateException", 0.7));
        matrix.push(5, &[0.0, 1.0], ("java", "IllegalStateException", 0.2));
        let nearest = |filter: &Filter| matrix.nearest(&[0.8, 0.6], filter, 2, 0.0).best;
        assert_eq!(nearest(&filter()), [2, 1]);
        assert_eq!(nearest(&Filter { min_confidence: 0.71, ..filter() }), [1]);
        assert_eq!(nearest(&Filter { min_confidence: 0.7, ..filter() }), [2, 1]);
        assert_eq!(nearest(&Filter { language: Some("java".to_owned()), ..filter() }), [5]);
        let error_type = Some(simple_type("IllegalStateException"));
        assert_eq!(nearest(&Filter { error_type, ..filter() }), [2, 5]);
        assert_eq!(nearest(&Filter { language: Some("go".to_owned()), ..filter() }), Vec::<i64>::new());
        assert_eq!(matrix.nearest(&[0.8, 0.6], &filter(), 1, 0.7).near, [1, 2]);
    }
}
