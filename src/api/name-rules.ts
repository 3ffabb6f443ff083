import { distance } from 'fastest-levenshtein';
import type { TObject, TSchema } from 'typebox';
import { quote } from '../lib/quote.ts';
import { guardOf } from './models/fields.ts';

/** Maximum edits by which a misspelled name differs from another one. */
const MAX_TYPO_EDITS = 2;
const MAX_NAME_CHARS = 60;
const MAX_NAMES_LISTED = 12;

/** Rules of an operation for unknown names. */
export type NameRules = {
  /**
   * Judges an unknown field or parameter; `known` are the allowed names. Returns the fault as a sentence; null if the
   * name is ignored.
   */
  judge(name: string, known: readonly string[]): string | null;
  /** True if any unknown name could be a fault. */
  areNeeded: boolean;
};

type Named = { isHosted: boolean; query: TObject; body: TSchema | 'raw' | null };

/**
 * Creates the rules of an operation. Our own operations refuse every name that they do not define. Clients of the
 * hosted interface send extra names, which are ignored unless they could be meant as one that protects or destroys: a
 * misspelling, the name that another resource uses, or the right name in the wrong part of the request.
 */
export function createNameRules({ isHosted, query, body }: Named): NameRules {
  const guards = new Map<string, string>();
  collectGuards(query, guards);
  if (body !== null && body !== 'raw') collectGuards(body, guards);
  return {
    areNeeded: !isHosted || guards.size > 0,
    judge(name, known) {
      const meant = findMeant(name, guards);
      if (isHosted && meant === null) return null;
      const suggested = meant ?? (isHosted ? null : findNearest(name, known));
      if (suggested === null) return `${quote(name)} is unknown: ${listOf(known)}.`;
      const isElsewhere = suggested.toLowerCase() === name.toLowerCase();
      if (isElsewhere) return `${quote(name)} is unknown here: send it where this operation documents it.`;
      return `${quote(name)} is unknown; did you mean "${suggested}"?`;
    },
  };
}

type Shape = { properties?: Record<string, Shape>; items?: Shape; 'x-also-called'?: readonly string[] };

/** Collects every guarded name of a schema, and each name that is used elsewhere for it, in lower case. */
function collectGuards({ properties = {}, items }: Shape, guards: Map<string, string>): void {
  if (items !== undefined) collectGuards(items, guards);
  for (const [name, schema] of Object.entries(properties)) {
    if (guardOf(schema) !== null) {
      for (const each of [name, ...(schema['x-also-called'] ?? [])]) guards.set(each.toLowerCase(), name);
    }
    collectGuards(schema, guards);
  }
}

function findMeant(name: string, guards: ReadonlyMap<string, string>): string | null {
  const lower = name.toLowerCase();
  const same = guards.get(lower);
  if (same !== undefined) return same;
  for (const [guard, suggested] of guards) if (isTypoOf(lower, guard)) return suggested;
  return null;
}

function isTypoOf(name: string, known: string): boolean {
  return Math.abs(name.length - known.length) <= MAX_TYPO_EDITS && distance(name, known) <= MAX_TYPO_EDITS;
}

/** Returns the name that is nearest to a misspelled one, if at most a third of it differs. */
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
