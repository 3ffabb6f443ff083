import { type Field, wireModels } from './interface-data.ts';

const INT32 = 2 ** 31;
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Format that every client reads: UTC, three digits, and a `Z` only in the account API. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z?$/;

const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);

const SIMPLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  int32: (value) => isInteger(value) && Math.abs(Number(value)) <= INT32,
  int64: isInteger,
  integer: isInteger,
  HttpStatusCode: isInteger,
  double: (value) => Number.isFinite(value),
  decimal: (value) => Number.isFinite(value),
  guid: (value) => typeof value === 'string' && GUID.test(value),
  datetime: (value) => typeof value === 'string' && DATE_TIME.test(value),
};

/** Returns each deviation of a value from its published model, with its path. Empty if the value fits. */
export function faultsOf(value: unknown, type: string, place = 'the body'): string[] {
  if (type.endsWith('[]')) return faultsOfList(value, type.slice(0, -2), place);
  const map = /^map<string,(\w+)>$/.exec(type)?.[1];
  if (map !== undefined) return faultsOfMap(value, map, place);
  const model = wireModels.models[type];
  if (model !== undefined) return faultsOfModel(value, model, place);
  const allowed = wireModels.enums[type];
  const fits = allowed === undefined ? SIMPLE[type] : (found: unknown) => allowed.some((one) => one === found);
  if (fits === undefined) throw new Error(`Expected a type of wire-models.json, got ${type}.`);
  return fits(value) ? [] : [`${place}: expected ${type}, got ${shown(value)}`];
}

function faultsOfList(value: unknown, type: string, place: string): string[] {
  if (!Array.isArray(value)) return [`${place}: expected a list, got ${shown(value)}`];
  return value.flatMap((item, index) => faultsOf(item, type, `${place}[${index}]`));
}

function faultsOfMap(value: unknown, type: string, place: string): string[] {
  if (!isObject(value)) return [`${place}: expected an object, got ${shown(value)}`];
  return Object.entries(value).flatMap(([key, item]) => faultsOf(item, type, `${place}.${key}`));
}

function faultsOfModel(value: unknown, model: Record<string, Field>, place: string): string[] {
  if (!isObject(value)) return [`${place}: expected an object, got ${shown(value)}`];
  return Object.entries(model).flatMap(([name, field]) => {
    const here = `${place}.${name}`;
    const found: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (found === undefined) return field.optional ? [] : [`${here}: missing`];
    if (found === null) return field.nullable || field.optional ? [] : [`${here}: null, which clients cannot read`];
    const isShort = typeof found === 'string' && found.length < (field.minLength ?? 0);
    return isShort ? [`${here}: empty`] : faultsOf(found, field.type, here);
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
}
