import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import { fetchArchive } from './fetch-archive.ts';
import { type InstalledModel, listPath, modelFolder, readInstalled, speechFolder } from './installed-models.ts';
import { KNOWN_MODELS } from './known-models.ts';
import { readModel } from './read-model.ts';
import { unpackModel } from './unpack-model.ts';

export type AddModelRequest = {
  dataDir: string;
  name: string;
  /** A file on this machine, or a URL. */
  source: { file: string } | { url: string };
  /**
   * Expected SHA-256 of the archive. Null means the hash that was recorded when the model was added before, if it was.
   */
  sha256: string | null;
  outbound: Outbound;
  report: (line: string) => void;
  onProgress: (doneBytes: number, totalBytes: number | null) => void;
};

/**
 * Adds a model to the data folder and selects it. A model that is already installed is only selected. Throws `Refused`
 * (`invalid`) if the SHA-256 of the archive differs from the expected one, or if the archive contains no model. In that
 * case, nothing is changed.
 */
export async function addModel(request: AddModelRequest, signal: AbortSignal): Promise<InstalledModel> {
  const { dataDir, name, source, report } = request;
  requireName(name);
  const known = (await readInstalled(dataDir)).models.find((model) => model.name === name);
  const folder = modelFolder(dataDir, name);
  if (known !== undefined && !('file' in source) && request.sha256 === null && (await isThere(folder))) {
    report(`${name} is already installed.`);
    await writeList(dataDir, known);
    return known;
  }
  await mkdir(join(speechFolder(dataDir), 'models'), { recursive: true });
  const archive = 'file' in source ? source.file : join(speechFolder(dataDir), `${name}.part`);
  if ('url' in source) await fetchArchive({ ...request, url: source.url, path: archive }, signal);
  try {
    const sha256 = await requireSha256(archive, request, known);
    const added = await install({ ...request, archive, sha256, folder });
    await writeList(dataDir, added);
    return added;
  } finally {
    if ('url' in source) await rm(archive, { force: true });
  }
}

/** Throws `Refused` (`invalid`) if a name contains unusual characters, because it becomes a folder name. */
function requireName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/.test(name)) return;
  throw new Refused(
    'invalid',
    `Expected the name of a model, such as ${KNOWN_MODELS[0]?.name}, got ${JSON.stringify(name)}.`,
  );
}

async function isThere(folder: string): Promise<boolean> {
  return await readModel(folder).then(
    () => true,
    () => false,
  );
}

async function requireSha256(
  archive: string,
  { name, sha256 }: AddModelRequest,
  known: InstalledModel | undefined,
): Promise<string> {
  await stat(archive).catch((cause: unknown) => {
    throw new Refused('invalid', `The file ${archive} cannot be read.`, { cause });
  });
  const found = (await sha256Of(createReadStream(archive))).toString('hex');
  const expected = sha256?.toLowerCase() ?? known?.sha256 ?? found;
  if (found === expected) return found;
  const before = sha256 === null ? `was added on ${known?.addedAt} with` : 'must have';
  throw new Refused(
    'invalid',
    `The archive of ${name} has changed: it ${before} the SHA-256 ${expected}, but this one has ${found}. If that ` +
      `is right, add it with --sha256 ${found}.`,
  );
}

type Install = AddModelRequest & { archive: string; sha256: string; folder: string };

/**
 * Unpacks an archive next to the destination and then renames the folder, so that a model is installed completely or
 * not at all.
 */
async function install({ dataDir, name, source, archive, sha256, folder, report }: Install): Promise<InstalledModel> {
  const unpacking = await mkdtemp(join(speechFolder(dataDir), 'unpacking-'));
  try {
    report(`SHA-256 ${sha256}. Unpacking ${basename(archive)}.`);
    const inner = await unpackModel(archive, unpacking);
    const published = KNOWN_MODELS.find((model) => model.name === name);
    const read = await readModel(inner, published);
    await rm(folder, { recursive: true, force: true });
    await rename(inner, folder);
    const languages = published === undefined ? (await readModel(folder)).languages : read.languages;
    const from = 'file' in source ? source.file : source.url;
    const licence = published?.licence ?? 'unknown';
    return { name, sha256, from, languages, licence, addedAt: new Date().toISOString() };
  } finally {
    await rm(unpacking, { recursive: true, force: true });
  }
}

/** Adds a model to the list of installed models and selects it. Replaces the file atomically. */
async function writeList(dataDir: string, added: InstalledModel): Promise<void> {
  const { models } = await readInstalled(dataDir);
  const others = models.filter(({ name }) => name !== added.name);
  const path = listPath(dataDir);
  const list = { current: added.name, models: [...others, added] };
  await writeFile(`${path}.new`, `${JSON.stringify(list, null, 2)}\n`);
  await rename(`${path}.new`, path);
}
