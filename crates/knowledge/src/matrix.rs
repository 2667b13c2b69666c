//! The vectors of all solutions in memory, with what filters need: one byte for each component. Scores are
//! approximate; the best are computed again from the exact vectors.

use std::collections::HashMap;

use symd_base::cores;

use crate::best_rows::BestRows;

/// How many rows one core scans at a time.
const PART: usize = 8_192;

/// The vectors of a store, in the order of their row ids.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    dimension: usize,
    rows: Vec<MatrixRow>,
    components: Vec<i8>,
    languages: Interner,
    error_types: Interner,
}

/// What is known of a row beside its vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatrixRow {
    pub(crate) id: i64,
    /// What a component of 1 stands for.
    scale: f32,
    confidence: f32,
    language: u32,
    error_type: u32,
    /// How many different words its text has.
    pub(crate) words: u32,
}

/// What filters and ranks need to know of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowValues<'a> {
    /// In lower case.
    pub(crate) language: &'a str,
    /// As [`simple_type`] returns it.
    pub(crate) simple_type: &'a str,
    pub(crate) confidence: f64,
    /// How many different words its text has.
    pub(crate) words: u32,
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
        if let Some(known) = self.0.get(text) {
            return *known;
        }
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(text.to_owned(), next);
        next
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
    pub(crate) fn push(&mut self, id: i64, vector: &[f32], of: &RowValues<'_>) {
        let greatest = vector.iter().fold(0.0_f32, |greatest, x| greatest.max(x.abs()));
        let scale = if greatest > 0.0 { greatest / 127.0 } else { 1.0 };
        let per_component = 1.0 / scale;
        let (language, error_type) =
            (self.languages.number(of.language), self.error_types.number(of.simple_type));
        #[allow(clippy::cast_possible_truncation, reason = "from -127 to 127, and a confidence")]
        {
            // `round()` calls a function for each component where the processor's own instruction may not be used.
            let rounded = |x: &f32| (x * per_component + 0.5_f32.copysign(*x)) as i8;
            self.components.extend(vector.iter().map(rounded));
            let confidence = of.confidence as f32;
            self.rows.push(MatrixRow { id, scale, confidence, language, error_type, words: of.words });
        }
    }

    /// Returns about how many bytes of memory it takes.
    pub(crate) fn memory(&self) -> usize {
        self.components.capacity() + self.rows.capacity() * size_of::<MatrixRow>()
    }

    /// Returns the rows in the order of their ids.
    pub(crate) fn rows(&self) -> &[MatrixRow] {
        &self.rows
    }

    /// Returns `None` if no row passes the filter.
    pub(crate) fn resolve(&self, filter: &Filter) -> Option<RowFilter> {
        Some(RowFilter {
            language: FilterValue::of(filter.language.as_deref(), &self.languages)?,
            error_type: FilterValue::of(filter.error_type.as_deref(), &self.error_types)?,
            min_confidence: filter.min_confidence,
        })
    }

    /// Returns the `count` rows that pass the filter and are nearest to `query`, a unit vector, and all that are not
    /// farther than a cosine of `least`.
    pub(crate) fn nearest(&self, query: &[f32], filter: &Filter, count: usize, least: f64) -> NearestRows {
        let Some(filter) = self.resolve(filter) else { return NearestRows::default() };
        let greatest = query.iter().fold(f32::MIN_POSITIVE, |greatest, x| greatest.max(x.abs()));
        #[allow(clippy::cast_possible_truncation, reason = "from -127 to 127")]
        let query: Vec<i16> = query.iter().map(|x| (x * 127.0 / greatest).round() as i16).collect();
        let scan = |(rows, components): &(&[MatrixRow], &[i8])| {
            let (mut near, mut best) = (Vec::new(), BestRows::new(count));
            for (row, components) in rows.iter().zip(components.chunks_exact(self.dimension)) {
                if !filter.accepts(row) {
                    continue;
                }
                #[allow(clippy::cast_precision_loss, reason = "scores are approximate")]
                let score = dot(components, &query) as f32 * row.scale;
                if f64::from(score * greatest / 127.0) >= least {
                    near.push(row.id);
                }
                best.add(score, row.id);
            }
            (best, near)
        };
        // On all cores: the time is that of reading the components from memory.
        let parts = self.rows.chunks(PART).zip(self.components.chunks(PART * self.dimension));
        let parts: Vec<(&[MatrixRow], &[i8])> = parts.collect();
        let scanned = cores::parallel_map(&parts, 1, scan);
        let (mut best, mut near) = (BestRows::new(count), Vec::new());
        for (part, part_near) in scanned {
            best.join(part);
            near.extend(part_near);
        }
        NearestRows { best: best.into_ids(), near }
    }
}

/// The rows near to a query.
#[derive(Debug, Default)]
pub(crate) struct NearestRows {
    /// The nearest, the nearest first.
    pub(crate) best: Vec<i64>,
    /// All that are near enough, by their approximate scores, in the order of their ids.
    pub(crate) near: Vec<i64>,
}

/// A filter in the numbers of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct RowFilter {
    language: FilterValue,
    error_type: FilterValue,
    min_confidence: f64,
}

impl RowFilter {
    pub(crate) fn accepts(&self, row: &MatrixRow) -> bool {
        f64::from(row.confidence) + 1e-6 >= self.min_confidence
            && self.language.takes(row.language)
            && self.error_type.takes(row.error_type)
    }
}

/// The rows that have one value, or all.
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

fn dot(components: &[i8], query: &[i16]) -> i32 {
    // By chunks of a known length the compiler uses the processor's own instruction for sums of products.
    let ((chunks, rest), (query_chunks, query_rest)) =
        (components.as_chunks::<32>(), query.as_chunks::<32>());
    let whole: i32 = chunks.iter().zip(query_chunks).map(|(a, b)| products(a, b)).sum();
    whole + products(rest, query_rest)
}

#[inline(always)]
fn products(components: &[i8], query: &[i16]) -> i32 {
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
        let of =
            |language, simple_type, confidence| RowValues { language, simple_type, confidence, words: 1 };
        matrix.push(1, &[1.0, 0.0], &of("kotlin", "kotlinnullpointerexception", 0.9));
        matrix.push(2, &[0.6, 0.8], &of("kotlin", "illegalstateexception", 0.7));
        matrix.push(5, &[0.0, 1.0], &of("java", "illegalstateexception", 0.2));
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
