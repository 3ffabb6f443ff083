/** Number of unchanged lines before and after a change. */
const CONTEXT_LINES = 3;
/** Number of lines after which a hunk ends with the next unchanged lines. */
const LONG_HUNK_LINES = 1_000;
/** Maximum number of lines of a hunk. */
const MAX_HUNK_LINES = 100_000;

/** Writes a unified diff of a file whose lines are replaced one by one. Lines include their line break, if any. */
export class LineDiff {
  readonly #path: string;
  readonly #write: (text: string) => void;
  #line = 0;
  #before: string[] = [];
  #hunk: { startLine: number; lines: { from: string; to: string }[] } | null = null;
  #unchanged = 0;
  #hasHead = false;

  constructor(path: string, write: (text: string) => void) {
    this.#path = path;
    this.#write = write;
  }

  /** Adds the next line of the file. */
  add(from: string, to: string): void {
    this.#line += 1;
    if (from === to) this.#keep(from);
    else this.#change(from, to);
  }

  /** Writes the last hunk. */
  end(): void {
    const hunk = this.#hunk;
    this.#hunk = null;
    if (hunk === null) return;
    const surplus = Math.max(0, this.#unchanged - CONTEXT_LINES);
    const lines = hunk.lines.slice(0, hunk.lines.length - surplus);
    this.#before = hunk.lines.slice(hunk.lines.length - surplus).map(({ from }) => from);
    if (!this.#hasHead) this.#write(`--- ${this.#path}\n+++ ${this.#path}\n`);
    this.#hasHead = true;
    const range = `${hunk.startLine},${lines.length}`;
    this.#write(`@@ -${range} +${range} @@\n${render(lines)}`);
  }

  #keep(line: string): void {
    this.#unchanged += 1;
    if (this.#hunk !== null) this.#hunk.lines.push({ from: line, to: line });
    else this.#before = [...this.#before, line].slice(-CONTEXT_LINES);
    const isFull = this.#unchanged >= CONTEXT_LINES && (this.#hunk?.lines.length ?? 0) >= LONG_HUNK_LINES;
    if (this.#hunk !== null && (this.#unchanged > 2 * CONTEXT_LINES || isFull)) this.end();
  }

  #change(from: string, to: string): void {
    const before = this.#before.map((line) => ({ from: line, to: line }));
    this.#hunk ??= { startLine: this.#line - before.length, lines: before };
    this.#before = [];
    this.#unchanged = 0;
    this.#hunk.lines.push({ from, to });
    if (this.#hunk.lines.length >= MAX_HUNK_LINES) this.end();
  }
}

/** Returns the lines of a hunk. Within a run of changes, removed lines precede added ones. */
function render(lines: readonly { from: string; to: string }[]): string {
  const text: string[] = [];
  let added: string[] = [];
  for (const { from, to } of lines) {
    if (from === to) {
      text.push(...added, lineOf(' ', from));
      added = [];
      continue;
    }
    text.push(lineOf('-', from));
    added.push(lineOf('+', to));
  }
  return [...text, ...added].join('');
}

function lineOf(mark: string, line: string): string {
  return line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`;
}
