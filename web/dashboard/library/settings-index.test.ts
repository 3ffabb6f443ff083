import { expect, test } from 'vitest';
import { findSettings, SECTIONS, SETTINGS, sectionOf } from './settings-index.ts';

const same = (label: string) => label;
const labelsFor = (text: string, translate = same) => findSettings(text, SETTINGS, translate).map(([, label]) => label);

test.each([
  ['colour', 'Colour'],
  ['1080p', 'Resolutions'],
  ['geo blocked', 'Blocked countries'],
  ['slack', 'Webhook URL'],
  ['webhook', 'Endpoints'],
  ['TOKEN private', 'Require signed URLs'],
  ['5.1', 'Keep surround sound'],
])('"%s" finds %s first', (text, label) => {
  expect(labelsFor(text)[0]).toBe(label);
});

test('settings whose label begins with the text come before others', () => {
  expect(labelsFor('name')[0]).toBe('Name');
  expect(labelsFor('captions').slice(-1)).not.toEqual(['Captions']);
});

test('finds translated labels, without regard to case and accents', () => {
  const german = (label: string) => (label === 'Blocked countries' ? 'Gesperrte Länder' : label);
  expect(labelsFor('lander', german)).toEqual(['Blocked countries']);
});

test('finds nothing without words, or if a word is missing', () => {
  expect(labelsFor('  ')).toEqual([]);
  expect(labelsFor('colour nonsense')).toEqual([]);
});

test('every setting has a block, and there are five sections', () => {
  const blocks = SECTIONS.flatMap((section) => section.blocks.map(([name]) => name));
  expect(SETTINGS.filter(([block]) => !blocks.includes(block))).toEqual([]);
  expect(SECTIONS).toHaveLength(5);
});

test.each([
  ['general', 'General'],
  ['encoding', 'Video and sound'],
  ['player', 'Player'],
  ['drm', 'Access'],
  ['watermark', 'Video and sound'],
  ['rules', 'Access'],
  ['webhooks', 'Developers'],
  ['keys', 'Developers'],
  ['storage', 'General'],
  ['audit', 'Developers'],
  ['nonsense', 'General'],
])('the former tab %s opens in the section %s', (block, label) => {
  expect(sectionOf(block).label).toBe(label);
});
