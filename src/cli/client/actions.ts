import { readFile } from 'node:fs/promises';
import { type NodeModel, signEmbedUrl } from '../../../sdk/src/millrace.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { exportLibrary } from './export-library.ts';
import { importVideos } from './import-videos.ts';
import { printAnswer, printError, printLine } from './output.ts';
import { login, logout } from './profiles.ts';
import { readBody } from './read-body.ts';
import { replaceFile, uploadAll } from './upload-files.ts';

/** Functions of the verbs that need more than one call. */
export const actions = {
  login,
  logout,
  upload: uploadAll,
  replace: replaceFile,
  move,
  clip,
  thumbnail,
  captions,
  token,
  nodes,
  import: importVideos,
  resumeImport,
  export: exportLibrary,
  api,
} as const;

/** Name of an action. `completion` needs no service, so it is not in this table. */
export type Action = keyof typeof actions | 'completion';

const DAY_SEC = 86_400;
const MAX_LIFETIME_SEC = 10 * 365 * DAY_SEC;

async function move({ millrace, library, takes }: Context): Promise<void> {
  const [videoId = '', collectionId = ''] = takes;
  await millrace.call('updateVideo', { libraryId: library, videoId, body: { collectionId } });
}

/**
 * Resumes an import. Prints advice if its files are on the user's machine, because only the command of the import can
 * send them.
 */
async function resumeImport({ millrace, library: libraryId, takes, values }: Context): Promise<void> {
  const [importId = ''] = takes;
  const resumed = await millrace.call('resumeImport', { libraryId, importId });
  await printAnswer(resumed, values.json === true);
  if (resumed.source !== 'upload') return;
  const advice = 'To send them, run the command of this import again, such as millrace import folder PATH.';
  printError(`millrace imports resume: the import waits for its files. ${advice}`);
}

async function clip({ millrace, library, takes, values, pairs }: Context): Promise<void> {
  const [videoId = '', from = '', to = ''] = takes;
  const [startMs, endMs] = [toMs(from), toMs(to)];
  const given = values.title ?? pairs.title;
  const title =
    given === undefined
      ? `${(await millrace.call('getVideo', { libraryId: library, videoId })).title} (clip)`
      : String(given);
  const body = { ...pairs, title, parts: [{ videoId, startMs, endMs }] };
  const made = await millrace.call('composeVideos', { libraryId: library, body });
  printLine(values.json ? JSON.stringify(made) : made.guid);
}

async function thumbnail({ millrace, library, takes }: Context): Promise<void> {
  const [videoId = '', image = ''] = takes;
  const where = /^https?:/.test(image) ? { thumbnailUrl: image } : { body: await readFile(image) };
  await millrace.call('setThumbnail', { libraryId: library, videoId, ...where });
}

async function captions({ millrace, library, takes, pairs }: Context): Promise<void> {
  const [videoId = '', srclang = '', file = ''] = takes;
  const captionsFile = (await readFile(file)).toString('base64');
  // Without a label, the service writes the name of the language.
  const body = { srclang, label: pairs.label == null ? null : String(pairs.label), captionsFile };
  await millrace.call('addCaption', { libraryId: library, videoId, srclang, body });
}

/**
 * Prints a signed URL of the player page. The service returns the URL of the page, and the pull zone contains the
 * signing key.
 */
async function token({ millrace, url, library, takes, values }: Context): Promise<void> {
  const [videoId = ''] = takes;
  const lifetimeSec = readLifetime(values.expires);
  const { PullZoneId } = await millrace.call('getLibrary', { id: library });
  const { ZoneSecurityKey } = await millrace.call('getPullZone', { id: PullZoneId });
  const page = await fetch(`${url}/play/${library}/${encodeURIComponent(videoId)}`, { redirect: 'manual' });
  const address = page.headers.get('location');
  if (address === null || ZoneSecurityKey === null) throw new Error(`Expected a player page, got ${page.status}.`);
  const expiresSec = Math.floor(Date.now() / 1000) + lifetimeSec;
  printLine(await signEmbedUrl(new URL(address, url).href, ZoneSecurityKey, expiresSec));
}

/** Returns a lifetime in seconds, at most ten years. Throws `Refused` for any other text. */
function readLifetime(text = String(DAY_SEC)): number {
  const sec = Number(text);
  if (/^\d+$/.test(text) && sec > 0 && sec <= MAX_LIFETIME_SEC) return sec;
  throw new Refused('invalid', `expected --expires from 1 to ${MAX_LIFETIME_SEC} seconds, got ${text}.`);
}

/** Prints one line per process. For an ingest process, prints one line per live stream below it. */
async function nodes({ millrace, values }: Context): Promise<void> {
  for (const node of await millrace.call('listNodes', {})) {
    if (values.json) {
      printLine(JSON.stringify(node));
      continue;
    }
    const { Id, Host, Role, Version, CpuCores, MemoryBytes, HostLoad, HostCores } = node;
    const load = `cpu ${CpuCores.toFixed(2)}\tmemory ${Math.round(MemoryBytes / 2 ** 20)} MiB`;
    const host = `load ${HostLoad.toFixed(1)} of ${HostCores}`;
    printLine([Id, Host, Role, Version, load, host, stateOf(node)].join('\t'));
    for (const { StreamId, Title, Publisher } of node.Streams) {
      printLine(`\tlive\t${StreamId}\t${Publisher ?? 'no publisher'}\t${Title}`);
    }
  }
}

function stateOf({ Lost, Draining, Incompatible, LastSeenAt, StartedAt }: NodeModel): string {
  if (Lost) return `lost since ${LastSeenAt}`;
  if (Incompatible) return 'incompatible';
  return Draining ? 'draining' : `since ${StartedAt}`;
}

async function api({ millrace, takes, pairs, values }: Context): Promise<void> {
  const [method = '', path = ''] = takes;
  const fields = Object.keys(pairs).length === 0 ? null : JSON.stringify(pairs);
  const body = values.file === undefined ? fields : await readBody(values.file);
  await printAnswer(await millrace.request(method.toUpperCase(), path, body), values.json === true);
}

/** Converts `90`, `1:30` or `0:01:30.5` to ms. */
function toMs(time: string): number {
  const parts = time.split(':');
  if (parts.length > 3 || parts.some((part) => !/^\d+(\.\d+)?$/.test(part))) {
    throw new Refused('invalid', `expected seconds or h:mm:ss, got ${time}.`);
  }
  return Math.round(parts.reduce((sum, part) => sum * 60 + Number(part), 0) * 1000);
}
