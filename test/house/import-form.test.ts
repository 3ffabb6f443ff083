import { expect, test } from 'vitest';
import { SECRET_FIELDS, SOURCE_FIELDS } from '../../src/catalog/imports/source-fields.ts';
import { importSources } from '../../web/dashboard/imports/import-sources.ts';

test.each(Object.entries(SOURCE_FIELDS))(
  'the form has the required fields of %s, and hides its secrets',
  (name, fields) => {
    const { rows, more } = Object.entries(importSources()).find(([source]) => source === name)?.[1] ?? {};
    const all = [...(rows ?? []), ...(more ?? [])];
    const shown = all.map(({ field }) => field);
    for (const need of fields.needs) {
      const choices = typeof need === 'string' ? [need] : need;
      expect(choices.every((choice) => shown.includes(choice))).toBe(true);
    }
    const known = [...fields.needs.flat(), ...fields.takes];
    expect(shown.filter((field) => !known.includes(field))).toEqual([]);
    const open = all.filter(({ field, isSecret }) => SECRET_FIELDS.has(field) && isSecret !== true);
    // The first part of a pair of keys is not a secret.
    const pairs = open.filter(({ field }) => field !== 'accessKey' || !shown.includes('secretKey'));
    expect(pairs).toEqual([]);
  },
);
