import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PackedPage, PackedPlayer } from './pack-player.ts';
import { type Languages, readLanguages } from './player-words.ts';

/** A file as it is, and as a browser takes it that reads brotli or gzip. */
export type PlayerAsset = {
  contentType: string;
  etag: string;
  plain: Buffer;
  brotli: Buffer;
  gzip: Buffer;
};

/** The player page's own files by the name under `/assets/`; each name changes with the bytes it stands for. */
export type PlayerAssets = {
  files: ReadonlyMap<string, PlayerAsset>;
  /** Addresses of what a page in the clear, and one of a protected video, loads. */
  clear: PackedPage;
  protected: PackedPage;
  style: string;
  languages: Languages;
};

const root = path.resolve(import.meta.dirname, '../../..');
const webFolder = path.join(root, 'web/player');
const require = createRequire(import.meta.url);
/** Packages that the browser code is made of, or made by. */
const PACKAGES = [
  ...['hls.js', 'media-chrome', 'blurhash', 'shaka-player', '@dailymotion/vast-client', 'player.js', 'rolldown'],
];
/** A bound on hanging: on a busy machine packing takes its time. */
const PACK_MS = 300_000;
/** What was packed of other versions goes after this time: a service that still runs reads it no more. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Reads the packed browser code, and has it packed first where that was not done for this very source. */
export async function loadPlayerAssets(): Promise<PlayerAssets> {
  const languages = await readLanguages(path.join(webFolder, 'languages'));
  const kept = path.join(root, '.cache/player');
  if (!(await canWrite(kept))) {
    const scratch = await mkdtemp(path.join(tmpdir(), 'millrace-player-'));
    try {
      return await readPacked(path.join(scratch, 'packed'), languages);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  return readPacked(path.join(kept, await sourceTag()), languages);
}

async function readPacked(folder: string, languages: Languages): Promise<PlayerAssets> {
  if (!(await exists(path.join(folder, 'packed.json')))) {
    const script = path.join(import.meta.dirname, 'pack-player.ts');
    await promisify(execFile)(process.execPath, [script, folder], { timeout: PACK_MS, killSignal: 'SIGKILL' });
    await dropOld(path.dirname(folder));
  }
  const packed: PackedPlayer = JSON.parse(await readFile(path.join(folder, 'packed.json'), 'utf8'));
  const files = new Map<string, PlayerAsset>();
  for (const name of packed.files) files.set(name, await readAsset(folder, name));
  return {
    files,
    clear: addressesOf(packed.clear),
    protected: addressesOf(packed.protected),
    style: addressOf(packed.style),
    languages,
  };
}

function addressesOf({ engine, controls }: PackedPage): PackedPage {
  return { engine: addressOf(engine), controls: addressOf(controls) };
}

function addressOf(name: string): string {
  return `/assets/${name}`;
}

async function readAsset(folder: string, name: string): Promise<PlayerAsset> {
  const file = path.join(folder, name);
  const [plain, brotli, gzip] = await Promise.all([readFile(file), readFile(`${file}.br`), readFile(`${file}.gz`)]);
  const contentType = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  return { contentType, etag: createHash('sha256').update(plain).digest('hex').slice(0, 24), plain, brotli, gzip };
}

/** Stands for all that the packed code depends on. */
async function sourceTag(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of PACKAGES) {
    const { version }: { version: string } = require(path.join(root, 'node_modules', name, 'package.json'));
    hash.update(`${name}@${version}\n`);
  }
  const files = (await readdir(webFolder, { recursive: true })).filter((name) => /\.(?:ts|css)$/.test(name)).sort();
  const paths = [...files.map((name) => path.join(webFolder, name)), path.join(import.meta.dirname, 'pack-player.ts')];
  const texts = await Promise.all(paths.map((name) => readFile(name)));
  for (const [index, text] of texts.entries()) hash.update(`${files[index] ?? ''}\n${text.length}\n`).update(text);
  return hash.digest('hex').slice(0, 16);
}

async function dropOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    // Another process may remove it at the same time.
    const found = await stat(file).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > KEPT_MS) await rm(file, { recursive: true, force: true });
  }
}

async function canWrite(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return true;
  } catch {
    // The program may lie where it cannot write: what is packed is then kept in memory alone.
    return false;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
