// Bundles the dashboard's browser code. Usage: pack-dashboard.ts FOLDER. This is a separate program, because bundling
// takes memory that the service would keep (docs/decisions/090-dashboard.md).
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { packFolder, writeCompressed } from '../../lib/pack-folder.ts';

/** The page's script and style, and the names of all bundled files. */
export type PackedDashboard = { script: string; style: string; names: string[] };

const root = path.resolve(import.meta.dirname, '../../..');
const webFolder = path.join(root, 'web/dashboard');

await packFolder(process.argv[2], async (draft): Promise<PackedDashboard> => {
  const scripts = await packScripts(draft);
  const style = await packStyle(draft);
  return { script: scripts.entry, style, names: [...scripts.names, style] };
});

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
    await Promise.all(chunks.map(({ fileName, code }) => writeCompressed(draft, fileName, Buffer.from(code))));
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error('Expected an entry point among the bundled scripts, got none.');
    return { entry: entry.fileName, names: chunks.map(({ fileName }) => fileName) };
  } finally {
    await bundle.close();
  }
}

/** Joins the style sheets in order of their names. Cascade layers decide which rule wins. */
async function packStyle(draft: string): Promise<string> {
  const names = (await readdir(webFolder, { recursive: true })).filter((name) => name.endsWith('.css')).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(webFolder, name), 'utf8')));
  const bytes = Buffer.from(texts.join('\n').replaceAll(/\/\*[\s\S]*?\*\//g, ''));
  const name = `style-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.css`;
  await writeCompressed(draft, name, bytes);
  return name;
}
