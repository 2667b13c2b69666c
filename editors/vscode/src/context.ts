// What the window shows, as symd is told.
import * as vscode from 'vscode';
import type { Range } from 'vscode-languageserver-protocol';
import type { EditorContext, EditorDiagnostics } from './protocol';

function range(of: vscode.Range): Range {
  const { start, end } = of;
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

/** Returns the active file with the cursor; nothing where no file is active. */
export function editorContext(): EditorContext | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== 'file') {
    return undefined;
  }
  const { document, selection, visibleRanges } = editor;
  const active = selection.active;
  const context: EditorContext = {
    textDocument: { uri: document.uri.toString() },
    position: { line: active.line, character: active.character },
    dirty: document.isDirty,
  };
  if (!selection.isEmpty) {
    context.selection = { range: range(selection), text: document.getText(selection) };
  }
  const visible = visibleRanges[0];
  if (visible !== undefined) {
    context.visibleRange = range(visible);
  }
  return context;
}

/** Returns all diagnostics that the window shows for files. */
export function editorDiagnostics(): EditorDiagnostics {
  const files = vscode.languages.getDiagnostics().filter(([uri, list]) => uri.scheme === 'file' && list.length > 0);
  return {
    files: files.map(([uri, list]) => ({
      uri: uri.toString(),
      diagnostics: list.map((one) => ({
        range: range(one.range),
        severity: one.severity + 1,
        message: one.message,
        ...(one.source === undefined ? {} : { source: one.source }),
      })),
    })),
  };
}

/** Calls `push` once for many calls in a row, after `quiet` milliseconds. */
export function debounced(push: () => unknown, quiet: number): vscode.Disposable & { call(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    call: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        push();
      }, quiet);
    },
    dispose: () => clearTimeout(timer),
  };
}
