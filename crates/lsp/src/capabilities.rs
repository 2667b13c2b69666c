//! The capabilities of both sides: those that symd declares in `initialize`, and those that the server
//! declares there or registers later. Invariant: a malformed capability counts as missing and never fails the
//! handshake.

use std::collections::BTreeMap;

use lsp_types::{
    CallHierarchyClientCapabilities, ChangeAnnotationWorkspaceEditClientCapabilities, ClientCapabilities,
    CodeActionCapabilityResolveSupport, CodeActionClientCapabilities, CodeActionKindLiteralSupport,
    CodeActionLiteralSupport, DiagnosticClientCapabilities, DidChangeWatchedFilesClientCapabilities,
    DocumentSymbolClientCapabilities, DynamicRegistrationClientCapabilities, FailureHandlingKind,
    GeneralClientCapabilities, GotoCapability, HoverClientCapabilities, MarkupKind,
    PrepareSupportDefaultBehavior, PublishDiagnosticsClientCapabilities, RenameClientCapabilities,
    ResourceOperationKind, SemanticTokenType, SemanticTokensClientCapabilities,
    SemanticTokensClientCapabilitiesRequests, SemanticTokensFullOptions, SignatureHelpClientCapabilities,
    SymbolKind as LspSymbolKind, SymbolKindCapability, TextDocumentClientCapabilities,
    TextDocumentSyncClientCapabilities, TokenFormat, WindowClientCapabilities, WorkspaceClientCapabilities,
    WorkspaceEditClientCapabilities, WorkspaceFileOperationsClientCapabilities,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::span::ColumnEncoding;

/// The types of tokens that LSP 3.17 knows (`SemanticTokenTypes`).
const TOKEN_TYPES: [SemanticTokenType; 22] = [
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::TYPE,
    SemanticTokenType::CLASS,
    SemanticTokenType::ENUM,
    SemanticTokenType::INTERFACE,
    SemanticTokenType::STRUCT,
    SemanticTokenType::TYPE_PARAMETER,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::EVENT,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::METHOD,
    SemanticTokenType::MACRO,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::MODIFIER,
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::REGEXP,
    SemanticTokenType::OPERATOR,
];

/// The notifications that a server wants for open documents (LSP 3.17, `TextDocumentSyncOptions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sync {
    /// Whether it wants `didOpen` and `didClose`.
    pub(crate) opens: bool,
    /// How it wants changes to be reported.
    pub(crate) change: SyncKind,
}

/// LSP's `TextDocumentSyncKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncKind {
    /// No `didChange`: a changed document is closed and reopened.
    None,
    /// `didChange` with the whole text.
    Full,
    /// `didChange` with the changed range.
    Incremental,
}

/// The capabilities of a server.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    stated: Value,
    /// Keyed by registration id.
    registered: BTreeMap<String, Registration>,
}

/// A capability that the server registered after `initialize` (LSP 3.17, `Registration`).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registration {
    pub(crate) id: String,
    pub(crate) method: String,
    #[serde(default)]
    register_options: Value,
}

/// The requests that symd sends, each with the JSON pointer to the server capability that announces it.
const FEATURES: [(&str, &str); 23] = [
    ("codeAction/resolve", "/codeActionProvider/resolveProvider"),
    ("textDocument/codeAction", "/codeActionProvider"),
    ("textDocument/declaration", "/declarationProvider"),
    ("textDocument/definition", "/definitionProvider"),
    ("textDocument/diagnostic", "/diagnosticProvider"),
    ("textDocument/documentSymbol", "/documentSymbolProvider"),
    ("textDocument/formatting", "/documentFormattingProvider"),
    ("textDocument/hover", "/hoverProvider"),
    ("textDocument/implementation", "/implementationProvider"),
    ("textDocument/prepareCallHierarchy", "/callHierarchyProvider"),
    ("textDocument/prepareRename", "/renameProvider/prepareProvider"),
    ("textDocument/prepareTypeHierarchy", "/typeHierarchyProvider"),
    ("textDocument/rangeFormatting", "/documentRangeFormattingProvider"),
    ("textDocument/references", "/referencesProvider"),
    ("textDocument/rename", "/renameProvider"),
    ("textDocument/semanticTokens/full", "/semanticTokensProvider/full"),
    ("textDocument/signatureHelp", "/signatureHelpProvider"),
    ("textDocument/typeDefinition", "/typeDefinitionProvider"),
    ("workspace/diagnostic", "/diagnosticProvider/workspaceDiagnostics"),
    ("workspace/didRenameFiles", "/workspace/fileOperations/didRename"),
    ("workspace/executeCommand", "/executeCommandProvider"),
    ("workspace/symbol", "/workspaceSymbolProvider"),
    ("workspace/willRenameFiles", "/workspace/fileOperations/willRename"),
];

impl Capabilities {
    /// Replaces the capabilities from `initialize`, and keeps those registered in the meantime.
    pub(crate) fn set_initial(&mut self, stated: Value) {
        self.stated = stated;
    }

    pub(crate) fn register(&mut self, registration: Registration) {
        self.registered.insert(registration.id.clone(), registration);
    }

    pub(crate) fn unregister(&mut self, id: &str) {
        self.registered.remove(id);
    }

    /// Whether the server supports requests of this method.
    pub(crate) fn supports(&self, method: &str) -> bool {
        let stated = FEATURES.iter().find(|(known, _)| *known == method);
        stated.is_some_and(|(_, place)| self.stated.pointer(place).is_some_and(is_enabled))
            || self.registers(method)
    }

    fn registers(&self, method: &str) -> bool {
        let asks = |method: &'static str, option: &'static str| {
            self.registered.values().any(|registration| {
                registration.method == method
                    && registration.register_options.get(option).is_some_and(is_enabled)
            })
        };
        match method {
            "workspace/diagnostic" => asks("textDocument/diagnostic", "workspaceDiagnostics"),
            "textDocument/prepareRename" => asks("textDocument/rename", "prepareProvider"),
            "codeAction/resolve" => asks("textDocument/codeAction", "resolveProvider"),
            _ => self.registered.values().any(|registration| registration.method == method),
        }
    }

    /// Returns the methods that symd uses and the server supports: LSP's method names, sorted.
    pub(crate) fn features(&self) -> Vec<String> {
        let supported = FEATURES.iter().filter(|(method, _)| self.supports(method));
        supported.map(|(method, _)| (*method).to_owned()).collect()
    }

    /// Returns the types of the server's semantic tokens in the order of its legend.
    pub(crate) fn token_types(&self) -> Vec<String> {
        let legend = "/semanticTokensProvider/legend/tokenTypes";
        let registered = self.registered.values().filter(|one| one.method == "textDocument/semanticTokens");
        let registered =
            registered.filter_map(|one| one.register_options.pointer("/legend/tokenTypes")).next();
        let types = self.stated.pointer(legend).or(registered).and_then(Value::as_array);
        let name = |one: &Value| one.as_str().unwrap_or_default().to_owned();
        types.map_or_else(Vec::new, |types| types.iter().map(name).collect())
    }

    /// Returns how the server counts columns, and which notifications it wants for documents.
    pub(crate) fn negotiated(&self) -> (ColumnEncoding, Sync) {
        (self.encoding(), self.sync())
    }

    /// Returns how the server counts columns; UTF-16 if it does not say.
    pub(crate) fn encoding(&self) -> ColumnEncoding {
        let named = self.stated.get("positionEncoding").and_then(Value::as_str);
        // clangd's own property, which is older than LSP's.
        let named = named.or_else(|| self.stated.get("offsetEncoding").and_then(Value::as_str));
        named.and_then(ColumnEncoding::from_lsp_name).unwrap_or_default()
    }

    /// Returns which notifications the server wants for documents.
    pub(crate) fn sync(&self) -> Sync {
        let kind = |value: Option<&Value>| match value.and_then(Value::as_u64) {
            Some(1) => SyncKind::Full,
            Some(2) => SyncKind::Incremental,
            _ => SyncKind::None,
        };
        match self.stated.get("textDocumentSync") {
            Some(Value::Object(options)) => {
                let change = kind(options.get("change"));
                // A server that wants changes needs `didOpen` too, declared or not.
                let opens = change != SyncKind::None || options.get("openClose").is_some_and(is_enabled);
                Sync { opens, change }
            }
            stated => Sync { opens: kind(stated) != SyncKind::None, change: kind(stated) },
        }
    }

    /// Returns the identifier that the server expects in pull requests for diagnostics
    /// (`DiagnosticOptions.identifier`).
    pub(crate) fn diagnostics_identifier(&self) -> Option<String> {
        let registered = self.registered.values().find(|known| known.method == "textDocument/diagnostic");
        let options = registered.map(|known| &known.register_options);
        let options = options.or_else(|| self.stated.get("diagnosticProvider"));
        options?.get("identifier")?.as_str().map(str::to_owned)
    }
}

/// Whether a capability is present: `true` or an object of options.
fn is_enabled(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// Returns the client capabilities for `initialize`.
pub(crate) fn of_client() -> Value {
    let said = serde_json::to_value(typed()).unwrap_or_default();
    add_untyped_capabilities(said)
}

fn typed() -> ClientCapabilities {
    let links = Some(GotoCapability { dynamic_registration: Some(false), link_support: Some(true) });
    let fixed = Some(DynamicRegistrationClientCapabilities { dynamic_registration: Some(false) });
    let all_kinds: Vec<LspSymbolKind> =
        (1..=26).filter_map(|kind| serde_json::from_value(json!(kind)).ok()).collect();
    let text_document = TextDocumentClientCapabilities {
        synchronization: Some(TextDocumentSyncClientCapabilities {
            dynamic_registration: Some(false),
            ..Default::default()
        }),
        hover: Some(HoverClientCapabilities {
            dynamic_registration: Some(false),
            content_format: Some(vec![MarkupKind::Markdown, MarkupKind::PlainText]),
        }),
        signature_help: Some(SignatureHelpClientCapabilities::default()),
        references: fixed,
        document_symbol: Some(DocumentSymbolClientCapabilities {
            dynamic_registration: Some(false),
            symbol_kind: Some(SymbolKindCapability { value_set: Some(all_kinds.clone()) }),
            hierarchical_document_symbol_support: Some(true),
            tag_support: None,
        }),
        declaration: links,
        definition: links,
        type_definition: links,
        implementation: links,
        code_action: Some(CodeActionClientCapabilities {
            code_action_literal_support: Some(CodeActionLiteralSupport {
                code_action_kind: CodeActionKindLiteralSupport {
                    value_set: [
                        "",
                        "quickfix",
                        "refactor",
                        "refactor.extract",
                        "refactor.inline",
                        "refactor.rewrite",
                        "source",
                    ]
                    .map(str::to_owned)
                    .to_vec(),
                },
            }),
            is_preferred_support: Some(true),
            disabled_support: Some(true),
            data_support: Some(true),
            resolve_support: Some(CodeActionCapabilityResolveSupport { properties: vec!["edit".to_owned()] }),
            ..Default::default()
        }),
        rename: Some(RenameClientCapabilities {
            dynamic_registration: Some(true),
            prepare_support: Some(true),
            prepare_support_default_behavior: Some(PrepareSupportDefaultBehavior::IDENTIFIER),
            honors_change_annotations: Some(true),
        }),
        formatting: fixed,
        range_formatting: fixed,
        publish_diagnostics: Some(PublishDiagnosticsClientCapabilities {
            version_support: Some(true),
            ..Default::default()
        }),
        call_hierarchy: Some(CallHierarchyClientCapabilities { dynamic_registration: Some(false) }),
        // Without it tsc's tokens have no types, and are none.
        semantic_tokens: Some(SemanticTokensClientCapabilities {
            dynamic_registration: Some(false),
            requests: SemanticTokensClientCapabilitiesRequests {
                range: None,
                full: Some(SemanticTokensFullOptions::Bool(true)),
            },
            token_types: TOKEN_TYPES.to_vec(),
            formats: vec![TokenFormat::RELATIVE],
            ..Default::default()
        }),
        diagnostic: Some(DiagnosticClientCapabilities {
            // With dynamic registration ty would register it some time after `initialized`, and the first
            // request would wait for diagnostics that are never published.
            dynamic_registration: Some(false),
            related_document_support: Some(false),
        }),
        ..Default::default()
    };
    let workspace = WorkspaceClientCapabilities {
        configuration: Some(true),
        workspace_folders: Some(true),
        did_change_configuration: Some(DynamicRegistrationClientCapabilities {
            dynamic_registration: Some(true),
        }),
        did_change_watched_files: Some(DidChangeWatchedFilesClientCapabilities {
            dynamic_registration: Some(true),
            relative_pattern_support: Some(true),
        }),
        // Only edits of a command that symd runs are accepted, and they become part of that command's edit.
        apply_edit: Some(true),
        workspace_edit: Some(WorkspaceEditClientCapabilities {
            document_changes: Some(true),
            resource_operations: Some(vec![
                ResourceOperationKind::Create,
                ResourceOperationKind::Rename,
                ResourceOperationKind::Delete,
            ]),
            failure_handling: Some(FailureHandlingKind::Transactional),
            normalizes_line_endings: Some(false),
            change_annotation_support: Some(ChangeAnnotationWorkspaceEditClientCapabilities {
                groups_on_label: Some(true),
            }),
        }),
        execute_command: fixed,
        file_operations: Some(WorkspaceFileOperationsClientCapabilities {
            dynamic_registration: Some(true),
            will_rename: Some(true),
            did_rename: Some(true),
            ..Default::default()
        }),
        ..Default::default()
    };
    ClientCapabilities {
        workspace: Some(workspace),
        text_document: Some(text_document),
        window: Some(WindowClientCapabilities { work_done_progress: Some(true), ..Default::default() }),
        general: Some(GeneralClientCapabilities {
            // UTF-8 first: byte columns need no counting.
            position_encodings: Some(
                [ColumnEncoding::Utf8, ColumnEncoding::Utf32, ColumnEncoding::Utf16]
                    .map(|one| one.lsp_name().into())
                    .to_vec(),
            ),
            ..Default::default()
        }),
        experimental: Some(json!({"serverStatusNotification": true})),
    }
}

/// Adds the capabilities that lsp-types 0.95 has no field for: the client's type hierarchy, refreshes of
/// diagnostics, and `offsetEncoding`, which clangd reads.
fn add_untyped_capabilities(mut said: Value) -> Value {
    said["textDocument"]["typeHierarchy"] = json!({"dynamicRegistration": false});
    said["workspace"]["diagnostics"] = json!({"refreshSupport": true});
    said["offsetEncoding"] = json!(["utf-8", "utf-32", "utf-16"]);
    said
}
