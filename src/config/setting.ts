import { isIP } from 'node:net';
import Type, { type TSchema } from 'typebox';

/**
 * The schema of one setting as it is written in the environment: a text for which `parse` does not
 * answer null. `expected` completes the sentence "expected ..." of the error, which does not repeat the
 * value of a secret one (`writeOnly`).
 */
export function setting(expected: string, parse: (text: string) => unknown, isSecret = false): TSchema {
  return Type.Optional(
    Type.Refine(
      Type.String({ description: expected, writeOnly: isSecret }),
      (text) => parse(text) !== null,
      () => expected,
    ),
  );
}

/** A whole number written in plain digits, within the bounds; anything else is null. */
export function parseWholeNumber(text: string, min: number, max: number): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

/** `on` or `off`; anything else is null. */
export function parseSwitch(text: string): boolean | null {
  if (text === 'on') return true;
  return text === 'off' ? false : null;
}

/** A port; 0 means any free one. */
export function parsePort(text: string): number | null {
  return parseWholeNumber(text, 0, 65_535);
}

/** An IP address or a host name; anything else is null. */
export function parseHost(text: string): string | null {
  const isName = text.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/.test(text);
  return isIP(text) !== 0 || isName ? text : null;
}

/**
 * An http or https address without query or fragment, its final slashes removed; anything else is null, one that holds
 * a user too: addresses are shown, and secrets have settings of their own.
 */
export function parseBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') return null;
  if (url.username !== '' || url.password !== '') return null;
  return url.href.replace(/\/+$/, '');
}
