import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refused } from '../../lib/refused.ts';

/** Minimum of the OWASP password storage cheat sheet for argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Maximum hashes computed at once. Each needs 19 MiB and a thread. */
const MAX_AT_ONCE = 2;
const MAX_QUEUED = 50;
export const MIN_PASSWORD_CHARACTERS = 12;
export const MAX_PASSWORD_CHARACTERS = 200;

const derive = promisify(argon2);
const HASH = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
let running = 0;
const queued: (() => void)[] = [];

/** Hashes a password with argon2id (RFC 9106). Returns a PHC string. Throws `Refused` (`busy`) if too many wait. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await inTurn(() => compute(password, { nonce, memory: MEMORY_KIB, passes: PASSES, lanes: LANES }));
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${toText(nonce)}$${toText(tag)}`;
}

/**
 * Returns whether a password has a hash. A null hash takes the same time and never matches, so that callers cannot find
 * out which accounts exist. Throws `Refused` (`busy`) if too many wait.
 */
export async function hasPassword(password: string, hash: string | null): Promise<boolean> {
  const [, memory, passes, lanes, nonce = '', tag = ''] = HASH.exec(hash ?? '') ?? [];
  if (memory === undefined) {
    await hashPassword(password);
    return false;
  }
  const cost = { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  const found = await inTurn(() => compute(password, { ...cost, nonce: Buffer.from(nonce, 'base64') }));
  const expected = Buffer.from(tag, 'base64');
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/** Returns the number of characters of a password in the form that is hashed. */
export function countCharacters(password: string): number {
  return [...password.normalize('NFC')].length;
}

/** Throws `Refused` (`invalid`) for a password that is too short, too long, or the e-mail address. */
export function requireGoodPassword(password: string, email: string): void {
  const length = countCharacters(password);
  if (length < MIN_PASSWORD_CHARACTERS || length > MAX_PASSWORD_CHARACTERS) {
    throw new Refused(
      'invalid',
      `Expected a password of ${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters, got ${length}.`,
    );
  }
  if (password.toLowerCase() === email.toLowerCase() || new Set(password).size < 4) {
    throw new Refused(
      'invalid',
      'This password is too easy to guess. Choose several words, or use a password manager.',
    );
  }
}

type Cost = { nonce: Uint8Array; memory: number; passes: number; lanes: number };

/**
 * Normalises the password to NFC before hashing, because systems encode the same typed characters differently (NIST SP
 * 800-63B, section 3.1.1.2).
 */
function compute(password: string, { nonce, memory, passes, lanes: parallelism }: Cost): Promise<Buffer> {
  const message = password.normalize('NFC');
  return derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength: TAG_BYTES });
}

async function inTurn<T>(task: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) {
    if (queued.length >= MAX_QUEUED) {
      throw new Refused('busy', 'Too many people are signing in at the moment. Try again in a few seconds.');
    }
    // The next task that ends calls `start`, and leaves `running` unchanged.
    await new Promise<void>((start) => queued.push(start));
  } else running += 1;
  try {
    return await task();
  } finally {
    const next = queued.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** PHC strings use base64 without padding. */
function toText(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
