// Connects the window to symd, tells what it shows, and offers symd's commands.
import * as vscode from 'vscode';
import { type LanguageClient, State } from 'vscode-languageclient/node';
import { createClient, run, settings, status } from './client';
import { debounced, editorContext, editorDiagnostics } from './context';
import { Edits, type Entry } from './edits';
import { DID_CHANGE_CONTEXT, DID_CHANGE_DIAGNOSTICS, DID_CHANGE_NAVIGATION, TERMINAL_TAIL, type TerminalTail } from './protocol';
import { LastTerminal } from './terminal';

let client: LanguageClient | undefined;

// A running server or build tells as it goes on, not at each of its writes.
const terminalPushes = debounced(pushTerminal, 300);
const terminal = new LastTerminal(terminalPushes.call);

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const bar = vscode.window.createStatusBarItem('symd.status', vscode.StatusBarAlignment.Right, 0);
  bar.name = 'symd';
  bar.command = 'symd.showStatus';
  bar.text = '$(sync~spin) symd';
  bar.show();
  const edits = new Edits(
    () => settings().program,
    // With several projects and no file of one in front there is none to show.
    async () => (client?.isRunning() === true ? (await status(client).catch(() => undefined))?.root : undefined),
  );
  const tree = vscode.window.createTreeView('symd.edits', { treeDataProvider: edits });
  // Each look at the history is a process: only while somebody sees it, and once for many changes.
  const look = debounced(() => tree.visible && edits.refresh(), 500);
  const files = vscode.workspace.createFileSystemWatcher('**/*');
  context.subscriptions.push(
    bar,
    tree,
    look,
    files,
    files.onDidChange(look.call),
    files.onDidCreate(look.call),
    files.onDidDelete(look.call),
    tree.onDidChangeVisibility(look.call),
  );
  registerCommands(context, edits);
  registerPushes(context);
  registerTools(context);

  const start = async (): Promise<void> => {
    const starting = createClient(settings(), terminalTail);
    client = starting;
    starting.onDidChangeState(({ newState }) => {
      bar.text = newState === State.Running ? 'symd' : newState === State.Starting ? '$(sync~spin) symd' : '$(error) symd';
    });
    try {
      await starting.start();
      pushContext();
      pushDiagnostics();
      edits.refresh();
    } catch (error) {
      bar.tooltip = String(error);
      void vscode.window.showWarningMessage(
        `symd did not start: ${String(error)}. Is the program on PATH, or named in the setting symd.path?`,
      );
    }
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('symd.restart', async () => {
      await client?.dispose();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('symd.navigation')) {
        notify(DID_CHANGE_NAVIGATION, { languages: settings().navigation });
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

function notify(method: string, params: object): void {
  if (client?.isRunning() === true) {
    void client.sendNotification(method, params);
  }
}

function pushContext(): void {
  const shown = editorContext();
  if (shown !== undefined) {
    notify(DID_CHANGE_CONTEXT, shown);
  }
}

function pushDiagnostics(): void {
  notify(DID_CHANGE_DIAGNOSTICS, editorDiagnostics());
}

/** Returns the last lines of the terminal, if they are shared. */
function terminalTail(): TerminalTail | undefined {
  const lines = settings().shareTerminal ? terminal.lines() : undefined;
  return lines === undefined ? undefined : { lines };
}

function pushTerminal(): void {
  const tail = terminalTail();
  if (tail !== undefined) {
    notify(TERMINAL_TAIL, tail);
  }
}

function registerPushes(context: vscode.ExtensionContext): void {
  const cursor = debounced(pushContext, 50);
  const diagnostics = debounced(pushDiagnostics, 200);
  context.subscriptions.push(
    cursor,
    diagnostics,
    vscode.window.onDidChangeActiveTextEditor(cursor.call),
    vscode.window.onDidChangeTextEditorSelection(cursor.call),
    vscode.window.onDidChangeTextEditorVisibleRanges(cursor.call),
    vscode.workspace.onDidSaveTextDocument(cursor.call),
    vscode.languages.onDidChangeDiagnostics(diagnostics.call),
    terminalPushes,
    vscode.window.onDidStartTerminalShellExecution(({ execution }) =>
      terminal.follow(execution.commandLine.value, execution.read()),
    ),
  );
}

function registerCommands(context: vscode.ExtensionContext, edits: Edits): void {
  const command = (name: string, act: (running: LanguageClient, argument: unknown) => Promise<void>): void => {
    const registered = vscode.commands.registerCommand(name, async (argument: unknown) => {
      if (client?.isRunning() !== true) {
        void vscode.window.showWarningMessage('symd is not connected');
        return;
      }
      try {
        await act(client, argument);
      } catch (error) {
        void vscode.window.showErrorMessage(`symd: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
    context.subscriptions.push(registered);
  };
  command('symd.showStatus', async (running) => {
    const { version, root, files, symbols, pid } = await status(running);
    void vscode.window.showInformationMessage(
      `symd ${version} for ${root}: ${files} files, ${symbols} symbols (process ${pid})`,
    );
  });
  command('symd.undoLastEdit', async (running) => {
    await run(running, 'symd.undo');
    edits.refresh();
  });
  command('symd.undoEdit', async (running, entry) => {
    const undoable = Edits.undoable(entry as Entry);
    if (undoable !== undefined) {
      await run(running, 'symd.undo', undoable);
      edits.refresh();
    }
  });
  command('symd.renameSymbol', async (running) => {
    const path = await vscode.window.showInputBox({ prompt: 'Name path of the symbol, such as Cart/total' });
    const name = path === undefined ? undefined : await vscode.window.showInputBox({ prompt: 'Its new name' });
    if (path !== undefined && name !== undefined) {
      await run(running, 'symd.rename', { name_path: path, new_name: name });
    }
  });
  command('symd.restartLanguageServer', async (running) => {
    const server = await vscode.window.showInputBox({ prompt: 'The server, as `symd status` names it' });
    if (server !== undefined) {
      await run(running, 'symd.restartServer', { server });
    }
  });
  context.subscriptions.push(vscode.commands.registerCommand('symd.refreshEdits', () => edits.refresh()));
}

/** Offers symd's tools to the agents that VS Code runs: a server for each folder. */
function registerTools(context: vscode.ExtensionContext): void {
  // VS Code before 1.101, and editors made from it, have no such providers.
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') {
    return;
  }
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.McpServerDefinitionProvider = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () =>
      (vscode.workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === 'file')
        .map(({ name, uri }) => {
          const label = (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? `symd (${name})` : 'symd';
          const server = new vscode.McpStdioServerDefinition(label, settings().program, ['--project', uri.fsPath, 'mcp']);
          server.cwd = uri;
          return server;
        }),
  };
  context.subscriptions.push(
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.lm.registerMcpServerDefinitionProvider('symd', provider),
  );
}
