import { expect, test } from 'vitest';
import { keyOf } from './keyboard.ts';

test.each([
  ['k', 'KeyK', 'k'],
  ['M', 'KeyM', 'm'],
  ['л', 'KeyK', 'k'],
  ['А', 'KeyF', 'f'],
  ['λ', 'KeyL', 'l'],
  ['ة', 'KeyM', 'm'],
  ['\u094d', 'KeyD', 'd'],
  ['٥', 'Digit5', '5'],
  // In the Dvorak layout, the character counts and not the position of the key.
  ['c', 'KeyI', 'c'],
  // AZERTY and German layouts.
  ['2', 'Digit2', '2'],
  ['é', 'Digit2', 'é'],
  ['ö', 'Semicolon', 'ö'],
  ['?', 'Minus', '?'],
  ['ArrowLeft', 'ArrowLeft', 'arrowleft'],
])('the character %s of the key %s counts as %s', (key, code, expected) => {
  expect(keyOf({ key, code })).toBe(expected);
});
