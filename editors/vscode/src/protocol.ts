// symd's own methods between its packages and `symd lsp`, beside LSP. `crates/ide/src/proxy` is the other side.
import type { Range, Position } from 'vscode-languageserver-protocol';

export const SAVE = 'symd/save';
export const EDITOR_CONTEXT = 'symd/editorContext';
export const DID_CHANGE_CONTEXT = 'symd/didChangeEditorContext';
export const DID_CHANGE_DIAGNOSTICS = 'symd/didChangeEditorDiagnostics';
export const DID_CHANGE_NAVIGATION = 'symd/didChangeNavigation';
export const TERMINAL_TAIL = 'symd/terminalTail';

/** Documents to be saved, with the version of each whose text is meant. */
export interface SaveParams {
  uris: string[];
  versions: number[];
}

export interface SaveResult {
  saved: boolean;
  problem?: string;
}

/** What the window shows; without a document the user looks at no file. */
export interface EditorContext {
  textDocument?: { uri: string } | null;
  position?: Position;
  selection?: { range: Range; text: string };
  dirty?: boolean;
  visibleRange?: Range;
}

export interface EditorDiagnostics {
  files: { uri: string; diagnostics: { range: Range; severity: number; message: string; source?: string }[] }[];
}

export interface TerminalTail {
  lines: string[];
}

/** How many lines of a terminal symd keeps. */
export const TERMINAL_LINES = 50;

/** What symd's daemon says in answer to `symd.status`, as far as it is shown. */
export interface Status {
  version: string;
  pid: number;
  root: string;
  files: number;
  symbols: number;
  indexing?: boolean;
}
