import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

export type PlayerAsset = { bytes: Buffer; contentType: string; etag: string };

/** The player page's own files by the name under `/assets/`; each name changes with the bytes it stands for. */
export type PlayerAssets = {
  files: ReadonlyMap<string, PlayerAsset>;
  addresses: { engine: string; entry: string; controls: string; style: string };
};

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const webFolder = path.resolve(import.meta.dirname, '../../../web/player');

/**
 * Reads the browser code once at start: TypeScript is stripped of its types, hls.js comes from its own
 * package. Nothing is bundled; modules import each other by relative address.
 */
export async function loadPlayerAssets(): Promise<PlayerAssets> {
  const own = await readOwnFiles();
  const hash = createHash('sha256');
  for (const [name, bytes] of own) hash.update(name).update(bytes);
  const folder = `player-${hash.digest('hex').slice(0, 12)}`;
  const engine = await readEngine();
  const files = new Map<string, PlayerAsset>([[engine.name, toAsset(engine.bytes, SCRIPT)]]);
  for (const [name, bytes] of own)
    files.set(`${folder}/${name}`, toAsset(bytes, name.endsWith('.css') ? STYLE : SCRIPT));
  return {
    files,
    addresses: {
      engine: `/assets/${engine.name}`,
      entry: `/assets/${folder}/player.js`,
      controls: `/assets/${folder}/controls.js`,
      style: `/assets/${folder}/player.css`,
    },
  };
}

async function readOwnFiles(): Promise<[string, Buffer][]> {
  const names = (await readdir(webFolder)).filter((name) => /\.(ts|css)$/.test(name) && !name.endsWith('.test.ts'));
  return Promise.all(
    names.sort().map(async (name): Promise<[string, Buffer]> => {
      const text = await readFile(path.join(webFolder, name), 'utf8');
      return name.endsWith('.ts') ? [name.replace(/\.ts$/, '.js'), toScript(text)] : [name, Buffer.from(text)];
    }),
  );
}

function toScript(text: string): Buffer {
  return Buffer.from(stripTypeScriptTypes(text).replaceAll(/(from|import\() ?'(\.\/[\w-]+)\.ts'/g, "$1 '$2.js'"));
}

async function readEngine(): Promise<{ name: string; bytes: Buffer }> {
  const require = createRequire(import.meta.url);
  const { version }: { version: string } = JSON.parse(await readFile(require.resolve('hls.js/package.json'), 'utf8'));
  const bytes = await readFile(require.resolve('hls.js/dist/hls.min.mjs'));
  return { name: `hls.js-${version}/hls.min.mjs`, bytes };
}

function toAsset(bytes: Buffer, contentType: string): PlayerAsset {
  return { bytes, contentType, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}"` };
}
