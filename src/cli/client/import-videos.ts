import { SOURCE_FIELDS } from '../../catalog/imports/source-fields.ts';
import { Refused } from '../../lib/refused.ts';
import { suggestName } from '../../lib/suggest-name.ts';
import type { Context } from './context.ts';
import { followImport, TransferIncomplete } from './follow-import.ts';
import { requireFolderFields, wholeNumberOf } from './import-fields.ts';
import { importFolder } from './import-folder.ts';
import { printLine } from './output.ts';
import { readFolder } from './read-folder.ts';
import { isPeertubeExport, readPeertube } from './read-peertube.ts';
import { readTakeout } from './read-takeout.ts';
import { restoreSettings } from './restore-settings.ts';
import { withNewGuids } from './with-new-guids.ts';

type Remote = keyof typeof SOURCE_FIELDS;

const REMOTE = Object.keys(SOURCE_FIELDS).filter((name): name is Remote => name in SOURCE_FIELDS);

const LIMITS = ['concurrency', 'bandwidth'];

const LOCAL = [
  '  import folder PATH [language=] [partItems=]',
  '  import takeout PATH',
  'All of them: [dryRun=true] [newGuids=true] [skipDuplicates=true] [--settings | --no-settings]',
  'All that the server reads: [concurrency=] [bandwidth=]',
];

/** Lists the sources with the fields that they need, one per line. */
function describeSources(): string {
  const remote = REMOTE.map((name) => {
    const { needs, takes } = SOURCE_FIELDS[name];
    const wanted = needs.map((need) =>
      typeof need === 'string' ? `${need}=` : need.map((one) => `${one}=`).join('|'),
    );
    const more = takes.filter((take) => !needs.flat().includes(take)).map((take) => `[${take}=]`);
    return `  import ${[name, ...wanted, ...more].join(' ')}`;
  });
  return [...remote, ...LOCAL].join('\n');
}

/** `import SOURCE`: starts an import, shows its progress and prints each item that was not imported. */
export async function importVideos(context: Context): Promise<void> {
  const [source = '', ...paths] = context.takes;
  const remote = REMOTE.find((name) => name === source);
  if (source === 'folder' || source === 'takeout') {
    const [path, ...others] = paths;
    if (path === undefined || others.length > 0) {
      const got = paths.length === 0 ? 'no path' : paths.join(' ');
      throw new Refused(
        'invalid',
        `expected the path of one folder, got ${got}.\nUsage: millrace import ${source} PATH`,
      );
    }
    requireFolderFields(context.pairs);
    const ofFolder = (await isPeertubeExport(path)) ? readPeertube : readFolder;
    const read = source === 'folder' ? ofFolder : readTakeout;
    const listed = await read(context, path);
    const found = context.pairs.newGuids === true ? withNewGuids(context, listed) : listed;
    const finishSettings = source === 'folder' ? await restoreSettings(context, path) : async () => undefined;
    return await importFolder(context, path, found).finally(finishSettings);
  }
  if (remote === undefined) {
    const got = context.takes.length === 0 ? 'no source' : context.takes.join(' ');
    const hint = suggestName(source, [...REMOTE, 'folder', 'takeout']);
    throw new Refused('invalid', `expected a source with its fields, got ${got}.${hint}\n${describeSources()}`);
  }
  // Checked before any library is created.
  for (const name of LIMITS) wholeNumberOf(context.pairs, name);
  const hasLibraries = SOURCE_FIELDS[remote].needs.includes('sourceLibraryId');
  if (!hasLibraries || context.pairs.sourceLibraryId !== 'all') return importLibrary(context, remote, context.library);
  const incomplete: string[] = [];
  for (const { Id, Name } of await listSourceLibraries(context)) {
    const target = await libraryNamed(context, Name);
    if (target === null) {
      printLine(`Library ${Id} "${Name}" would be imported into a new library.`);
      continue;
    }
    printLine(`Library ${Id} "${Name}" is imported into library ${target}.`);
    const pairs = { ...context.pairs, sourceLibraryId: Id };
    await importLibrary({ ...context, pairs }, remote, target).catch((error: unknown) => {
      if (!(error instanceof TransferIncomplete)) throw error;
      incomplete.push(`Library ${Id}: ${error.message}`);
    });
  }
  if (incomplete.length > 0) throw new TransferIncomplete(incomplete.join(' '));
}

async function importLibrary(context: Context, source: Remote, libraryId: number): Promise<void> {
  const { pairs, values } = context;
  const numbers = ['sourceLibraryId', ...LIMITS].flatMap((name) => {
    const number = wholeNumberOf(pairs, name);
    return number === null ? [] : [[name, number]];
  });
  const settings = values['no-settings'] === true ? false : values.settings === true ? true : null;
  const body = { ...pairs, ...Object.fromEntries(numbers), source, settings };
  const { guid } = await context.millrace.call('createImport', { libraryId, body });
  await followImport(context, libraryId, guid);
}

type SourceLibrary = { Id: number; Name: string };

/** Lists the libraries of the source's account. Throws `Refused` if two of them have the same name. */
async function listSourceLibraries({ pairs }: Context): Promise<SourceLibrary[]> {
  const { accountKey } = pairs;
  if (!accountKey) throw new Refused('invalid', 'expected accountKey= with sourceLibraryId=all, got none.');
  const core = String(pairs.coreUrl ?? pairs.apiUrl ?? SOURCE_FIELDS.bunny.usual.coreUrl).replace(/\/+$/, '');
  const answer: unknown = await readLibraries(core, String(accountKey));
  const listed: unknown[] = Array.isArray(answer) ? answer : (Object(answer).Items ?? []);
  const libraries = listed.map((library) => ({ Id: Number(Object(library).Id), Name: String(Object(library).Name) }));
  const ids = new Map<string, number>();
  for (const { Id, Name } of libraries) {
    const other = ids.get(Name);
    if (other !== undefined) {
      const got = `got ${other} and ${Id} with the name ${Name}`;
      const advice = 'Import each one with its id in sourceLibraryId= and its target in --library.';
      throw new Refused('invalid', `expected libraries with different names, ${got}. ${advice}`);
    }
    ids.set(Name, Id);
  }
  return libraries;
}

async function readLibraries(core: string, accountKey: string): Promise<unknown> {
  const expected = `expected the libraries of the source from ${core}`;
  let answer: Response;
  try {
    answer = await fetch(`${core}/videolibrary?page=0`, { headers: { AccessKey: accountKey } });
  } catch (cause) {
    const { code, message } = Object(Object(cause).cause ?? cause);
    throw new Refused('unavailable', `${expected}, but it could not be reached: ${code ?? message}. Check its URL.`, {
      cause,
    });
  }
  if (!answer.ok) {
    const kind = answer.status === 429 || answer.status >= 500 ? 'unavailable' : 'invalid';
    throw new Refused(kind, `${expected}, got status ${answer.status}.`);
  }
  return answer.json().catch((cause: unknown) => {
    throw new Refused('invalid', `${expected}, got something else than JSON. Check its URL.`, { cause });
  });
}

/** Returns the id of the library with this name. If there is none, creates it, or returns null in a dry run. */
async function libraryNamed({ millrace, pairs }: Context, name: string): Promise<number | null> {
  const found = await millrace.call('listLibraries', { search: name });
  const libraries = Array.isArray(found) ? found : (found.Items ?? []);
  const known = libraries.find(({ Name }) => Name === name);
  if (known === undefined && String(pairs.dryRun) === 'true') return null;
  return (known ?? (await millrace.call('createLibrary', { body: { Name: name } }))).Id;
}
