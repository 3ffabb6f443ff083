import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Refused } from '../../lib/refused.ts';
import { languagesOf, type ModelLayout, recogniseModel } from './model-layout.ts';

/** A folder with a model. `languages` are ISO 639-1 codes, or null for all languages. */
export type ReadModel = { folder: string; name: string; layout: ModelLayout; languages: readonly string[] | null };

/** Maximum size of a vocabulary, in bytes. Vocabularies have up to a few hundred thousand lines. */
const MAX_VOCABULARY_BYTES = 16 * 2 ** 20;

/**
 * Detects which model a folder contains. Throws `Refused` (`invalid`) if the folder does not exist or contains no known
 * model.
 */
export async function readModel(folder: string, known?: { languages: readonly string[] | null }): Promise<ReadModel> {
  const files = await list(folder);
  const vocabulary = files.find((file) => /(^|-)tokens\.txt$/.test(file));
  const tokens = vocabulary === undefined ? '' : await readFile(join(folder, vocabulary), 'utf8');
  if (tokens.length > MAX_VOCABULARY_BYTES)
    throw new Refused(
      'invalid',
      `Expected ${vocabulary} of ${folder} to have at most ${MAX_VOCABULARY_BYTES} bytes, got more.`,
    );
  const layout = recogniseModel(files, () => tokens);
  if (layout === null) {
    throw new Refused(
      'invalid',
      'Expected a folder with a Whisper, Moonshine, Zipformer, Paraformer, SenseVoice or Parakeet model of ' +
        `sherpa-onnx, got ${folder} with ${files.slice(0, 8).join(', ') || 'no files'}.`,
    );
  }
  const name = basename(folder);
  return { folder, name, layout, languages: known === undefined ? languagesOf(layout, name) : known.languages };
}

async function list(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused('invalid', `Cannot read the folder of a speech model: ${reason}.`, { cause: error });
  }
}
