import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../lib/has-code.ts';

/** An installed model. `sha256` is the hash of its archive. */
export type InstalledModel = {
  name: string;
  sha256: string;
  /** Source of the archive: a URL or a file. */
  from: string;
  /** Supported languages (ISO 639-1), or null for all. */
  languages: readonly string[] | null;
  licence: string;
  addedAt: string;
};

/** Content of `models.json`. `current` is the name of the selected model. */
export type InstalledModels = { current: string | null; models: readonly InstalledModel[] };

/** Folder of the speech models in the data folder. */
export function speechFolder(dataDir: string): string {
  return join(dataDir, 'speech');
}

export function modelFolder(dataDir: string, name: string): string {
  return join(speechFolder(dataDir), 'models', name);
}

export function listPath(dataDir: string): string {
  return join(speechFolder(dataDir), 'models.json');
}

/** Reads the list of installed models. Throws if the file has a different format. */
export async function readInstalled(dataDir: string): Promise<InstalledModels> {
  let text: string;
  try {
    text = await readFile(listPath(dataDir), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { current: null, models: [] };
    throw error;
  }
  const { current, models } = Object(JSON.parse(text));
  if (!Array.isArray(models)) throw new Error(`Expected a list of models in ${listPath(dataDir)}, got something else.`);
  return { current: typeof current === 'string' ? current : null, models: models.map(toModel) };
}

function toModel(value: unknown): InstalledModel {
  const { name, sha256, from, languages, licence, addedAt } = Object(value);
  return {
    name: String(name),
    sha256: String(sha256),
    from: String(from),
    languages: Array.isArray(languages) ? languages.map(String) : null,
    licence: String(licence),
    addedAt: String(addedAt),
  };
}
