import { expect, test } from 'vitest';
import { FIELD_LABELS } from './field-labels.ts';
import { SETTINGS } from './settings-index.ts';

/** Blocks whose settings are fields of the library and of its pull zone. */
const BLOCKS = ['encoding', 'sound', 'transcription', 'player', 'access', 'drm', 'viewers', 'rules'];
/** Not a setting, and one with the same field as a rule. */
const OTHERS = ['Test a URL', 'Block players without a referrer'];

test('the settings of a library have the same labels in the audit log', () => {
  const known = new Set<string>(Object.values(FIELD_LABELS));
  const labels = SETTINGS.filter(([block]) => BLOCKS.includes(block)).map(([, label]) => label);
  expect(labels.filter((label) => !known.has(label) && !OTHERS.includes(label))).toEqual([]);
});
