//! Requests about the collection `rca_solutions` and its records, as Chroma's API v2 has them. Invariant: records are read only
//! from a collection whose space is the cosine, which is read back each time: a collection that exists keeps the space that it
//! was made with, whatever a later request to create it says.

use std::time::Instant;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use symd_fetch::ApiMethod;

use super::server::{ChromaAnswer, ChromaServer};
use crate::store::StoreError;

/// The name of the collection.
pub(super) const COLLECTION: &str = "rca_solutions";

/// How many records are asked for at once; fewer, if they are long.
const RECORDS: usize = 64;

/// How many ids are asked for at once: a third of what is read of an answer.
const IDS: usize = 10_000;

/// A collection, as it is now. It is looked up by its name for every call: another process may have put another one in its
/// place.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ChromaCollection {
    pub(super) id: String,
    /// The number of components of its vectors; `None` as long as it has none.
    pub(super) dimension: Option<usize>,
    configuration_json: IndexConfiguration,
}

/// One of the two kinds of index that Chroma has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct IndexConfiguration {
    hnsw: Option<IndexSpace>,
    spann: Option<IndexSpace>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct IndexSpace {
    space: String,
}

/// A record without its vector.
#[derive(Clone, Debug)]
pub(super) struct ChromaRecord {
    pub(super) id: String,
    pub(super) document: Option<String>,
    pub(super) metadata: Option<Map<String, Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RecordsAnswer {
    ids: Vec<String>,
    documents: Option<Vec<Option<String>>>,
    metadatas: Option<Vec<Option<Map<String, Value>>>>,
}

/// The answer for each query; there is one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NearestAnswer {
    ids: Vec<Vec<String>>,
    distances: Option<Vec<Vec<Option<f64>>>>,
}

fn post(body: &Value) -> ApiMethod {
    ApiMethod::Post(body.to_string())
}

impl ChromaServer {
    /// Returns the collection.
    pub(super) fn collection(&self, until: Instant) -> Result<ChromaCollection, StoreError> {
        match self.send(ApiMethod::Get, &format!("collections/{COLLECTION}"), until)? {
            ChromaAnswer::Whole(collection) => self.with_cosine(collection),
            ChromaAnswer::Missing => Err(self.no_collection()),
            ChromaAnswer::TooLong => Err(self.useless("describes its collection in more than 1 MiB")),
        }
    }

    /// Returns the collection of this name, which is made if there is none.
    pub(super) fn create(&self, name: &str, until: Instant) -> Result<ChromaCollection, StoreError> {
        let body =
            json!({"name": name, "get_or_create": true, "configuration": {"hnsw": {"space": "cosine"}}});
        match self.send(post(&body), "collections", until)? {
            ChromaAnswer::Whole(collection) => self.with_cosine(collection),
            _ => Err(self.useless("did not make the collection; chroma.database must exist")),
        }
    }

    fn with_cosine(&self, collection: ChromaCollection) -> Result<ChromaCollection, StoreError> {
        let IndexConfiguration { hnsw, spann } = &collection.configuration_json;
        let space = hnsw.as_ref().or(spann.as_ref()).map_or("", |index| index.space.as_str());
        if space != "cosine" {
            let space: String = space.chars().filter(|c| !c.is_control()).take(20).collect();
            return Err(self.useless(format!(
                "compares the vectors of {COLLECTION} by {space:?}, not by \"cosine\", so that no similarity would be true; once \
                 that collection has another name, `symd solutions connect` makes the right one"
            )));
        }
        Ok(collection)
    }

    pub(super) fn no_collection(&self) -> StoreError {
        StoreError::NoCollection {
            place: self.place(),
            collection: COLLECTION.to_owned(),
            next: "`symd solutions connect` makes it (or chroma.tenant and chroma.database in config.toml name another place)"
                .to_owned(),
        }
    }

    /// Gives a collection another name.
    pub(super) fn rename(&self, of: &ChromaCollection, name: &str, until: Instant) -> Result<(), StoreError> {
        let body = ApiMethod::Put(json!({ "new_name": name }).to_string());
        self.send::<Value>(body, &format!("collections/{}", of.id), until)
            .and_then(|done| self.whole(done))
            .map(drop)
    }

    /// Returns the number of all records.
    pub(super) fn count(&self, of: &ChromaCollection, until: Instant) -> Result<usize, StoreError> {
        self.whole(self.send(ApiMethod::Get, &format!("collections/{}/count", of.id), until)?)
    }

    /// Asks for something about records.
    fn about(
        &self,
        of: &ChromaCollection,
        what: &str,
        body: &Value,
        until: Instant,
    ) -> Result<ChromaAnswer<Value>, StoreError> {
        self.send(post(body), &format!("collections/{}/{what}", of.id), until)
    }

    fn whole<T>(&self, answer: ChromaAnswer<T>) -> Result<T, StoreError> {
        match answer {
            ChromaAnswer::Whole(answer) => Ok(answer),
            ChromaAnswer::Missing => Err(self.no_collection()),
            ChromaAnswer::TooLong => Err(self.useless("answered with more than 1 MiB")),
        }
    }

    /// Stores records; one of the same id is replaced.
    pub(super) fn upsert(
        &self,
        of: &ChromaCollection,
        records: &[ChromaRecord],
        vectors: &[Vec<f32>],
        until: Instant,
    ) -> Result<(), StoreError> {
        let ids: Vec<&str> = records.iter().map(|record| record.id.as_str()).collect();
        let documents: Vec<&Option<String>> = records.iter().map(|record| &record.document).collect();
        let metadatas: Vec<&Option<Map<String, Value>>> =
            records.iter().map(|record| &record.metadata).collect();
        let body = json!({"ids": ids, "embeddings": vectors, "documents": documents, "metadatas": metadatas});
        self.whole(self.about(of, "upsert", &body, until)?).map(drop)
    }

    /// Changes keys of records' metadata, and their vectors if there are any; other keys stay.
    pub(super) fn update(
        &self,
        of: &ChromaCollection,
        ids: &[String],
        (vectors, metadata): (Option<&[Vec<f32>]>, &Value),
        until: Instant,
    ) -> Result<(), StoreError> {
        let metadatas = vec![metadata; ids.len()];
        let body = match vectors {
            Some(vectors) => json!({"ids": ids, "embeddings": vectors, "metadatas": metadatas}),
            None => json!({"ids": ids, "metadatas": metadatas}),
        };
        self.whole(self.about(of, "update", &body, until)?).map(drop)
    }

    pub(super) fn delete(&self, of: &ChromaCollection, id: &str, until: Instant) -> Result<(), StoreError> {
        self.whole(self.about(of, "delete", &json!({ "ids": [id] }), until)?).map(drop)
    }

    /// Returns the ids of the records that pass a filter, in the order in which they were added; `limit` bounds each request.
    pub(super) fn ids(
        &self,
        of: &ChromaCollection,
        filter: Option<&Value>,
        until: &dyn Fn() -> Instant,
    ) -> Result<Vec<String>, StoreError> {
        let mut all: Vec<String> = Vec::new();
        loop {
            let mut body = json!({"include": [], "limit": IDS, "offset": all.len()});
            if let (Some(filter), Some(body)) = (filter, body.as_object_mut()) {
                body.insert("where".to_owned(), filter.clone());
            }
            let page = self.read(self.whole(self.about(of, "get", &body, until())?)?)?;
            let count = page.len();
            all.extend(page.into_iter().map(|record| record.id));
            if count < IDS {
                return Ok(all);
            }
        }
    }

    /// Returns the records with these ids; those that are not there are left out.
    pub(super) fn records(
        &self,
        of: &ChromaCollection,
        ids: &[String],
        until: &dyn Fn() -> Instant,
    ) -> Result<Vec<ChromaRecord>, StoreError> {
        let mut found = Vec::new();
        let (mut rest, mut size) = (ids, RECORDS);
        while !rest.is_empty() {
            let (these, others) = rest.split_at(size.min(rest.len()));
            let body = json!({"ids": these, "include": ["documents", "metadatas"]});
            match self.about(of, "get", &body, until())? {
                ChromaAnswer::TooLong if these.len() > 1 => size = these.len() / 2,
                answer => {
                    found.extend(self.read(self.whole(answer)?)?);
                    rest = others;
                }
            }
        }
        Ok(found)
    }

    fn read(&self, answer: Value) -> Result<Vec<ChromaRecord>, StoreError> {
        let answer: RecordsAnswer = serde_json::from_value(answer)
            .map_err(|error| self.useless(format!("gave records that are not Chroma's: {error}")))?;
        let RecordsAnswer { ids, documents, metadatas } = answer;
        let mut documents = documents.unwrap_or_default().into_iter();
        let mut metadatas = metadatas.unwrap_or_default().into_iter();
        let record = |id| ChromaRecord {
            id,
            document: documents.next().flatten(),
            metadata: metadatas.next().flatten(),
        };
        Ok(ids.into_iter().map(record).collect())
    }

    /// Returns the records that pass a filter and are nearest to a vector, with their cosines, the nearest first.
    pub(super) fn nearest(
        &self,
        to: &ChromaCollection,
        (vector, filter, count): (&[f32], &Value, usize),
        until: Instant,
    ) -> Result<Vec<(String, f64)>, StoreError> {
        let body = json!({"query_embeddings": [vector], "n_results": count, "where": filter, "include": ["distances"]});
        let answer = self.whole(self.about(to, "query", &body, until)?)?;
        let answer: NearestAnswer = serde_json::from_value(answer)
            .map_err(|error| self.useless(format!("gave distances that are not Chroma's: {error}")))?;
        let ids = answer.ids.into_iter().next().unwrap_or_default();
        let distances = answer.distances.and_then(|all| all.into_iter().next()).unwrap_or_default();
        // A distance is 1 less the cosine.
        let cosine = |distance: Option<f64>| distance.map(|distance| (1.0 - distance).clamp(-1.0, 1.0));
        Ok(ids
            .into_iter()
            .zip(distances)
            .filter_map(|(id, distance)| Some((id, cosine(distance)?)))
            .collect())
    }
}
