import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

const INT32 = 2 ** 31;

/** Field types of the API's models. All are plain JSON Schema (draft 2020-12). */
export const text = (limits: { minLength?: number; maxLength?: number } = {}) => Type.String(limits);
/** Marks texts that are read as one visible line. A symbol is not part of the published schema. */
export const AS_LINE = Symbol('line');
/** A text that pages and lists show as one line. If nothing of it is visible, it is read as an empty text. */
export const line = (limits: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ ...limits, [AS_LINE]: true });
/** Words of which strict requests must send one. Other requests may send any text. Not part of the published schema. */
export const KNOWN_WORDS = Symbol('known words');
/** Names and titles, which pages and lists show in full. */
export const title = (limits: { minLength?: number } = {}) => line({ maxLength: 1_000, ...limits });
export const int32 = (limits: { minimum?: number; maximum?: number; description?: string } = {}) =>
  Type.Integer({ minimum: -INT32, maximum: INT32 - 1, ...limits });
export const int64 = () => Type.Integer();
export const double = () => Type.Number();
export const flag = () => Type.Boolean();

/**
 * UTC without a time zone and with exactly three decimal places, `2026-11-21T09:30:00.125`. Some clients parse no other
 * format.
 */
export const dateTime = () => Type.String({ description: 'yyyy-MM-ddTHH:mm:ss.fff in UTC, no zone mark' });

/** Returns the schema with null allowed, written as a list of types so that serialisers need no union. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest }: { type?: unknown; enum?: unknown[] } = { ...schema };
  const allowed = { ...(type !== undefined && { type: [type, 'null'] }), ...(values && { enum: [...values, null] }) };
  return Type.Unsafe<Static<T> | null>({ ...rest, ...allowed });
}

/** Returns an object model of the API under its published name. Other fields are dropped in both directions. */
export function model<P extends TProperties>(name: string, properties: P): TObject<P> {
  return Type.Object(properties, { title: name });
}

/** Returns the schema of a response that is a page of items, or a plain list of all items, depending on the query. */
export function pageOrList<P extends TObject, T extends TSchema>(name: string, page: P, item: T) {
  return Type.Union([page, Type.Array(item)], { title: name });
}

/** Returns an enumeration that is a number on the wire; `values` in the schema maps names to these numbers. */
export function numbers<const V extends Record<string, number>>(name: string, values: V) {
  const described = Object.entries(values).map(([word, number]) => `${number} ${word}`);
  const schema = { type: 'integer', enum: Object.values(values), title: name, description: described.join(', ') };
  return Object.assign(Type.Unsafe<V[keyof V]>(schema), { values });
}

/** Returns an enumeration that is a word on the wire. */
export function words<const V extends string>(name: string, values: readonly V[]) {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], title: name });
}

/**
 * Reason why a field or parameter must not be misspelt: `protects` if something is open, public or lost without it,
 * `destroys` if something is deleted or replaced with it.
 */
export type Guard = 'protects' | 'destroys';

/**
 * Marks a field or parameter that protects or destroys: a request that misspells it is refused. `alsoCalled` are the
 * names that other resources use for it.
 */
export function guarded<T extends TSchema>(guard: Guard, schema: T, alsoCalled: readonly string[] = []): T {
  // Copies the schema, because enumerations are shared. The copy has the non-enumerable properties, which a spread
  // would drop.
  const copy: T = Object.defineProperties({ ...schema }, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, { 'x-guard': guard, ...(alsoCalled.length > 0 && { 'x-also-called': alsoCalled }) });
}

/** Reads the mark of a field or parameter. Returns null if it has none. */
export function guardOf(schema: object): Guard | null {
  const { 'x-guard': guard }: { 'x-guard'?: Guard } = { ...schema };
  return guard ?? null;
}
