import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from './has-code.ts';

/** A bundled file, plain and compressed with brotli and gzip. `etag` is derived from its bytes. */
export type PackedFile = { contentType: string; etag: string; plain: Buffer; brotli: Buffer; gzip: Buffer };

/**
 * Browser code that a program bundles into a folder. The result is cached by `name` until the sources (these folders of
 * the project, and the program) or the versions of `packages` change.
 */
export type Packing = { name: string; program: string; folders: readonly string[]; packages: readonly string[] };

const root = path.resolve(import.meta.dirname, '../..');
/** Compression code of the bundling programs. */
const PACK_FOLDER = path.join(import.meta.dirname, 'pack-folder.ts');
/** Time limit of a bundling program, in ms. It is long because of busy machines. */
const PACK_MS = 300_000;
/** Time after which bundles of other versions are deleted, in ms. No running service reads them any more. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Returns the bundling program's list and its files. Runs the program if no bundle exists for the current source. */
export async function loadPacked<List>(
  packing: Packing,
  namesOf: (list: List) => readonly string[],
): Promise<{ list: List; files: ReadonlyMap<string, PackedFile> }> {
  const place = path.join(root, '.cache', packing.name, await sourceTag(packing));
  if ((await isPacked(place)) || (await keptFolder(packing)) !== null) return readPacked(place, packing, namesOf);
  const scratch = await mkdtemp(path.join(tmpdir(), `millrace-${packing.name}-`));
  try {
    return await readPacked(path.join(scratch, 'packed'), packing, namesOf);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Returns the folder of bundled code, or null if the installation folder is not writable. Bundles are then kept only in
 * memory.
 */
export async function keptFolder({ name }: Pick<Packing, 'name'>): Promise<string | null> {
  const folder = path.join(root, '.cache', name);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return folder;
  } catch {
    return null;
  }
}

/** Whether a bundle exists that this user may read. Another user may have made it. */
async function isPacked(folder: string): Promise<boolean> {
  try {
    await access(path.join(folder, 'packed.json'), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

async function readPacked<List>(
  folder: string,
  { program }: Packing,
  namesOf: (list: List) => readonly string[],
): Promise<{ list: List; files: ReadonlyMap<string, PackedFile> }> {
  const listed = path.join(folder, 'packed.json');
  const text = await readFile(listed, 'utf8').catch(async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    await promisify(execFile)(process.execPath, [program, folder], { timeout: PACK_MS, killSignal: 'SIGKILL' });
    await dropOld(path.dirname(folder));
    return readFile(listed, 'utf8');
  });
  const list: List = JSON.parse(text);
  const files = new Map<string, PackedFile>();
  for (const name of namesOf(list)) files.set(name, await readOne(path.join(folder, name)));
  return { list, files };
}

async function readOne(file: string): Promise<PackedFile> {
  const [plain, brotli, gzip] = await Promise.all([readFile(file), readFile(`${file}.br`), readFile(`${file}.gz`)]);
  const contentType = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  return { contentType, etag: createHash('sha256').update(plain).digest('hex').slice(0, 24), plain, brotli, gzip };
}

/** Returns a hash of everything that the bundle depends on. */
async function sourceTag({ program, folders, packages }: Packing): Promise<string> {
  const hash = createHash('sha256');
  for (const name of packages) {
    const { version } = JSON.parse(await readFile(path.join(root, 'node_modules', name, 'package.json'), 'utf8'));
    hash.update(`${name}@${version}\n`);
  }
  const sources = await Promise.all(folders.map((folder) => listSources(path.join(root, folder))));
  for (const file of [...sources.flat(), program, PACK_FOLDER, import.meta.filename]) {
    const bytes = await readFile(file);
    hash.update(`${path.relative(root, file)}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex').slice(0, 16);
}

async function listSources(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const sources = names.filter((name) => /\.(?:tsx?|css)$/.test(name)).sort();
  return sources.map((name) => path.join(folder, name));
}

async function dropOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    // Another process may remove the file concurrently.
    const found = await stat(file).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > KEPT_MS) await rm(file, { recursive: true, force: true });
  }
}
