import { pipeline } from 'node:stream/promises';
import { Refused } from '../../lib/refused.ts';
import { suggestName } from '../../lib/suggest-name.ts';

/** States of videos by number (VideoModelStatus). */
const VIDEO_STATES = [
  ...['created', 'uploaded', 'processing', 'transcoding', 'finished', 'failed', 'upload-failed'],
  ...['jit-segmenting', 'jit-ready'],
];

/**
 * Returns a filter of states with the numbers that the API expects, in which the words of lists are allowed too. Throws
 * `Refused` (`invalid`) for an unknown word. The API checks the numbers.
 */
export function videoStatusOf(text: string): string {
  const numbers = text.split(',').map((part) => {
    const word = part.trim();
    if (/^\d*$/.test(word)) return word;
    const index = VIDEO_STATES.indexOf(word.toLowerCase());
    if (index !== -1) return String(index);
    const expected = `the states ${VIDEO_STATES.join(', ')} with commas between them`;
    throw new Refused('invalid', `expected status= with ${expected}, got ${word}.${suggestName(word, VIDEO_STATES)}`);
  });
  return numbers.join(',');
}

/** States of live streams by number (LiveStreamStatus). */
const STREAM_STATES = ['unknown', 'created', 'scheduled', 'preview', 'running', 'ended', 'saving', 'error'];

/** Prints one item of a list: as JSON, or else id, name, state and its reason separated by tabs. */
export function printItem(item: unknown, asJson: boolean): void {
  printLine(asJson || typeof item !== 'object' || item === null ? JSON.stringify(item) : rowOf(item));
}

/** Returns the state of a video or stream in words. Only videos have `encodeProgress`, and only streams `recordVod`. */
function stateOf(item: object): unknown {
  const { status, Status, state, encodeProgress, recordVod } = Object(item);
  const words = encodeProgress !== undefined ? VIDEO_STATES : recordVod !== undefined ? STREAM_STATES : [];
  return words[status] ?? status ?? Status ?? state;
}

export function rowOf(item: object): string {
  const found = (...names: string[]) => names.map((name) => Object(item)[name]).find((value) => value !== undefined);
  const cells = [
    found('guid', 'Id', 'id', 'trackId', 'srclang'),
    found('Email', 'title', 'name', 'Name', 'Label', 'source'),
    stateOf(item),
    Object(item).reason || undefined,
  ];
  const known = cells.filter((cell) => cell !== undefined);
  return known.length === 0 ? JSON.stringify(item) : known.map(oneLine).join('\t');
}

/**
 * Prints a response: as one line of JSON, or else one field per line. Prints nothing for a success without data if the
 * output is piped.
 */
export async function printAnswer(answer: unknown, asJson: boolean): Promise<void> {
  if (answer === undefined) return;
  if (answer instanceof Response) return await printResponse(answer);
  const items = listIn(answer);
  if (items !== null) {
    for (const item of items) printItem(item, asJson);
    return;
  }
  if (asJson || typeof answer !== 'object' || answer === null) return printLine(JSON.stringify(answer));
  if ('success' in answer && !('data' in answer)) {
    if (process.stderr.isTTY) printError('Done.');
    return;
  }
  for (const line of linesOf(answer)) printLine(line);
}

/** Returns a response as lines: one per field, and the sentences of a list of findings. */
export function linesOf(answer: object): string[] {
  return Object.entries(answer).flatMap(([name, value]) => {
    const sentences = sentencesIn(value);
    return sentences ?? [`${name}\t${oneLine(value)}`];
  });
}

/** Returns the sentences of findings. Null for any other value. */
function sentencesIn(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const sentences = value.map((item) => Object(item).sentence);
  return sentences.length > 0 && sentences.every((one) => typeof one === 'string') ? sentences.map(oneLine) : null;
}

/** Returns the items of a response: the list itself, or the only list in an object. */
function listIn(answer: unknown): unknown[] | null {
  if (Array.isArray(answer)) return answer;
  const fields = Object.keys(Object(answer));
  const { items } = Object(answer);
  return fields.length === 1 && Array.isArray(items) ? items : null;
}

/** Prints bytes as they arrive. For server-sent events, prints the data, one per line. */
async function printResponse(response: Response): Promise<void> {
  if (response.body === null) return;
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isEvents) return await pipeline(response.body, process.stdout, { end: false });
  let rest = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) printLine(line.slice('data:'.length).trim());
  }
}

/** True while the cursor of the terminal is in a line with a progress bar. */
let isInProgress = false;

/** Redraws one line of the terminal. Does nothing if the output is piped. */
export function printProgress(label: string, part: number): void {
  if (!process.stderr.isTTY) return;
  isInProgress = true;
  const done = Math.round(part * 30);
  process.stderr.write(`\r\x1b[K${label} [${'='.repeat(done)}${' '.repeat(30 - done)}] ${Math.round(part * 100)} %`);
}

/** Ends the line of a progress bar, if there is one. */
export function endProgress(): void {
  if (isInProgress) process.stderr.write('\n');
  isInProgress = false;
}

/** Prints a line of the result. */
export function printLine(line: string): void {
  endProgress();
  process.stdout.write(`${line}\n`);
}

/** Prints a line for people on stderr. */
export function printError(line: string): void {
  endProgress();
  process.stderr.write(`${line}\n`);
}

function oneLine(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[\t\r\n]+/g, ' ') : JSON.stringify(value);
}
