//! Vectors of another model are computed again. Invariants: each batch is stored by itself, so that a run that is interrupted
//! goes on where it stopped; records of other programs keep their vectors; a collection is never emptied: one of another
//! dimension, which Chroma cannot change, is replaced by a new one, and kept under another name.

use std::collections::HashSet;

use serde_json::json;
use symd_base::Timestamp;
use symd_base::hash::ContentHash;

use super::collection::{COLLECTION, ChromaCollection, ChromaRecord};
use super::record::{MODEL, of_model, searched_text};
use super::{ChromaStore, soon};
use crate::store::StoreError;

/// How many records are computed and stored at once.
pub(super) const BATCH: usize = 32;

impl ChromaStore {
    pub(super) fn compute_again(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, StoreError> {
        self.server.check_consent()?;
        // Its dimension is that of any text.
        let dimension = self.embedder.embed("dimension")?.len();
        let collection = self.server.collection(soon())?;
        match collection.dimension {
            Some(other) if other != dimension => self.replace(&collection, (other, dimension), progress),
            _ => self.compute_in_place(&collection, progress),
        }
    }

    fn compute_in_place(
        &self,
        collection: &ChromaCollection,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, StoreError> {
        let ids = self.server.ids(collection, Some(&self.of_other_models()), &soon)?;
        let mut done = 0;
        for batch in ids.chunks(BATCH) {
            progress(done, ids.len());
            let (records, vectors) = self.computed(collection, batch)?;
            let ids: Vec<String> = records.into_iter().map(|record| record.id).collect();
            if !ids.is_empty() {
                let metadata = json!({ MODEL: self.embedder.model() });
                self.server.update(collection, &ids, (Some(&vectors), &metadata), soon())?;
            }
            done += ids.len();
        }
        progress(done, ids.len());
        Ok(done)
    }

    /// Returns those of the records that have a text, and the vectors of these texts.
    fn computed(
        &self,
        of: &ChromaCollection,
        ids: &[String],
    ) -> Result<(Vec<ChromaRecord>, Vec<Vec<f32>>), StoreError> {
        let records = self.server.records(of, ids, &soon)?;
        let (records, texts): (Vec<ChromaRecord>, Vec<String>) = records
            .into_iter()
            .filter_map(|record| {
                let text = searched_text(&record)?;
                Some((record, text))
            })
            .unzip();
        let vectors = self.embedder.embed_all(&texts)?;
        Ok((records, vectors))
    }

    /// Puts a collection with vectors of this model in the place of one of another dimension.
    fn replace(
        &self,
        old: &ChromaCollection,
        (before, dimension): (usize, usize),
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, StoreError> {
        // One name for each model: a run that was interrupted is found again.
        let model = ContentHash::of(self.embedder.model().as_bytes()).short();
        let new = self.server.create(&format!("{COLLECTION}_{dimension}_{model}"), soon())?;
        self.check_dimension(&new, dimension)?;
        let mut done = self.copy(old, &new, progress)?;
        let aside = format!("{COLLECTION}_before_{}", Timestamp::now().seconds());
        self.server.rename(old, &aside, soon())?;
        if let Err(error) = self.server.rename(&new, COLLECTION, soon()) {
            // Without its name nobody finds it.
            self.server.rename(old, COLLECTION, soon())?;
            return Err(error);
        }
        // What others have recorded meanwhile.
        done += self.copy(old, &new, progress)?;
        let left = self.server.count(old, soon())?.saturating_sub(self.server.count(&new, soon())?);
        let without = match left {
            0 => String::new(),
            left => format!("; {left} records without a text are only there"),
        };
        self.noted().notices.push(format!(
            "the team's collection has vectors of {dimension} components now, for everyone; the one with {before} is kept as \
             {aside}{without}"
        ));
        Ok(done)
    }

    /// Copies what `new` lacks, with new vectors, and deletes there what `old` has no more.
    fn copy(
        &self,
        old: &ChromaCollection,
        new: &ChromaCollection,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, StoreError> {
        let there: HashSet<String> = self.server.ids(new, None, &soon)?.into_iter().collect();
        let ids = self.server.ids(old, None, &soon)?;
        let known: HashSet<&String> = ids.iter().collect();
        for id in there.iter().filter(|id| !known.contains(id)) {
            self.server.delete(new, id, soon())?;
        }
        let missing: Vec<String> = ids.iter().filter(|id| !there.contains(*id)).cloned().collect();
        let mut done = 0;
        for batch in missing.chunks(BATCH) {
            progress(ids.len() - missing.len() + done, ids.len());
            let (records, vectors) = self.computed(old, batch)?;
            let of_model = |record| of_model(record, self.embedder.model());
            let records: Vec<ChromaRecord> = records.into_iter().map(of_model).collect();
            if !records.is_empty() {
                self.server.upsert(new, &records, &vectors, soon())?;
            }
            done += records.len();
        }
        Ok(done)
    }
}
