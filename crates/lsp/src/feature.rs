//! The kinds of requests to servers: LSP's method, and the feature name by which languages.toml selects
//! servers (Helix's name where it has one). Only names.

use super::{Direction, Goto};
use symd_config::ServerUse;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Feature {
    /// LSP's method name.
    pub(super) method: &'static str,
    /// The method that the server must support; `None`: any server will do.
    pub(super) required_method: Option<&'static str>,
    config_name: &'static str,
}

impl Feature {
    pub(super) const REFERENCES: Feature = Feature::new("textDocument/references", "goto-reference");
    pub(super) const HOVER: Feature = Feature::new("textDocument/hover", "hover");
    pub(super) const SIGNATURES: Feature = Feature::new("textDocument/signatureHelp", "signature-help");
    /// Pulled if the server supports that, else taken from what it publishes.
    pub(super) const DIAGNOSTICS: Feature =
        Feature { method: "textDocument/diagnostic", required_method: None, config_name: "diagnostics" };
    pub(super) const CODE_ACTIONS: Feature = Feature::new("textDocument/codeAction", "code-action");
    pub(super) const RENAME: Feature = Feature::new("textDocument/rename", "rename-symbol");
    pub(super) const RENAME_FILES: Feature = Feature::new("workspace/willRenameFiles", "rename-symbol");
    pub(super) const FORMATTING: Feature = Feature::new("textDocument/formatting", "format");
    pub(super) const RANGE_FORMATTING: Feature = Feature::new("textDocument/rangeFormatting", "format");
    pub(super) const DOCUMENT_SYMBOLS: Feature =
        Feature::new("textDocument/documentSymbol", "document-symbols");

    /// Several requests in one, so LSP has no name for it. Sent to the server that answers `goto-definition`.
    pub(super) const OUTSIDE_MEMBERS: Feature = Feature {
        method: "outsideMembers",
        required_method: Some("textDocument/documentSymbol"),
        config_name: "goto-definition",
    };

    const fn new(method: &'static str, config_name: &'static str) -> Feature {
        Feature { method, required_method: Some(method), config_name }
    }

    const fn after(method: &'static str, prepared: &'static str, config_name: &'static str) -> Feature {
        Feature { method, required_method: Some(prepared), config_name }
    }

    pub(super) fn goto(which: Goto) -> Feature {
        match which {
            Goto::Definition => Feature::new("textDocument/definition", "goto-definition"),
            Goto::Declaration => Feature::new("textDocument/declaration", "goto-declaration"),
            Goto::TypeDefinition => Feature::new("textDocument/typeDefinition", "goto-type-definition"),
            Goto::Implementation => Feature::new("textDocument/implementation", "goto-implementation"),
        }
    }

    pub(super) fn calls(direction: Direction) -> Feature {
        match direction {
            Direction::Up => Feature::after(
                "callHierarchy/incomingCalls",
                "textDocument/prepareCallHierarchy",
                "call-hierarchy",
            ),
            Direction::Down => Feature::after(
                "callHierarchy/outgoingCalls",
                "textDocument/prepareCallHierarchy",
                "call-hierarchy",
            ),
        }
    }

    pub(super) fn types(direction: Direction) -> Feature {
        match direction {
            Direction::Up => Feature::after(
                "typeHierarchy/supertypes",
                "textDocument/prepareTypeHierarchy",
                "type-hierarchy",
            ),
            Direction::Down => Feature::after(
                "typeHierarchy/subtypes",
                "textDocument/prepareTypeHierarchy",
                "type-hierarchy",
            ),
        }
    }

    /// Whether syntax alone can answer it, without a server.
    pub(super) fn has_syntax_answer(self) -> bool {
        !matches!(
            self.method,
            "textDocument/typeDefinition"
                | "textDocument/diagnostic"
                | "textDocument/codeAction"
                | "textDocument/signatureHelp"
                | "textDocument/rename"
                | "workspace/willRenameFiles"
                | "textDocument/formatting"
                | "textDocument/rangeFormatting"
                | "textDocument/documentSymbol"
                | "outsideMembers"
        )
    }

    /// Whether the language's configuration lets this server answer it (`only-features`, `except-features`).
    pub(super) fn is_enabled_for(self, server: &ServerUse) -> bool {
        let named = |words: &[String]| words.iter().any(|word| word == self.config_name);
        (server.only_features.is_empty() || named(&server.only_features)) && !named(&server.except_features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_and_except() {
        let server = |only: &[&str], except: &[&str]| ServerUse {
            name: "ls".to_owned(),
            only_features: only.iter().map(|&word| word.to_owned()).collect(),
            except_features: except.iter().map(|&word| word.to_owned()).collect(),
        };
        assert!(Feature::HOVER.is_enabled_for(&server(&[], &[])));
        assert!(Feature::HOVER.is_enabled_for(&server(&["hover"], &[])));
        assert!(!Feature::HOVER.is_enabled_for(&server(&["goto-reference"], &[])));
        assert!(!Feature::goto(Goto::Definition).is_enabled_for(&server(&[], &["goto-definition"])));
    }
}
