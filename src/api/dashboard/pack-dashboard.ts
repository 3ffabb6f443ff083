// Packs the dashboard's browser code: pack-dashboard.ts FOLDER. A program of its own, because what packs takes memory
// that the service would keep (docs/decisions/090-dashboard.md).
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';
import { hasCode } from '../../lib/has-code.ts';

/** The page's script and style, and the names of all packed files. */
export type PackedDashboard = { script: string; style: string; names: string[] };

const root = path.resolve(import.meta.dirname, '../../..');
const webFolder = path.join(root, 'web/dashboard');

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Expected the folder to pack into.');
await pack(folder);

/** Packs beside the place and moves there at once: another process, or a kill, never meets a part of it. */
async function pack(target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  const draft = await mkdtemp(path.join(path.dirname(target), 'draft-'));
  try {
    const scripts = await packScripts(draft);
    const style = await packStyle(draft);
    const packed: PackedDashboard = { script: scripts.entry, style, names: [...scripts.names, style] };
    await writeFile(path.join(draft, 'packed.json'), JSON.stringify(packed));
    await rename(draft, target);
  } catch (error) {
    // Another process was first: its result is as good.
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function packScripts(draft: string): Promise<{ entry: string; names: string[] }> {
  const bundle = await rolldown({
    cwd: root,
    input: { main: path.join(webFolder, 'main.tsx') },
    platform: 'browser',
    logLevel: 'warn',
    transform: { target: 'es2022' },
  });
  try {
    const names = { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' };
    const { output } = await bundle.generate({ format: 'esm', minify: true, ...names });
    const chunks = output.filter((file) => file.type === 'chunk');
    for (const { fileName, code } of chunks) await writeCompressed(draft, fileName, Buffer.from(code));
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error('Expected an entry among the packed scripts, got none.');
    return { entry: entry.fileName, names: chunks.map(({ fileName }) => fileName) };
  } finally {
    await bundle.close();
  }
}

/** Joins the style sheets in the order of their names; which rule wins is decided by cascade layers. */
async function packStyle(draft: string): Promise<string> {
  const names = (await readdir(webFolder, { recursive: true })).filter((name) => name.endsWith('.css')).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(webFolder, name), 'utf8')));
  const bytes = Buffer.from(texts.join('\n').replaceAll(/\/\*[\s\S]*?\*\//g, ''));
  const name = `style-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.css`;
  await writeCompressed(draft, name, bytes);
  return name;
}

async function writeCompressed(draft: string, name: string, bytes: Buffer): Promise<void> {
  const file = path.join(draft, name);
  await writeFile(file, bytes);
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
