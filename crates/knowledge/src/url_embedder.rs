//! An embedder behind a URL: Ollama, or an API in the shape of OpenAI's. Sends texts only once the user has said yes to this
//! URL and model, and never their secrets.
//!
//! Shapes: <https://github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings>,
//! <https://platform.openai.com/docs/api-reference/embeddings/create>.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use symd_config::settings::EmbedderSettings;
use symd_fetch::{ApiMethod, ApiRequest};

use super::consent::SendingConsent;
use super::embedder::{EmbedError, Embedder, normalize};
use super::redaction::redact;
use super::waiting_call::call_and_wait;

/// How long a query's vector may take: a tool that searches answers within two seconds.
const FOR_QUERY: Duration = Duration::from_millis(1_500);

/// How long the vectors of one batch of texts may take; a model on a processor takes a while.
const FOR_BATCH: Duration = Duration::from_secs(60);

/// How many texts are sent at once.
pub(crate) const BATCH: usize = 32;

/// Maximum number of characters of a text that are sent: models cut longer ones, or refuse them.
const MAX_CHARS: usize = 6_000;

/// Maximum number of components.
const MAX_DIMENSION: usize = 16_384;

/// Maximum number of characters of an API's message that an error shows.
const SHOWN: usize = 200;

/// An embedder behind a URL.
#[derive(Clone, Debug)]
pub struct UrlEmbedder {
    endpoint: String,
    model: String,
    key: Option<String>,
    consent: SendingConsent,
}

#[derive(Serialize)]
struct EmbeddingRequest<'a> {
    model: &'a str,
    input: &'a [String],
}

/// Both shapes of an answer.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EmbeddingAnswer {
    /// OpenAI's.
    data: Vec<IndexedEmbedding>,
    /// Ollama's.
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct IndexedEmbedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl UrlEmbedder {
    /// Returns the embedder of the settings, if they name one. `directory` is symd's own, and holds the user's yes.
    pub fn of(settings: &EmbedderSettings, directory: &Path) -> Option<UrlEmbedder> {
        let url = settings.url.as_deref()?.trim_end_matches('/');
        let is_whole = url.ends_with("/api/embed") || url.ends_with("/embeddings");
        let endpoint = if is_whole { url.to_owned() } else { format!("{url}/embeddings") };
        let about = format!("{endpoint}\n{}\n", settings.model);
        Some(UrlEmbedder {
            endpoint,
            model: settings.model.clone(),
            key: settings.key.clone(),
            consent: SendingConsent::new(directory.join("embedder-consent"), about),
        })
    }

    /// Returns the URL that texts are sent to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Whether the user has said yes to this URL and model.
    pub fn has_consent(&self) -> bool {
        self.consent.is_given()
    }

    /// Keeps the user's yes.
    pub fn consent(&self) -> Result<(), EmbedError> {
        self.consent.give().map_err(|error| self.failed(error))
    }

    fn failed(&self, reason: impl ToString) -> EmbedError {
        EmbedError { model: format!("{} at {}", self.model, self.endpoint), reason: reason.to_string() }
    }

    fn ask(&self, texts: &[String], time_limit: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        if !self.has_consent() {
            return Err(self.failed(
                "texts are sent there only with your yes; `symd solutions reembed` asks for it, on a terminal",
            ));
        }
        let input: Vec<String> = texts.iter().map(|text| sent(text)).collect();
        let body = EmbeddingRequest { model: &self.model, input: &input };
        let json = serde_json::to_string(&body).map_err(|error| self.failed(error))?;
        let authorization = self.key.iter().map(|key| ("authorization", format!("Bearer {key}")));
        let request = ApiRequest {
            url: self.endpoint.clone(),
            headers: authorization.collect(),
            method: ApiMethod::Post(json),
            time_limit,
        };
        let answer = call_and_wait(&request).map_err(|error| self.failed(error))?;
        if answer.is_cut {
            return Err(self.failed("its answer is too long"));
        }
        if answer.status != 200 {
            let said: String = String::from_utf8_lossy(&answer.body).trim().chars().take(SHOWN).collect();
            return Err(self.failed(format!("HTTP {}: {said}", answer.status)));
        }
        let parsed: EmbeddingAnswer = serde_json::from_slice(&answer.body)
            .map_err(|error| self.failed(format!("its answer is no list of embeddings: {error}")))?;
        self.checked(parsed, texts.len())
    }

    /// Returns one vector for each text, each of length 1 and of one dimension.
    fn checked(&self, answer: EmbeddingAnswer, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let EmbeddingAnswer { mut data, embeddings } = answer;
        data.sort_by_key(|one| one.index);
        let is_in_place =
            |(place, one): (usize, &IndexedEmbedding)| one.index.is_none_or(|index| index == place);
        if !data.iter().enumerate().all(is_in_place) {
            return Err(self.failed("it does not say which vector is of which text"));
        }
        let mut vectors: Vec<Vec<f32>> =
            data.into_iter().map(|one| one.embedding).chain(embeddings).collect();
        if vectors.len() != count {
            return Err(self.failed(format!("it gave {} vectors for {count} texts", vectors.len())));
        }
        let dimension = vectors.first().map_or(0, Vec::len);
        let is_vector = |vector: &Vec<f32>| vector.len() == dimension && vector.iter().all(|x| x.is_finite());
        if !(1..=MAX_DIMENSION).contains(&dimension) || !vectors.iter().all(is_vector) {
            return Err(self.failed("its vectors are not all of one dimension, or hold no numbers"));
        }
        vectors.iter_mut().for_each(|vector| normalize(vector));
        Ok(vectors)
    }
}

/// Returns a text as it is sent.
fn sent(text: &str) -> String {
    // Before it is cut: half a secret is not recognized.
    let text: String = redact(text).0.chars().take(MAX_CHARS).collect();
    // Some APIs refuse an empty text.
    if text.trim().is_empty() { "-".to_owned() } else { text }
}

impl Embedder for UrlEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed_by(text, Instant::now() + FOR_QUERY)
    }

    fn embed_by(&self, text: &str, until: Instant) -> Result<Vec<f32>, EmbedError> {
        let left = until.saturating_duration_since(Instant::now());
        let vectors = self.ask(&[text.to_owned()], left.min(FOR_QUERY))?;
        vectors.into_iter().next().ok_or_else(|| self.failed("it gave none"))
    }

    fn embed_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len());
        for texts in texts.chunks(BATCH) {
            all.extend(self.ask(texts, FOR_BATCH)?);
        }
        Ok(all)
    }

    fn is_costly(&self) -> bool {
        true
    }
}
