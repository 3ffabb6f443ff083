import { Refused } from '../../lib/refused.ts';
import { suggestName } from '../../lib/suggest-name.ts';
import type { Context } from './context.ts';

type Pairs = Context['pairs'];

/** Fields of imports whose files this command uploads. */
const FOLDER_FIELDS = ['dryRun', 'language', 'newGuids', 'partItems', 'skipDuplicates'];

/** Returns a field that is a number above 0, or null if it was not given. Throws `Refused` for anything else. */
export function wholeNumberOf(pairs: Pairs, name: string): number | null {
  const value = pairs[name];
  if (value === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(String(value))) return Number(value);
  throw new Refused('invalid', `expected ${name} to be a whole number above 0, got ${String(value)}.`);
}

/** Throws `Refused` for fields that an import from a folder or Takeout does not have. */
export function requireFolderFields(pairs: Pairs): void {
  const unknown = Object.keys(pairs).find((name) => !FOLDER_FIELDS.includes(name));
  if (unknown !== undefined) {
    const hint = suggestName(unknown, FOLDER_FIELDS);
    throw new Refused('invalid', `expected only the fields ${FOLDER_FIELDS.join(', ')}, got ${unknown}.${hint}`);
  }
  for (const name of ['dryRun', 'newGuids', 'skipDuplicates']) requireFlag(pairs, name);
  wholeNumberOf(pairs, 'partItems');
}

/** A plan that is misspelled would otherwise start the uploads. */
function requireFlag(pairs: Pairs, name: string): void {
  const value = pairs[name];
  if (value === undefined || typeof value === 'boolean') return;
  throw new Refused('invalid', `expected ${name} to be true or false, got ${String(value)}.`);
}
