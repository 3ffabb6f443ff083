import { distance } from 'fastest-levenshtein';
import type { TObject, TSchema } from 'typebox';
import { quote } from '../lib/quote.ts';
import { findSibling } from './find-sibling.ts';
import { guardOf } from './models/fields.ts';

/** Maximum edit distance between a misspelled name and the intended one. */
const MAX_TYPO_EDITS = 2;
const MAX_NAME_CHARS = 60;
const MAX_NAMES_LISTED = 12;

/** Rules of an operation for unknown names. */
export type NameRules = {
  /**
   * Checks an unknown field or parameter; `known` are the allowed names. Returns the error as a sentence, or null if
   * the name is ignored.
   */
  judge(name: string, known: readonly string[]): string | null;
  /** True if an unknown name can be an error for this operation. */
  areNeeded: boolean;
};

type Named = { method: string; path: string; isHosted: boolean; query: TObject; body: TSchema | 'raw' | null };

/**
 * Creates the rules of an operation. Operations that are not part of the hosted API reject all unknown names. Clients
 * of the hosted API send extra names, which are ignored unless one of them may be meant as a guarded name (see
 * `Guard`): a misspelling of it, the name that another resource uses for it, a name that is guarded in another
 * operation, or the correct name in the wrong part of the request.
 */
export function createNameRules({ method, path, isHosted, query, body }: Named): NameRules {
  const guards = new Map<string, Meant>();
  collectGuards(query, guards);
  if (body !== null && body !== 'raw') collectGuards(body, guards);
  const isChange = method !== 'GET';
  return {
    areNeeded: !isHosted || guards.size > 0 || isChange,
    judge(name, known) {
      const meant = findMeant(name, guards);
      const sibling = isHosted && isChange && meant === null ? findSibling(name, path) : null;
      if (sibling !== null) return `${quote(name)} is unknown here: ${sibling} has a field of this name.`;
      if (isHosted && meant === null) return null;
      const nearest = isHosted ? null : findNearest(name, known);
      const suggested = meant ?? (nearest === null ? null : { name: nearest, hint: '' });
      if (suggested === null) return `${quote(name)} is unknown: ${listOf(known)}.`;
      const isElsewhere = suggested.name.toLowerCase() === name.toLowerCase();
      if (isElsewhere) return `${quote(name)} is unknown here: send it where this operation documents it.`;
      return suggest(name, suggested);
    },
  };
}

/** The known name that a misspelled name probably means. `hint` is the description of its field, or an empty string. */
type Meant = { name: string; hint: string };

/** Returns the error message for a misspelled name, with the name that was probably meant. */
export function suggest(name: string, { name: suggested, hint }: Meant): string {
  return `${quote(name)} is unknown; did you mean "${suggested}"${hint === '' ? '' : `, ${hint}`}?`;
}

type Shape = {
  properties?: Record<string, Shape>;
  items?: Shape;
  description?: string;
  'x-also-called'?: readonly string[];
};

/** Collects the guarded names of a schema, and the names that other resources use for them, in lower case. */
function collectGuards({ properties = {}, items }: Shape, guards: Map<string, Meant>): void {
  if (items !== undefined) collectGuards(items, guards);
  for (const [name, schema] of Object.entries(properties)) {
    if (guardOf(schema) !== null) {
      const meant = { name, hint: schema.description ?? '' };
      for (const each of [name, ...(schema['x-also-called'] ?? [])]) guards.set(each.toLowerCase(), meant);
    }
    collectGuards(schema, guards);
  }
}

function findMeant(name: string, guards: ReadonlyMap<string, Meant>): Meant | null {
  const lower = name.toLowerCase();
  const same = guards.get(lower);
  if (same !== undefined) return same;
  for (const [guard, suggested] of guards) if (isTypoOf(lower, guard)) return suggested;
  return null;
}

/** Returns whether a name is at most two edits away from a known name. Both are in lower case. */
export function isTypoOf(name: string, known: string): boolean {
  return Math.abs(name.length - known.length) <= MAX_TYPO_EDITS && distance(name, known) <= MAX_TYPO_EDITS;
}

/** Returns the known name that is closest to a misspelled one, or null if more than a third of it differs. */
function findNearest(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_NAME_CHARS) return null;
  const near = known
    .map((each) => ({ each, edits: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= Math.max(MAX_TYPO_EDITS, each.length / 3) && edits < each.length);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.each ?? null;
}

function listOf(known: readonly string[]): string {
  if (known.length === 0) return 'this operation has none';
  const shown = known.slice(0, MAX_NAMES_LISTED).join(', ');
  return `expected ${known.length > MAX_NAMES_LISTED ? `names such as ${shown}` : `any of ${shown}`}`;
}
