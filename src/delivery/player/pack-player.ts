// Bundles the page's browser code. Usage: pack-player.ts FOLDER. This is a separate program, because bundling takes
// memory that the edge would keep (docs/decisions/065-player-bundles.md).
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type InputOptions, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { packFolder, writeCompressed } from '../../lib/pack-folder.ts';

/**
 * Names of the files that the page loads. `engine` plays the media. `controls` load once the engine has begun to load
 * media.
 */
export type PackedPage = { engine: string; controls: string };
/** Names of the files of share pages. */
export type PackedShare = { script: string; style: string };
/** `files` are all bundled files: those that the pages load, and those that they fetch on first use. */
export type PackedPlayer = {
  clear: PackedPage;
  protected: PackedPage;
  style: string;
  embedClient: string;
  element: string;
  share: PackedShare;
  files: readonly string[];
};

const PLAYER_STYLES = ['player.css', 'bar/bar.css', 'menu/menu.css', 'notice/notice.css'];
const CONTROLS = '/web/player/controls.ts';
/** Keeps the controls in one file, because code that is fetched later imports shared code from them. */
const TOGETHER = {
  codeSplitting: { groups: [{ name: 'controls', test: (id: string) => id.endsWith(CONTROLS) }] },
  minifyInternalExports: false,
};

const root = path.resolve(import.meta.dirname, '../../..');
const hlsSource = path.join(root, 'node_modules/hls.js/src');
const require = createRequire(import.meta.url);

await packFolder(process.argv[2], async (draft): Promise<PackedPlayer> => {
  const [clear, guarded, style, shareScript, shareStyle, embedClient, element] = await Promise.all([
    packPage(draft, 'clear'),
    packPage(draft, 'protected'),
    packStyle(draft, 'player', PLAYER_STYLES),
    packShare(draft),
    packStyle(draft, 'share', ['share/share.css']),
    packEmbedClient(draft),
    packElement(draft),
  ]);
  const share = { script: shareScript, style: shareStyle };
  const files = [...clear.files, ...guarded.files, style, embedClient, element, share.script, share.style];
  return { clear: clear.page, protected: guarded.page, style, embedClient, element, share, files: [...new Set(files)] };
});

async function packPage(
  draft: string,
  kind: 'clear' | 'protected',
): Promise<{ page: PackedPage; files: readonly string[] }> {
  const input = { [kind]: path.join(root, 'web/player/player.ts') };
  const bundle = await rolldown({ ...pageOptions(kind === 'protected'), input });
  try {
    const names = { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' };
    const { output } = await bundle.generate({ format: 'esm', minify: true, ...names, ...TOGETHER });
    const { engine, controls, others } = sortChunks(output.filter((file) => file.type === 'chunk'));
    // The engine imports a facade that only re-exports the controls. This makes it import the controls directly.
    const code = engine.code.replaceAll(controls.facadeName, controls.fileName);
    const files = [{ ...engine, code }, controls, ...others];
    await Promise.all(files.map((file) => writeCompressed(draft, file.fileName, Buffer.from(file.code))));
    const page = { engine: engine.fileName, controls: controls.fileName };
    return { page, files: files.map(({ fileName }) => fileName) };
  } finally {
    await bundle.close();
  }
}

type Named = { fileName: string; code: string };
type Sorted = { engine: Named; controls: Named & { facadeName: string }; others: Named[] };

/**
 * Sorts chunks by role. The engine and the controls must be one file each, because each additional file costs a round
 * trip.
 */
function sortChunks(chunks: readonly OutputChunk[]): Sorted {
  const engine = chunks.find(({ isEntry }) => isEntry);
  const facade = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(CONTROLS));
  const controls = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(CONTROLS)));
  if (!engine || !facade || !controls || engine.imports.length > 0 || controls.imports.length > 0) {
    const got = chunks.map(({ fileName, imports }) => `${fileName} (${imports.join(', ')})`);
    throw new Error(`Expected an engine and controls without imports, got ${got.join(', ')}.`);
  }
  const others = chunks.filter((chunk) => chunk !== engine && chunk !== controls && chunk !== facade);
  return { engine, controls: { ...controls, facadeName: facade.fileName }, others };
}

/** Bundles the script of share pages, in one file. */
async function packShare(draft: string): Promise<string> {
  const input = { share: path.join(root, 'web/player/share/share-page.ts') };
  const bundle = await rolldown({ ...pageOptions(false), input });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, entryFileNames: '[name]-[hash].js' });
    const [{ fileName, code }] = output;
    await writeCompressed(draft, fileName, Buffer.from(code));
    return fileName;
  } finally {
    await bundle.close();
  }
}

async function packStyle(draft: string, kind: string, parts: readonly string[]): Promise<string> {
  const texts = await Promise.all(parts.map((name) => readFile(path.join(root, 'web/player', name), 'utf8')));
  const bytes = Buffer.from(
    texts
      .join('')
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .replaceAll(/\s+/g, ' '),
  );
  const name = `${kind}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.css`;
  await writeCompressed(draft, name, bytes);
  return name;
}

/** Bundles the client of the player.js protocol for pages that embed the player. */
async function packEmbedClient(draft: string): Promise<string> {
  const { version }: { version: string } = require('player.js/package.json');
  const name = `player.js-${version}.min.js`;
  const file = path.join(root, 'node_modules/player.js/dist', `player-${version}.min.js`);
  await writeCompressed(draft, name, await readFile(file));
  return name;
}

/** Bundles `<millrace-player>` as a classic script, because a module from another origin needs CORS. */
async function packElement(draft: string): Promise<string> {
  const bundle = await rolldown({ ...pageOptions(false), input: path.join(root, 'sdk/src/millrace-player.ts') });
  try {
    const names = { entryFileNames: '[name]-[hash].js', name: 'millracePlayer' };
    const { output } = await bundle.generate({ format: 'iife', minify: true, ...names });
    const [{ fileName, code }] = output;
    await writeCompressed(draft, fileName, Buffer.from(code));
    return fileName;
  } finally {
    await bundle.close();
  }
}

/**
 * Returns options that build hls.js from source, without features that the page never uses, because all media is
 * fragmented MP4.
 */
function pageOptions(hasKeys: boolean): InputOptions {
  const { version }: { version: string } = require('hls.js/package.json');
  const off = ['CMCD', 'CONTENT_STEERING', 'IFRAMES', 'INTERSTITIALS', 'M2TS_ADVANCED_CODECS', 'MEDIA_CAPABILITIES'];
  const define = {
    ...Object.fromEntries([...off, 'SUBTITLES', 'VARIABLE_SUBSTITUTION'].map((name) => [`__USE_${name}__`, 'false'])),
    __VERSION__: JSON.stringify(version),
    __USE_ALT_AUDIO__: 'true',
    __USE_EME_DRM__: String(hasKeys),
    __HLS_WORKER_BUNDLE__: 'undefined',
    __IN_WORKER__: 'false',
    __PLAYS_PROTECTED__: String(hasKeys),
  };
  return {
    cwd: root,
    platform: 'browser',
    logLevel: 'warn',
    resolve: { alias: { 'hls.js': path.join(hlsSource, 'hls.ts') } },
    transform: { target: 'es2022', define },
    // Only needed in Node: browsers have an XML parser.
    external: ['@xmldom/xmldom'],
    plugins: [fragmentedMp4Only(), shakaAsModule(), styleNonce()],
  };
}

/** Removes from hls.js the demuxers of other containers and the worker that runs them. */
function fragmentedMp4Only(): Plugin {
  const demuxers = /(?:tsdemuxer|aacdemuxer|mp3demuxer|ac3-demuxer|mp4-remuxer)$/;
  const absent =
    'class Absent { static probe() { return false; } }\nexport { Absent as default, Absent as AC3Demuxer };';
  const worker =
    'const none = () => undefined;\nexport { none as hasUMDWorker, none as injectWorker, none as loadWorker, none ' +
    'as removeWorkerFromStore };';
  return {
    name: 'fragmented-mp4-only',
    resolveId(id, importer) {
      if (importer?.endsWith('demux/transmuxer.ts') && demuxers.test(id)) return '\0absent-demuxer';
      return id.endsWith('/inject-worker') ? '\0absent-worker' : null;
    },
    load(id) {
      if (id === '\0absent-demuxer') return absent;
      return id === '\0absent-worker' ? worker : null;
    },
  };
}

/** Wraps Shaka Player, which is not a module and adds its exports to an object named `exports`. */
function shakaAsModule(): Plugin {
  return {
    name: 'shaka-as-module',
    transform(code, id) {
      if (!id.includes('/shaka-player/dist/')) return null;
      return { code: `const exports = {};\n${code}\nexport default exports;`, map: null };
    },
  };
}

/**
 * Adds the page's nonce to the style elements in the templates of media-chrome, because the page's policy requires it.
 */
function styleNonce(): Plugin {
  // This becomes a placeholder in the template literal that contains the tag.
  const tag = ['<style nonce="$', '{styleNonce}">'].join('');
  const read = `const styleNonce = document.querySelector('script[nonce]')?.nonce ?? '';\n`;
  return {
    name: 'style-nonce',
    transform(code, id) {
      if (!id.includes('/media-chrome/') || !code.includes('<style>')) return null;
      return { code: read + code.replaceAll('<style>', tag), map: null };
    },
  };
}
