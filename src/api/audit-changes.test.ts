import { expect, test } from 'vitest';
import type { Library } from '../catalog/libraries/library.ts';
import { mergeSettings, readLibrarySettings, readPullZoneSettings } from '../catalog/libraries/library-settings.ts';
import type { NotedChange } from '../catalog/note-change.ts';
import { toAuditChanges } from './audit-changes.ts';

const fields = (before: object | null, after: object | null) =>
  ({ kind: 'fields', before, after }) as NotedChange & { kind: 'fields' };

function library(settings: object, zoneSettings: object): Library {
  return {
    ...{ id: 1, name: 'Mills', videoCount: 3, createdAt: new Date(0), modifiedAt: new Date() },
    settings: readLibrarySettings(settings),
    pullZone: { id: 2, name: 'vz-1', settings: readPullZoneSettings(zoneSettings) },
  };
}

test('contains only fields that changed, with null for absent values', () => {
  const before = { title: 'A', description: null, tags: ['a'], sizes: [{ width: 1 }], at: new Date(0), same: 1 };
  const after = { title: 'B', description: 'C', tags: ['a', 'b'], sizes: [], at: null, same: 1 };
  expect(toAuditChanges([fields(before, after)])).toEqual([
    { field: 'title', old: 'A', new: 'B' },
    { field: 'tags', old: 'a', new: 'a, b' },
    { field: 'sizes', old: '[{"width":1}]', new: '' },
    { field: 'at', old: '1970-01-01T00:00:00.000Z', new: null },
    { field: 'description', old: null, new: 'C' },
  ]);
  expect(toAuditChanges([fields(before, before)])).toBeNull();
  expect(toAuditChanges([])).toBeNull();
});

test('masks secrets as the log does', () => {
  const before = { url: 'https://a.example/hook?token=abcdef', relays: [{ endpoint: null, streamKey: 'k-1234567' }] };
  const after = { url: 'https://user:word@a.example/hook', relays: null };
  expect(toAuditChanges([fields(before, after), { kind: 'secret', field: 'ApiKey' }])).toEqual([
    { field: 'url', old: 'https://a.example/hook?token=***', new: 'https://***@a.example/hook' },
    { field: 'relays', old: '[{"endpoint":null,"streamKey":***}]', new: null },
    { field: 'ApiKey', old: '***', new: '***' },
  ]);
});

test('limits the number of fields, and shortens values to their difference', () => {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, index]));
  expect(toAuditChanges([fields({}, many)])).toHaveLength(50);
  const long = 'x'.repeat(5_000);
  const changes = toAuditChanges([fields({ text: `${long}old${long}` }, { text: `${long}new${long}` })]);
  const kept = `…${'x'.repeat(20)}`;
  expect(changes?.[0]?.old?.startsWith(`${kept}old`)).toBe(true);
  expect(changes?.[0]?.new?.startsWith(`${kept}new`)).toBe(true);
  expect(changes?.[0]?.new).toHaveLength(200);
  expect(toAuditChanges([fields({ text: long }, { text: null })])).toMatchObject([{ new: null }]);
});

const IMAGES = { logo: { present: true }, liveWatermark: { present: true }, liveThumbnail: { present: true } };
const LIBRARY = library(IMAGES, {});

test.each(leaves(LIBRARY.settings))('a change of the library setting $0 is shown', (path, value) => {
  const after = firstValid(others(value), (one) => library(mergeSettings(IMAGES, nest(path, one)), {}));
  expect(toAuditChanges([{ kind: 'library', before: LIBRARY, after }])).not.toBeNull();
});

test.each(leaves(LIBRARY.pullZone.settings))('a change of the rule $0 is shown', (path, value) => {
  const after = firstValid(others(value), (one) => library(IMAGES, nest(path, one)));
  expect(toAuditChanges([{ kind: 'library', before: LIBRARY, after }])).not.toBeNull();
});

test('the settings of a library have their names in the API', () => {
  const before = library({ player: { keyColor: '#000000' } }, {});
  const after = { ...library({ player: { keyColor: '#ffffff' } }, { requestsPerSec: 5 }), name: 'Rivers' };
  expect(toAuditChanges([{ kind: 'library', before, after }])).toEqual([
    { field: 'Name', old: 'Mills', new: 'Rivers' },
    { field: 'PlayerKeyColor', old: '#000000', new: '#ffffff' },
    { field: 'RequestLimit', old: '0', new: '5' },
  ]);
});

function leaves(settings: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leaves(value, `${prefix}${name}.`)
      : [[prefix + name, value] as [string, unknown]],
  );
}

function nest(path: string, value: unknown): object {
  const names = path.split('.');
  return names.reduceRight<Record<string, unknown>>(
    (inner, name, index) => ({ [name]: index === names.length - 1 ? value : inner }),
    {},
  );
}

/** Returns other values, of which at least one is valid for each setting. */
function others(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1];
  if (Array.isArray(value)) return value.length > 0 ? [value.slice(1)] : [['x']];
  return ['x', 1, 'free', 'enterprise', 'jwt'];
}

function firstValid(values: readonly unknown[], make: (value: unknown) => Library): Library {
  for (const value of values) {
    try {
      return make(value);
    } catch {
      // The value is invalid. Try the next one.
    }
  }
  throw new Error('Expected a valid value, got none. Add one to `others`.');
}
