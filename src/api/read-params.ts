import { type TObject, Type } from 'typebox';
import { cleanText } from '../lib/clean-text.ts';
import { type Guid, readGuid } from '../lib/guid.ts';
import { Refused } from '../lib/refused.ts';

/** Path parameters. `title` is the name of the resource in error messages. */
export const idParam = (thing: string) => Type.Integer({ minimum: 0, title: thing });
export const guidParam = (thing: string) => Type.Unsafe<Guid>({ type: 'string', format: 'uuid', title: thing });

export const NoParams = Type.Object({});
export const LibraryParams = Type.Object({ libraryId: idParam('library') });

type ParamSchema = { type?: unknown; format?: unknown; title?: unknown };

/** Parses path parameters. Throws `Refused` (`not-found`) if an id is invalid, because no resource has it. */
export function readParams(schema: TObject, raw: unknown): Record<string, unknown> {
  const texts: Record<string, unknown> = { ...Object(raw) };
  const read = Object.entries<ParamSchema>(schema.properties).map(([name, param]) => {
    const text = String(texts[name]);
    const value = param.type === 'integer' ? readId(text) : param.format === 'uuid' ? readGuid(text) : cleanText(text);
    if (value !== null) return [name, value] as const;
    const expected = param.type === 'integer' ? 'a whole number' : 'a GUID';
    throw new Refused('not-found', `There is no ${param.title} "${text}": its id is ${expected}. Check the URL.`);
  });
  return Object.fromEntries(read);
}

/** Parses an id of up to 15 digits. Returns null for anything else, because longer ids do not exist. */
export function readId(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
