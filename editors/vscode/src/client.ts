// The connection to `symd lsp`: VS Code's language client, and the answers to symd's own requests.
import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';
import { editorContext, editorDiagnostics } from './context';
import { EDITOR_CONTEXT, SAVE, type SaveParams, type SaveResult, type Status, type TerminalTail } from './protocol';

/** The settings of one connection. */
export interface Settings {
  program: string;
  navigation: string[];
  shareTerminal: boolean;
}

export function settings(): Settings {
  const own = vscode.workspace.getConfiguration('symd');
  return {
    program: own.get('path', 'symd'),
    navigation: own.get<string[]>('navigation', []),
    shareTerminal: own.get('shareTerminal', true),
  };
}

/** `terminal` returns what symd is told of the terminal. */
export function createClient(
  { program, navigation }: Settings,
  terminal: () => TerminalTail | undefined,
): LanguageClient {
  const server: ServerOptions = { command: program, args: ['lsp'] };
  const client: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file' }],
    initializationOptions: { symd: { reportsContext: true, tellsContext: true, saves: true, navigation } },
    // A daemon that ends is started again by `symd lsp`; its own end is an error to be seen.
    connectionOptions: { maxRestartCount: 2 },
  };
  const running = new LanguageClient('symd', 'symd', server, client);
  running.onRequest(SAVE, save);
  running.onRequest(EDITOR_CONTEXT, () => {
    const shown = editorContext();
    // A window whose focus is in a terminal shows the same file as before.
    const tail = terminal();
    return { ...(shown ?? {}), diagnostics: editorDiagnostics(), ...(tail === undefined ? {} : { terminal: tail }) };
  });
  return running;
}

/**
 * Saves documents whose text symd has changed, and whose files have that text already: VS Code compares before it
 * writes, and finds nothing to write. A document that was changed since is left.
 */
async function save({ uris, versions }: SaveParams): Promise<SaveResult> {
  const problems: string[] = [];
  for (const [number, uri] of uris.entries()) {
    const named = vscode.Uri.parse(uri).toString();
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === named);
    if (document === undefined) {
      problems.push(`${uri} is not open`);
    } else if (document.version !== versions[number]) {
      problems.push(`${uri} was changed meanwhile`);
    } else if (!(await document.save())) {
      problems.push(`VS Code did not save ${uri}`);
    }
  }
  return problems.length === 0 ? { saved: true } : { saved: false, problem: problems.join('; ') };
}

/** Runs a command of `symd lsp`; where the argument has no `uri`, the file in front stands for its project. */
export async function run<T>(client: LanguageClient, command: string, argument: object = {}): Promise<T> {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  return client.sendRequest<T>('workspace/executeCommand', { command, arguments: [{ uri, ...argument }] });
}

export async function status(client: LanguageClient): Promise<Status> {
  return run<Status>(client, 'symd.status');
}
