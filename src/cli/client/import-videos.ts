import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { followImport, TransferIncomplete } from './follow-import.ts';
import { importFolder } from './import-folder.ts';
import { printLine } from './output.ts';

/** Services that the server reads from by itself. */
const REMOTE = ['bunny', 'millrace'] as const;
const BUNNY_CORE = 'https://api.bunny.net';

/** `import SOURCE`: starts an import, shows its progress and prints each item that was not imported. */
export async function importVideos(context: Context): Promise<void> {
  const [source = '', ...paths] = context.takes;
  const remote = REMOTE.find((name) => name === source);
  if (source === 'folder' && paths[0] !== undefined) return importFolder(context, paths[0]);
  if (remote === undefined) {
    const words = `expected bunny, millrace or folder PATH, got ${context.takes.join(' ')}.`;
    throw new Refused('invalid', words);
  }
  if (context.pairs.sourceLibraryId !== 'all') return importLibrary(context, remote, context.library);
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

async function importLibrary(context: Context, source: (typeof REMOTE)[number], libraryId: number): Promise<void> {
  const { sourceLibraryId, concurrency, ...fields } = context.pairs;
  const body = {
    ...fields,
    source,
    ...(sourceLibraryId !== undefined && { sourceLibraryId: Number(sourceLibraryId) }),
    ...(concurrency !== undefined && { concurrency: Number(concurrency) }),
  };
  const { guid } = await context.millrace.call('createImport', { libraryId, body });
  await followImport(context, libraryId, guid);
}

type SourceLibrary = { Id: number; Name: string };

async function listSourceLibraries({ pairs }: Context): Promise<SourceLibrary[]> {
  const core = String(pairs.coreUrl ?? pairs.apiUrl ?? BUNNY_CORE).replace(/\/+$/, '');
  const answer = await fetch(`${core}/videolibrary?page=0`, { headers: { AccessKey: String(pairs.accountKey ?? '') } });
  if (!answer.ok) {
    throw new Refused('invalid', `expected the libraries of the source, got status ${answer.status} from ${core}.`);
  }
  const listed: unknown = await answer.json();
  const libraries: unknown[] = Array.isArray(listed) ? listed : (Object(listed).Items ?? []);
  return libraries.map((library) => ({ Id: Number(Object(library).Id), Name: String(Object(library).Name) }));
}

/** Returns the id of the library with this name. If there is none, creates it, or returns null in a dry run. */
async function libraryNamed({ millrace, pairs }: Context, name: string): Promise<number | null> {
  const found = await millrace.call('listLibraries', { search: name });
  const libraries = Array.isArray(found) ? found : (found.Items ?? []);
  const known = libraries.find(({ Name }) => Name === name);
  if (known === undefined && String(pairs.dryRun) === 'true') return null;
  return (known ?? (await millrace.call('createLibrary', { body: { Name: name } }))).Id;
}
