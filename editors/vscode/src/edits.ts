// The tree "Edits by Agents": symd's history of the project of the file in front, newest first.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';

/** `symd history --json`, as far as it is shown. */
interface History {
  operations: Operation[];
}

interface Operation {
  id: number;
  what: string;
  who: string;
  title: string;
  undone: boolean;
  files: { path: string }[];
  /** Files whose changes editors have not saved, and what became of these. */
  unsaved: { path: string; state: string }[];
}

/** An edit, with the root of its project, or a file of one. */
export type Entry = { operation: Operation; root: string } | { file: string; state?: string };

export class Edits implements vscode.TreeDataProvider<Entry> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly program: () => string,
    private readonly root: () => Promise<string | undefined>,
  ) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(parent?: Entry): Promise<Entry[]> {
    if (parent !== undefined) {
      if (!('operation' in parent)) {
        return [];
      }
      const { files, unsaved } = parent.operation;
      return files.map(({ path }) => {
        const state = unsaved.find((one) => one.path === path)?.state;
        return state === undefined ? { file: path } : { file: path, state };
      });
    }
    const root = await this.root();
    if (root === undefined) {
      return [];
    }
    const asked = ['--project', root, 'history', '--json'];
    const { stdout } = await promisify(execFile)(this.program(), asked, { maxBuffer: 64 << 20 });
    const { operations } = JSON.parse(stdout) as History;
    return operations.map((operation) => ({ operation, root }));
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    if ('file' in entry) {
      const item = new vscode.TreeItem(entry.file);
      item.description = entry.state ?? '';
      return item;
    }
    const { id, what, who, title, undone, files } = entry.operation;
    const collapsed = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(title, files.length > 0 ? collapsed.Collapsed : collapsed.None);
    item.id = `${entry.root} ${id}`;
    item.description = `${id}, by ${who}${undone ? ', undone' : ''}`;
    item.contextValue = what === 'edit' && !undone ? 'edit' : 'done';
    item.iconPath = new vscode.ThemeIcon(undone ? 'discard' : 'edit');
    return item;
  }

  /** What `symd.undo` needs of an entry: the number, and the project that it is of, whatever is in front now. */
  static undoable(entry: Entry): { id: number; uri: string } | undefined {
    return 'operation' in entry
      ? { id: entry.operation.id, uri: vscode.Uri.file(entry.root).toString() }
      : undefined;
  }
}
