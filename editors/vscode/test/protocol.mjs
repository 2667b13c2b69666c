// `symd lsp` over the packages beneath VS Code's language client, with the real daemon: `tests/symd/vscode.rs` runs
// this in a project and compares what it writes to stdout, a line for each fact.
import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import * as lsp from 'vscode-languageserver-protocol/node.js';

const symd = process.env.SYMD;
const say = (name, value) => process.stdout.write(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`);

// The extension's own modules that need no window.
const bundled = async (file) => {
  const { outputFiles } = await build({
    entryPoints: [new URL(`../src/${file}`, import.meta.url).pathname],
    bundle: true, format: 'esm', platform: 'node', write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
};
const { lastLines, LastTerminal, Tail } = await bundled('terminal.ts');
const own = await bundled('protocol.ts');
say('terminal', lastLines('\u001b[1m$ make\u001b[0m\r\n10%\r55%\r100%\r\n\u001b]0;title\u0007done  \n\n'));
const tail = new Tail();
for (let line = 0; line < 5000; line += 1) {
  tail.add(`line ${line} ${'x'.repeat(40)}\n`);
}
say('tail', `${tail.lines().length} lines from ${tail.lines()[0].slice(0, 9)}`);
// A command that does not end, such as a server, is told as it writes; one that began before another is told no more.
const told = [];
const terminal = new LastTerminal(() => told.push(terminal.lines().at(-1)));
let end;
const output = async function* (parts, ended, rest = []) {
  yield* parts;
  await ended;
  yield* rest;
};
say('no terminal', terminal.lines() === undefined);
const serving = terminal.follow('serve', output(['listening\n', 'GET /\n'], new Promise((resolve) => (end = resolve)), ['late\n']));
await new Promise((resolve) => setImmediate(resolve));
say('running', told.join(', '));
await terminal.follow('make', output(['built\n']));
end();
await serving;
say('last terminal', terminal.lines().join(', '));

const uri = (file) => pathToFileURL(`${process.cwd()}/${file}`).toString();
const process_ = spawn(symd, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(process_.stdout),
  new lsp.StreamMessageWriter(process_.stdin),
);

// A text document as the client keeps it.
const document = { uri: uri('a.py'), version: 1, text: readFileSync('a.py', 'utf8') };
const offset = ({ line, character }) => {
  const lines = document.text.split('\n').slice(0, line);
  return lines.reduce((sum, one) => sum + one.length + 1, 0) + character;
};
const change = async (range, text) => {
  const [start, end] = [offset(range.start), offset(range.end)];
  document.text = document.text.slice(0, start) + text + document.text.slice(end);
  document.version += 1;
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: document.uri, version: document.version },
    contentChanges: [{ range, text }],
  });
};
const save = async () => {
  writeFileSync('a.py', document.text);
  await connection.sendNotification(lsp.DidSaveTextDocumentNotification.type, { textDocument: { uri: document.uri } });
};

const registered = [];
connection.onRequest(lsp.RegistrationRequest.type, ({ registrations }) => void registered.push(...registrations));
connection.onRequest(lsp.UnregistrationRequest.type, () => undefined);
connection.onNotification(lsp.ShowMessageNotification.type, () => undefined);
connection.onRequest(lsp.ApplyWorkspaceEditRequest.type, async ({ edit }) => {
  const [{ textDocument, edits }] = edit.documentChanges;
  if (textDocument.uri !== document.uri || textDocument.version !== document.version) {
    return { applied: false };
  }
  for (const one of [...edits].reverse()) {
    await change(one.range, one.newText);
  }
  return { applied: true };
});
connection.onRequest(own.SAVE, async ({ uris, versions }) => {
  const isMeant = uris[0] === document.uri && versions[0] === document.version;
  // The file has the text already, and is written all the same, as VS Code may.
  say('file before save', readFileSync('a.py', 'utf8') === document.text);
  if (isMeant) {
    await save();
  }
  return { saved: isMeant };
});
connection.onRequest(own.EDITOR_CONTEXT, () => ({
  textDocument: { uri: document.uri }, position: { line: 1, character: 4 }, dirty: true,
}));
connection.listen();

const dynamicRegistration = true;
const initialized = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  clientInfo: { name: 'vscode packages', version: '1' },
  rootUri: null,
  workspaceFolders: [{ uri: uri(''), name: 'project' }],
  initializationOptions: {
    symd: { reportsContext: true, tellsContext: true, saves: true, navigation: ['python'] },
  },
  capabilities: {
    workspace: {
      applyEdit: true,
      workspaceEdit: { documentChanges: true },
      fileOperations: { dynamicRegistration, didCreate: true, didRename: true, didDelete: true },
    },
    textDocument: {
      synchronization: { dynamicRegistration, didSave: true },
      definition: { dynamicRegistration }, references: { dynamicRegistration }, hover: { dynamicRegistration },
      rename: { dynamicRegistration, prepareSupport: true }, documentSymbol: { dynamicRegistration },
    },
  },
});
await connection.sendNotification(lsp.InitializedNotification.type, {});
say('server', initialized.serverInfo.name);
say('sync', initialized.capabilities.textDocumentSync);
say('static', Object.entries(initialized.capabilities)
  .flatMap(([name, value]) => (name.endsWith('Provider') && value ? [name] : [])).sort().join(' '));
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
  textDocument: { uri: document.uri, languageId: 'python', version: document.version, text: document.text },
});
const settle = () => connection.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'symd.status' });
const agent = (tool, argument) => new Promise((resolve) => {
  execFile(symd, ['call', tool, JSON.stringify(argument)], (error, stdout, stderr) => {
    resolve({ exit: error?.code ?? 0, text: stdout + stderr });
  });
});
await settle();
say('registered', registered.map(({ method }) => method.replace('textDocument/', '')).join(' '));
say('selector', registered[0].registerOptions.documentSelector);

const at = (line, from, to) => ({ start: { line, character: from }, end: { line, character: to } });
await change(at(0, 4, 9), 'typed');
await settle();
const seen = await agent('find_symbol', { name_path_pattern: 'typed' });
say('seen', seen.text.includes('a.py:1') && seen.text.includes('[unsaved: a.py in vscode packages 1'));
const edit = await agent('replace_content', { relative_path: 'a.py', needle: 'return 1', repl: 'return 2', mode: 'literal' });
say('edited', edit.exit === 0 && document.text === 'def typed():\n    return 2\n');
say('unsaved', readFileSync('a.py', 'utf8'));
const undone = await agent('undo', {});
say('undone', undone.exit === 0 && document.text === 'def typed():\n    return 1\n');
await save();
await settle();
const clean = await agent('replace_content', { relative_path: 'a.py', needle: 'return 1', repl: 'return 3', mode: 'literal' });
say('saved', clean.exit === 0 && readFileSync('a.py', 'utf8') === document.text && !clean.text.includes('unsaved'));
const [found] = await connection.sendRequest(lsp.DefinitionRequest.type, {
  textDocument: { uri: document.uri }, position: { line: 0, character: 5 },
});
say('definition', found.range);
const renamed = await connection.sendRequest(lsp.RenameRequest.type, {
  textDocument: { uri: document.uri }, position: { line: 0, character: 5 }, newName: 'other',
});
say('rename', renamed.documentChanges.map(({ textDocument, edits }) => [textDocument.version, edits.length]));
say('context', (await agent('editor_context', {})).text.split('\n')[0]);
await connection.sendRequest(lsp.ShutdownRequest.type);
process_.once('exit', (code) => say('exit', code));
await connection.sendNotification(lsp.ExitNotification.type);
