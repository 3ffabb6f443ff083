import { createReadStream } from 'node:fs';
import { chmod, chown, lstat, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { LineDiff } from './line-diff.ts';
import { REDIRECT_FORMATS, type RedirectFormat, writeRedirectMap } from './redirect-map.ts';
import { addressPattern, rewriteLine } from './rewrite-line.ts';
import { type RewriteRules, readRules } from './rewrite-rules.ts';
import { lengthOfSerialized } from './with-serialized-lengths.ts';

/** Maximum length of a line, in bytes. */
const MAX_LINE_BYTES = 128 * 2 ** 20;
/** Maximum length of lines that are rewritten together, in bytes. A single line may be longer. */
const MAX_BLOCK_BYTES = 2 ** 20;
const EACH_LINE = /(?<=\n)/;
/** Maximum number of URLs in a redirect map. */
const MAX_REDIRECTS = 100_000;
/** Maximum number of listed hosts, and of listed libraries, that no option covers. */
const MAX_LISTED_NAMES = 100;
/** A file with a zero byte in its first bytes is binary. */
const EXAMINED_BYTES = 8_192;
/** Files that most likely contain text, with their first bytes (gzip, bzip2, xz, zstd, ZIP; UTF-16). */
const BINARY_KINDS = [
  { magic: ['1f8b', '425a68', 'fd377a585a', '28b52ffd', '504b0304'], reason: 'is compressed (unpack it first)' },
  { magic: ['fffe', 'feff'], reason: 'is UTF-16 (convert it to UTF-8)' },
];
const SKIPPED_FOLDERS = ['.git', 'node_modules'];

type Mode = { rules: RewriteRules; pattern: RegExp; isWriting: boolean; redirects: RedirectFormat | null };
type Totals = {
  files: number;
  addresses: number;
  unmapped: Map<string, number>;
  keptLibraries: Map<string, number>;
  redirects: Map<string, string>;
  /** Number of serialized PHP strings whose length may be wrong now. */
  uncorrected: number;
};

/**
 * `millrace rewrite PATH...`: finds URLs of the hosted service in files and folders, and prints the changes as a
 * unified diff. With `--write`, changes the files; with `--redirects`, prints a redirect map instead.
 */
export async function rewrite(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      api: { type: 'string' },
      edge: { type: 'string' },
      host: { type: 'string', multiple: true, default: [] },
      library: { type: 'string', multiple: true, default: [] },
      redirects: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new Refused('invalid', 'expected a file or folder, got none.');
  const redirects = REDIRECT_FORMATS.find((one) => one === values.redirects) ?? null;
  if (values.redirects !== undefined && redirects === null) {
    const wanted = `expected ${REDIRECT_FORMATS.join(', ')}`;
    throw new Refused('invalid', `--redirects: ${wanted}, got ${quote(values.redirects)}.`);
  }
  if (redirects !== null && values.write) throw new Refused('invalid', 'expected --write or --redirects, got both.');
  const rules = readRules(values);
  const mode = { rules, pattern: addressPattern(rules), isWriting: values.write, redirects };
  const totals: Totals = {
    files: 0,
    addresses: 0,
    unmapped: new Map(),
    keptLibraries: new Map(),
    redirects: new Map(),
    uncorrected: 0,
  };
  for (const place of positionals) {
    for await (const file of textFilesIn(place)) await rewriteFile(file, mode, totals);
  }
  if (redirects !== null) process.stdout.write(writeRedirectMap(redirects, totals.redirects));
  process.stderr.write(describe(totals, mode));
  return 0;
}

/** Yields a file, or all text files below a folder. Does not follow symbolic links below it. */
async function* textFilesIn(place: string): AsyncGenerator<string> {
  const found = await stat(place).catch((cause: unknown) => {
    throw new Refused('invalid', `expected a file or folder, got ${quote(place)}: ${reasonOf(cause)}.`, { cause });
  });
  if (found.isFile()) {
    if (await isText(place, true)) yield place;
    return;
  }
  if (!found.isDirectory()) throw new Refused('invalid', `expected a file or folder, got ${quote(place)}.`);
  for (const name of (await readdir(place)).toSorted()) {
    const below = path.join(place, name);
    const entry = await lstat(below);
    if (entry.isFile() && (await isText(below, false))) yield below;
    if (entry.isDirectory() && !SKIPPED_FOLDERS.includes(name)) yield* textFilesIn(below);
  }
}

/** Reports compressed files and UTF-16 if they are skipped, and with `isNamed` all other binary files. */
async function isText(file: string, isNamed: boolean): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(EXAMINED_BYTES), 0, EXAMINED_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    const kind = BINARY_KINDS.find(({ magic }) => magic.some((hex) => head.toString('hex').startsWith(hex)));
    const isBinary = kind !== undefined || head.includes(0);
    const reason = kind?.reason ?? (isNamed ? 'is binary' : null);
    if (isBinary && reason !== null) process.stderr.write(`millrace rewrite: ${file} ${reason} and was skipped.\n`);
    return !isBinary;
  } finally {
    await handle.close();
  }
}

async function rewriteFile(file: string, { rules, pattern, isWriting, redirects }: Mode, totals: Totals) {
  const hasDiff = !isWriting && redirects === null;
  const diff = new LineDiff(file, (text) => void (hasDiff && process.stdout.write(Buffer.from(text, 'latin1'))));
  let isChanged = false;
  for await (const block of blocksOf(file)) {
    const { text, found, uncorrected } = rewriteLine(block, rules, pattern);
    isChanged ||= text !== block;
    totals.uncorrected += uncorrected;
    // A replacement contains no line break.
    const lines = text.split(EACH_LINE);
    for (const [index, line] of block.split(EACH_LINE).entries()) diff.add(line, lines[index] ?? line);
    for (const { from, to, host, keptLibrary } of found) {
      if (to !== null) {
        totals.addresses += 1;
        if (redirects !== null && totals.redirects.size < MAX_REDIRECTS) totals.redirects.set(from, to);
      } else count(totals.unmapped, host);
      if (keptLibrary !== null) count(totals.keptLibraries, keptLibrary);
    }
  }
  diff.end();
  if (!isChanged) return;
  totals.files += 1;
  if (!isWriting) return;
  await rewriteInPlace(file, (line) => rewriteLine(line, rules, pattern).text).catch((cause: unknown) => {
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOSPC'].includes(reasonOf(cause))) throw cause;
    const done = `${countOf(totals.files - 1, 'file')} before it ${totals.files === 2 ? 'was' : 'were'} changed`;
    throw new Refused('invalid', `${file} could not be changed (${reasonOf(cause)}). ${done}.`, { cause });
  });
}

/** Counts an occurrence of a host or a library, up to a maximum number of distinct ones. */
function count(counts: Map<string, number>, name: string): void {
  if (counts.has(name) || counts.size < MAX_LISTED_NAMES) counts.set(name, (counts.get(name) ?? 0) + 1);
}

/**
 * Replaces a file at once, so that an interruption leaves the old or the new content. Keeps its owner and mode. A
 * symbolic link stays, and its target is replaced.
 */
async function rewriteInPlace(file: string, change: (block: string) => string): Promise<void> {
  const target = await realpath(file);
  const { mode, uid, gid } = await stat(target);
  const fresh = `${target}.millrace-${process.pid}`;
  const changed = async function* () {
    for await (const block of blocksOf(target)) yield Buffer.from(change(block), 'latin1');
  };
  const handle = await open(fresh, 'wx', 0o600);
  try {
    await pipeline(changed(), handle.createWriteStream({ flush: true }));
    const made = await stat(fresh);
    if (made.uid !== uid || made.gid !== gid) await chown(fresh, uid, gid);
    await chmod(fresh, mode & 0o7777);
    await rename(fresh, target);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Yields lines. Those that one serialized PHP string covers are one block, because its length counts their bytes. */
async function* blocksOf(file: string): AsyncGenerator<string> {
  let block = '';
  let needed = 0;
  for await (const line of linesOf(file)) {
    block += line;
    if (block.length < needed) continue;
    needed = lengthOfSerialized(block, MAX_BLOCK_BYTES);
    if (block.length < needed) continue;
    yield block;
    [block, needed] = ['', 0];
  }
  if (block !== '') yield block;
}

/** Yields the lines of a file with their line breaks, one character per byte. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let pieces: string[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(file, { encoding: 'latin1', highWaterMark: 2 ** 20 })) {
    const text = String(chunk);
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      yield [...pieces, text.slice(at, end + 1)].join('');
      [pieces, bytes, at] = [[], 0, end + 1];
    }
    pieces.push(text.slice(at));
    bytes += text.length - at;
    if (bytes > MAX_LINE_BYTES) {
      throw new Refused('invalid', `expected lines of at most ${MAX_LINE_BYTES} bytes, got a longer one in ${file}.`);
    }
  }
  if (bytes > 0) yield pieces.join('');
}

function describe({ files, addresses, unmapped, keptLibraries, redirects, uncorrected }: Totals, mode: Mode): string {
  const count = `${countOf(addresses, 'URL')} in ${countOf(files, 'file')}`;
  const hint = addresses === 0 || mode.redirects !== null ? '' : ' Run again with --write to change them.';
  const lines = [mode.isWriting ? `Changed ${count}.` : `Found ${count}.${hint}`];
  if (mode.redirects !== null && redirects.size === MAX_REDIRECTS) {
    lines.push(`The map has ${MAX_REDIRECTS} URLs, its maximum. Run the command for fewer files at once.`);
  }
  for (const [host, times] of unmapped) {
    lines.push(`Unchanged: ${countOf(times, 'URL')} of ${host}. Add ${optionFor(host)}.`);
  }
  for (const [library, times] of keptLibraries) {
    const hint = `If it has another id now, add --library ${library}=NEW.`;
    lines.push(`Kept library ${library} in ${countOf(times, 'URL')}. ${hint}`);
  }
  if (uncorrected > 0) {
    lines.push(`Serialized PHP strings that end elsewhere than their length says: ${uncorrected}. Check them.`);
  }
  if (unmapped.size === MAX_LISTED_NAMES || keptLibraries.size === MAX_LISTED_NAMES)
    lines.push('Further ones are not listed.');
  return lines.map((line) => `${line}\n`).join('');
}

function countOf(count: number, noun: 'URL' | 'file'): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function optionFor(host: string): string {
  if (host.endsWith('.b-cdn.net')) return `--host ${host}=URL`;
  return host.endsWith('.mediadelivery.net') ? '--edge URL' : '--api URL and --edge URL';
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
