// The last lines of what a command wrote to a terminal, as text.
import { TERMINAL_LINES } from './protocol';

// Control sequences: CSI, OSC (ended by BEL or ST), and the two-byte ones.
// eslint-disable-next-line no-control-regex
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;

/** Returns the last lines of `output`, without control sequences; a line that was written over counts as it ended. */
export function lastLines(output: string): string[] {
  const lines = output.replace(SEQUENCES, '').split(/\r?\n/);
  const ends = lines.map((line) => line.slice(line.lastIndexOf('\r') + 1).trimEnd());
  while (ends.length > 0 && ends[ends.length - 1] === '') {
    ends.pop();
  }
  return ends.slice(-TERMINAL_LINES);
}

/** Keeps the end of an output of any length. */
export class Tail {
  private text = '';

  /** The most characters that are kept: 50 lines of a wide terminal, several times over. */
  private static readonly MOST = 64 * 1024;

  add(part: string): void {
    this.text = (this.text + part).slice(-Tail.MOST);
  }

  lines(): string[] {
    return lastLines(this.text);
  }
}

/** The terminal in which the last command was run, while it runs and afterwards. */
export class LastTerminal {
  private tail: Tail | undefined;

  /** `changed` is called for each output. */
  constructor(private readonly changed: () => void) {}

  /** Follows a command until it ends, or another one begins. */
  async follow(commandLine: string, output: AsyncIterable<string>): Promise<void> {
    const tail = new Tail();
    this.tail = tail;
    tail.add(`$ ${commandLine}\n`);
    this.changed();
    for await (const part of output) {
      tail.add(part);
      if (this.tail !== tail) {
        return;
      }
      this.changed();
    }
  }

  /** Returns the last lines; `undefined` before the first command. */
  lines(): string[] | undefined {
    return this.tail?.lines();
  }
}
