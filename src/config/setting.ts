import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import Type, { type TSchema } from 'typebox';
import { parseUrl } from '../lib/parse-url.ts';

/** `isSecret`: errors do not repeat the value. `hint`: returns a sentence about a wrong value, or an empty text. */
type SettingOptions = { isSecret?: boolean; hint?: (text: string) => string };

/**
 * Schema of one setting as written in the environment: a text for which `parse` does not return null. `expected`
 * completes the sentence "expected ..." of the error, which does not repeat the value of a secret (`writeOnly`).
 */
export function setting(
  expected: string,
  parse: (text: string) => unknown,
  { isSecret = false, hint = () => '' }: SettingOptions = {},
): TSchema {
  return Type.Optional(
    Type.Refine(
      Type.String({ description: expected, writeOnly: isSecret, hint }),
      (text) => parse(text) !== null,
      () => expected,
    ),
  );
}

/** Parses a whole number in plain digits, within the limits; returns null for anything else. */
export function parseWholeNumber(text: string, min: number, max: number): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

/** Parses `on` or `off`; returns null for anything else. */
export function parseSwitch(text: string): boolean | null {
  if (text === 'on') return true;
  return text === 'off' ? false : null;
}

/** Parses a port; 0 selects any free one. */
export function parsePort(text: string): number | null {
  return parseWholeNumber(text, 0, 65_535);
}

/** Parses an IP address or a host name; returns null for anything else. */
export function parseHost(text: string): string | null {
  const isName = text.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/.test(text);
  return isIP(text) !== 0 || isName ? text : null;
}

/**
 * Parses an http or https URL without query or fragment, and removes final slashes. Returns null for anything else,
 * including a URL with a user: URLs are displayed, and secrets have their own settings.
 */
export function parseBaseUrl(text: string): string | null {
  const url = parseUrl(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') return null;
  if (url.username !== '' || url.password !== '') return null;
  return url.href.replace(/\/+$/, '');
}

/** Parses an absolute path; returns null for anything else. */
export function parseAbsolutePath(text: string): string | null {
  return isAbsolute(text) && !text.includes('\0') ? text : null;
}
