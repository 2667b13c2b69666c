//! The JSON shapes of servers' responses, decoded leniently: every form that LSP permits, and those that it
//! does not permit but servers send. `convert` interprets them. Invariant: a list of 100,000 elements is
//! decoded in one pass; nothing is buffered to try another form.

use std::fmt;
use std::marker::PhantomData;

use lsp_types::Range;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A list given as `null`, one object, or an array.
#[derive(Debug, PartialEq)]
pub(crate) struct Listed<T>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Listed<T>, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = Listed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("null, an object or a list of objects")
            }

            fn visit_unit<E>(self) -> Result<Listed<T>, E> {
                Ok(Listed(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Listed<T>, A::Error> {
                Ok(Listed(vec![T::deserialize(MapAccessDeserializer::new(map))?]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Listed<T>, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = list.next_element()? {
                    all.push(one);
                }
                Ok(Listed(all))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// `Location` or `LocationLink`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LocationShape {
    #[serde(alias = "targetUri")]
    pub(crate) uri: String,
    /// The range of a `Location`.
    pub(crate) range: Option<Range>,
    /// The range of the whole declaration in a `LocationLink`.
    pub(crate) target_range: Option<Range>,
    /// The range of the name in a `LocationLink`.
    pub(crate) target_selection_range: Option<Range>,
}

/// `CallHierarchyItem`, `TypeHierarchyItem`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemShape {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) kind: i64,
    pub(crate) uri: String,
    pub(crate) range: Range,
    pub(crate) selection_range: Option<Range>,
    pub(crate) detail: Option<String>,
}

/// `CallHierarchyIncomingCall`, `CallHierarchyOutgoingCall`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallShape {
    #[serde(alias = "to")]
    pub(crate) from: ItemShape,
    #[serde(default)]
    pub(crate) from_ranges: Vec<Range>,
}

/// `DocumentSymbol` or `SymbolInformation`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SymbolShape {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) kind: i64,
    pub(crate) detail: Option<String>,
    /// The range of a `DocumentSymbol`.
    pub(crate) range: Option<Range>,
    pub(crate) selection_range: Option<Range>,
    #[serde(default)]
    pub(crate) children: Option<Vec<SymbolShape>>,
    /// The location of a `SymbolInformation`.
    pub(crate) location: Option<LocationShape>,
    pub(crate) container_name: Option<String>,
}

/// `Hover`.
#[derive(Debug, Deserialize)]
pub(crate) struct HoverShape {
    pub(crate) contents: Value,
}

/// `SignatureHelp`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignaturesShape {
    #[serde(default)]
    pub(crate) signatures: Vec<SignatureShape>,
    pub(crate) active_signature: Option<u32>,
}

/// `SignatureInformation`.
#[derive(Debug, Deserialize)]
pub(crate) struct SignatureShape {
    pub(crate) label: String,
}

/// `Diagnostic`.
#[derive(Debug, Deserialize)]
pub(crate) struct DiagnosticShape {
    pub(crate) range: Range,
    pub(crate) severity: Option<i64>,
    /// A number or a string.
    #[serde(default)]
    pub(crate) code: Value,
    pub(crate) source: Option<String>,
    /// A string, or (LSP 3.18) `MarkupContent`.
    #[serde(default)]
    pub(crate) message: Value,
}

/// `DocumentDiagnosticReport`; a report of kind `unchanged` has no items.
#[derive(Debug, Deserialize)]
pub(crate) struct FileReportShape {
    #[serde(default)]
    pub(crate) items: Vec<DiagnosticShape>,
}

/// `WorkspaceDiagnosticReport`.
#[derive(Debug, Deserialize)]
pub(crate) struct ProjectReportShape {
    #[serde(default)]
    pub(crate) items: Vec<ProjectFileReportShape>,
}

/// `WorkspaceDocumentDiagnosticReport`.
#[derive(Debug, Deserialize)]
pub(crate) struct ProjectFileReportShape {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) items: Vec<DiagnosticShape>,
}

/// `CodeAction` or `Command`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionShape {
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) is_preferred: bool,
    pub(crate) disabled: Option<DisabledShape>,
}

/// Why a code action is disabled.
#[derive(Debug, Deserialize)]
pub(crate) struct DisabledShape {
    #[serde(default)]
    pub(crate) reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode<T: serde::de::DeserializeOwned>(text: &str) -> T {
        serde_json::from_str(text).expect(text)
    }

    #[test]
    fn a_list_comes_in_three_forms() {
        let locations = |text: &str| -> Vec<String> {
            decode::<Listed<LocationShape>>(text).0.into_iter().map(|location| location.uri).collect()
        };
        let range = r#"{"start":{"line":1,"character":2},"end":{"line":1,"character":3}}"#;
        assert!(locations("null").is_empty());
        assert_eq!(locations(&format!(r#"{{"uri":"a","range":{range}}}"#)), ["a"]);
        assert_eq!(
            locations(&format!(
                r#"[{{"range":{range},"uri":"a"}},{{"targetUri":"b","targetRange":{range},"targetSelectionRange":{range}}}]"#
            )),
            ["a", "b"]
        );
        for wrong in ["3", "\"a\"", "[3]", "{}", "true"] {
            assert!(serde_json::from_str::<Listed<LocationShape>>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn commands_and_code_actions_are_both_actions() {
        let Listed(actions) = decode::<Listed<ActionShape>>(
            r#"[{"title":"a","command":"x","arguments":[1]},
                {"title":"b","kind":"quickfix","isPreferred":true,"disabled":{"reason":"no"},"command":{"title":"c","command":"d"}}]"#,
        );
        assert_eq!((actions[0].title.as_str(), actions[0].is_preferred), ("a", false));
        assert_eq!(actions[1].disabled.as_ref().unwrap().reason, "no");
    }
}
