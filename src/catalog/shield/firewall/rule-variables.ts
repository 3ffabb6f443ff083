import { RE2JS } from 're2js';
import { COLLECTIONS, type Collection } from './request-fields.ts';

/** A collection of the request, of values set by rules (`TX`), or the match of the previous condition. */
export type Source = Collection | 'TX' | 'MATCHED_VARS';

/** Part of a collection: all of it, one key (in lower case), or the keys that a pattern matches. */
export type Pick = { source: Source; key: string | null; pattern: RE2JS | null };

/** Input of a condition. `isCount`: the number of values instead of the values. */
export type Selector = { isCount: boolean; picks: readonly Pick[]; drops: readonly Pick[]; isStatic: boolean };

const KNOWN: ReadonlySet<string> = new Set(COLLECTIONS);
const ALIASES: Readonly<Record<string, Source>> = {
  ARGS_GET: 'ARGS',
  ARGS_GET_NAMES: 'ARGS_NAMES',
  MATCHED_VAR: 'MATCHED_VARS',
  TX: 'TX',
  MATCHED_VARS: 'MATCHED_VARS',
};

/**
 * Parses the variables of a condition. Omits those of bodies, uploads and stored state, which are not inspected.
 * Returns null if none is left.
 */
export function readSelector(variables: string): Selector | null {
  const picks: Pick[] = [];
  const drops: Pick[] = [];
  let isCount = false;
  for (const text of variables.split('|')) {
    const [, mark = '', name = '', key] = /^([&!]?)(\w+)(?::(.*))?$/s.exec(text) ?? [];
    const source = sourceOf(name.toUpperCase());
    if (source === null) continue;
    isCount ||= mark === '&';
    (mark === '!' ? drops : picks).push({ source, ...readKey(key) });
  }
  const isStatic = picks.every(({ source }) => source !== 'TX' && source !== 'MATCHED_VARS');
  return picks.length === 0 ? null : { isCount, picks, drops, isStatic };
}

/** Returns whether a pick includes the value of this key. */
export function takes({ key, pattern }: Pick, of: string): boolean {
  if (pattern !== null) return pattern.test(of);
  return key === null || key === of.toLowerCase();
}

function sourceOf(name: string): Source | null {
  return KNOWN.has(name) ? (name as Collection) : (ALIASES[name] ?? null); // A member of COLLECTIONS.
}

function readKey(key: string | undefined): { key: string | null; pattern: RE2JS | null } {
  if (key === undefined) return { key: null, pattern: null };
  const inner = /^\/(.*)\/$/s.exec(key)?.[1];
  if (inner === undefined) return { key: key.replace(/^'|'$/g, '').toLowerCase(), pattern: null };
  return { key: null, pattern: RE2JS.compile(inner, RE2JS.CASE_INSENSITIVE) };
}
