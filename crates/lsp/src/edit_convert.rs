//! Validates a server's `WorkspaceEdit` and converts it. Invariant: an edit of another document version than
//! the server was sent is rejected, and a malformed part makes the whole edit fail; no part is ever omitted.

use std::collections::BTreeMap;

use super::convert::Converter;
use super::edit_shapes::{
    AnnotationShape, DocumentChangeShape, OptionsShape, TextEditShape, WorkspaceEditShape,
};
use super::span::FileRef;
use super::workspace_edit::{EditStep, IfExists, IfMissing, SpanEdit, WorkspaceEdit};
use symd_base::{ContentHash, RelPath};

/// The version and the content that a server was last sent of an open document.
pub(crate) type Known = (i32, ContentHash);

impl Converter {
    /// Converts an edit; `known` returns what the server was last sent of a document. The error says what is
    /// wrong with the edit.
    pub(crate) fn workspace_edit(
        &self,
        shape: WorkspaceEditShape,
        known: impl Fn(&RelPath) -> Option<Known>,
    ) -> Result<WorkspaceEdit, String> {
        let annotations = shape.change_annotations.unwrap_or_default();
        let mut edit = WorkspaceEdit::default();
        match (shape.document_changes, shape.changes) {
            (Some(changes), _) => {
                for change in changes {
                    note(&mut edit.notes, &annotations, change.annotation_id.as_deref());
                    for one in &change.edits {
                        note(&mut edit.notes, &annotations, one.annotation_id.as_deref());
                    }
                    edit.steps.push(self.document_change(change, &known)?);
                }
            }
            (None, Some(changes)) => {
                for (uri, edits) in changes {
                    edit.steps.push(self.text_step(&uri, None, edits, &known)?);
                }
            }
            (None, None) => {}
        }
        Ok(edit)
    }

    /// Converts the text edits of one document.
    pub(crate) fn span_edits(&self, file: &FileRef, edits: Vec<TextEditShape>) -> Vec<SpanEdit> {
        let one =
            |edit: TextEditShape| SpanEdit { span: self.span(file, edit.range), new_text: edit.new_text };
        edits.into_iter().map(one).collect()
    }

    fn document_change(
        &self,
        change: DocumentChangeShape,
        known: &impl Fn(&RelPath) -> Option<Known>,
    ) -> Result<EditStep, String> {
        let options = change.options.unwrap_or_default();
        let file = |uri: Option<String>| {
            uri.map(|uri| self.file(&uri)).ok_or("a file operation in its edit names no file".to_owned())
        };
        match change.kind.as_deref() {
            None => {
                let document = change.text_document.ok_or("a part of its edit names no document")?;
                self.text_step(&document.uri, document.version, change.edits, known)
            }
            Some("create") => Ok(EditStep::Create { file: file(change.uri)?, existing: existing(&options) }),
            Some("rename") => Ok(EditStep::Rename {
                from: file(change.old_uri)?,
                to: file(change.new_uri)?,
                existing: existing(&options),
            }),
            Some("delete") => {
                let missing = if options.ignore_if_not_exists { IfMissing::Skip } else { IfMissing::Refuse };
                Ok(EditStep::Delete { file: file(change.uri)?, missing })
            }
            Some(other) => Err(format!("its edit has an operation {other:?}, which LSP does not define")),
        }
    }

    fn text_step(
        &self,
        uri: &str,
        version: Option<i64>,
        edits: Vec<TextEditShape>,
        known: &impl Fn(&RelPath) -> Option<Known>,
    ) -> Result<EditStep, String> {
        let file = self.file(uri);
        let known = match &file {
            FileRef::Project(path) => known(path),
            FileRef::Outside(_) => None,
        };
        if let (Some(version), Some((told, _)), FileRef::Project(path)) = (version, known, &file)
            && version != i64::from(told)
        {
            return Err(format!("its edit is for version {version} of {path}, but it was sent {told}"));
        }
        let edits = self.span_edits(&file, edits);
        Ok(EditStep::Text { file, seen: known.map(|(_, hash)| hash), edits })
    }
}

fn existing(options: &OptionsShape) -> IfExists {
    match (options.overwrite, options.ignore_if_exists) {
        (true, _) => IfExists::Replace,
        (false, true) => IfExists::Skip,
        (false, false) => IfExists::Refuse,
    }
}

/// Appends an annotation's text to `notes`, once.
fn note(notes: &mut Vec<String>, annotations: &BTreeMap<String, AnnotationShape>, id: Option<&str>) {
    let Some(annotation) = id.and_then(|id| annotations.get(id)) else { return };
    let mut text = annotation.label.clone();
    if let Some(description) = annotation.description.as_ref().filter(|text| !text.is_empty()) {
        text = if text.is_empty() { description.clone() } else { format!("{text}: {description}") };
    }
    if annotation.needs_confirmation {
        text.push_str(" (the server wants this confirmed)");
    }
    if !text.is_empty() && !notes.contains(&text) {
        notes.push(text);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::ColumnEncoding;

    fn range(line: u32) -> Value {
        json!({"start": {"line": line, "character": 4}, "end": {"line": line, "character": 7}})
    }

    fn edit(shape: Value) -> Result<WorkspaceEdit, String> {
        let rim = Converter { root: Arc::new(PathBuf::from("/p")), encoding: ColumnEncoding::Utf16 };
        let known = |path: &RelPath| (path.as_str() == "a.py").then(|| (3, ContentHash::of(b"a")));
        rim.workspace_edit(serde_json::from_value(shape).unwrap(), known)
    }

    fn told(edit: &WorkspaceEdit) -> Vec<String> {
        let name = |file: &FileRef| match file {
            FileRef::Project(path) => path.to_string(),
            FileRef::Outside(path) => format!("outside {}", path.display()),
        };
        let step = |step: &EditStep| match step {
            EditStep::Text { file, seen, edits } => {
                format!("{} {} {}", name(file), seen.is_some(), edits[0].new_text)
            }
            EditStep::Create { file, existing } => format!("create {} {existing:?}", name(file)),
            EditStep::Rename { from, to, existing } => {
                format!("rename {} {} {existing:?}", name(from), name(to))
            }
            EditStep::Delete { file, missing } => format!("delete {} {missing:?}", name(file)),
        };
        edit.steps.iter().map(step).collect()
    }

    #[test]
    fn both_forms_are_taken_and_the_newer_one_counts() {
        let changes = json!({"file:///p/b.py": [{"range": range(0), "newText": "x"}],
            "file:///p/a.py": [{"range": range(0), "newText": "y"}]});
        assert_eq!(told(&edit(json!({"changes": changes})).unwrap()), ["a.py true y", "b.py false x"]);
        let documents = json!([
            {"textDocument": {"uri": "file:///p/b.py", "version": null}, "edits": [{"range": range(0), "newText": "1"}]},
            {"kind": "rename", "oldUri": "file:///p/b.py", "newUri": "file:///q/c.py"},
            {"kind": "create", "uri": "file:///p/d", "options": {"ignoreIfExists": true}},
            {"kind": "create", "uri": "file:///p/d", "options": {"ignoreIfExists": true, "overwrite": true}},
            {"kind": "delete", "uri": "file:///p/d", "options": {"ignoreIfNotExists": true, "recursive": true}},
            {"textDocument": {"uri": "file:///p/a.py", "version": 3}, "edits": [{"range": range(0), "newText": "2"}]},
        ]);
        let both = edit(json!({"changes": changes, "documentChanges": documents})).unwrap();
        let expected = [
            "b.py false 1",
            "rename b.py outside /q/c.py Refuse",
            "create d Skip",
            "create d Replace",
            "delete d Skip",
            "a.py true 2",
        ];
        assert_eq!(told(&both), expected);
        assert_eq!(edit(json!({})), Ok(WorkspaceEdit::default()));
    }

    #[test]
    fn annotations_become_notes() {
        let annotated = json!({
            "changeAnnotations": {
                "1": {"label": "Rename override", "needsConfirmation": true, "description": "in Sub"},
                "2": {"label": "never used"},
            },
            "documentChanges": [{"textDocument": {"uri": "file:///p/b.py", "version": null}, "edits": [
                {"range": range(0), "newText": "1", "annotationId": "1"},
                {"range": range(1), "newText": "1", "annotationId": "1"},
            ]}],
        });
        assert_eq!(
            edit(annotated).unwrap().notes,
            ["Rename override: in Sub (the server wants this confirmed)"]
        );
    }

    #[test]
    fn stale_versions_and_unknown_operations_are_refused() {
        let stale = json!({"documentChanges": [{"textDocument": {"uri": "file:///p/a.py", "version": 2}, "edits": []}]});
        assert_eq!(edit(stale).unwrap_err(), "its edit is for version 2 of a.py, but it was sent 3");
        for wrong in [
            json!({"kind": "chmod", "uri": "file:///p/a.py"}),
            json!({"kind": "create"}),
            json!({"edits": []}),
        ] {
            assert!(edit(json!({"documentChanges": [wrong]})).is_err());
        }
    }
}
