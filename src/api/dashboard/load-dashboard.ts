import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PackedDashboard } from './pack-dashboard.ts';

/** A file as it is, and as a browser takes it that reads brotli or gzip. */
export type DashboardFile = { contentType: string; plain: Buffer; brotli: Buffer; gzip: Buffer };

/**
 * The dashboard's files by name, each name changing with the bytes; `script` and `style` are those that the page names.
 */
export type DashboardFiles = { script: string; style: string; files: ReadonlyMap<string, DashboardFile> };

const root = path.resolve(import.meta.dirname, '../../..');
const webFolder = path.join(root, 'web/dashboard');
const sdkFolder = path.join(root, 'sdk/src');
/** Packages that the browser code is made of, or made by. */
const PACKAGES = [
  'preact',
  '@preact/signals',
  'uplot',
  'uqr',
  'd3-geo',
  'topojson-client',
  'world-atlas',
  'i18n-iso-countries',
  'rolldown',
];
/** A bound on hanging: on a busy machine packing takes its time. */
const PACK_MS = 300_000;
/** What was packed of other versions goes after this time: a service that still runs reads it no more. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Reads the packed browser code, and has it packed first where that was not done for this very source. */
export async function loadDashboard(): Promise<DashboardFiles> {
  const kept = await canKeepDashboard();
  if (kept !== null) return readPacked(path.join(kept, await sourceTag()));
  const scratch = await mkdtemp(path.join(tmpdir(), 'millrace-dashboard-'));
  try {
    return await readPacked(path.join(scratch, 'packed'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The folder that keeps what was packed, or null where it can be read alone. */
export async function canKeepDashboard(): Promise<string | null> {
  const kept = path.join(root, '.cache/dashboard');
  return (await canWrite(kept)) ? kept : null;
}

async function readPacked(folder: string): Promise<DashboardFiles> {
  const list = path.join(folder, 'packed.json');
  if (!(await exists(list))) {
    const script = path.join(import.meta.dirname, 'pack-dashboard.ts');
    await promisify(execFile)(process.execPath, [script, folder], { timeout: PACK_MS, killSignal: 'SIGKILL' });
    await dropOld(path.dirname(folder));
  }
  const { script, style, names }: PackedDashboard = JSON.parse(await readFile(list, 'utf8'));
  const files = new Map<string, DashboardFile>();
  for (const name of names) files.set(name, await readOne(path.join(folder, name)));
  return { script, style, files };
}

async function readOne(file: string): Promise<DashboardFile> {
  const [plain, brotli, gzip] = await Promise.all([readFile(file), readFile(`${file}.br`), readFile(`${file}.gz`)]);
  const contentType = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  return { contentType, plain, brotli, gzip };
}

/** Stands for all that the packed code depends on. */
async function sourceTag(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of PACKAGES) {
    const { version } = JSON.parse(await readFile(path.join(root, 'node_modules', name, 'package.json'), 'utf8'));
    hash.update(`${name}@${version}\n`);
  }
  const folders = await Promise.all([webFolder, sdkFolder].map(listSources));
  const paths = [...folders.flat(), path.join(import.meta.dirname, 'pack-dashboard.ts')];
  for (const file of paths) {
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
  return access(file).then(
    () => true,
    () => false,
  );
}
