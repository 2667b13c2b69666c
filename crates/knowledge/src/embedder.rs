//! What turns texts into vectors.

use std::time::Instant;

/// A model that turns a text into a vector of length 1. Vectors of different models, or of different dimensions, are never
/// compared.
pub trait Embedder: Send + Sync {
    /// The name of the model; another name for every change of what it returns.
    fn model(&self) -> &str;

    /// Returns the vector of a text that is searched for; the zero vector if the text says nothing. May block for as long as
    /// a question may take.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Does the same for a question that is answered by `until`.
    fn embed_by(&self, text: &str, _until: Instant) -> Result<Vec<f32>, EmbedError> {
        self.embed(text)
    }

    /// Returns the vectors of texts that are recorded, in their order. May block longer.
    fn embed_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed(text)).collect()
    }

    /// How much a rank by its vectors counts beside the rank by words, which counts 1.
    fn rank_weight(&self) -> f64 {
        1.0
    }

    /// Whether it costs time or money, or sends texts away: then vectors of other models are computed again only when the
    /// user wants it.
    fn is_costly(&self) -> bool {
        false
    }
}

/// Why a text has no vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{model} gave no vector: {reason}")]
pub struct EmbedError {
    pub model: String,
    pub reason: String,
}

/// Scales a vector to length 1; the zero vector stays.
pub(crate) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

/// Returns the cosine of the angle between two vectors of length 1.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}
