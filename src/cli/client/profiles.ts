import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Refused } from '../../lib/refused.ts';
import { type Context, DEFAULT_PROFILE, type Profile } from './context.ts';
import { findRights, type Rights } from './find-rights.ts';
import { printLine } from './output.ts';
import { privatePath, readPrivate, writePrivate } from './private-file.ts';
import { readStdin } from './read-body.ts';

const FILE = 'profiles.json';
const MAX_CHECK_MS = 60_000;

/** Thrown if the user presses Ctrl-C at a prompt. */
export class Interrupted extends Error {}

/** `login`: checks a key, stores it as a profile, and prints what it may do. */
export async function login({ url, library, values }: Context): Promise<void> {
  const key = values.key ?? (process.stdin.isTTY ? await askKey() : (await readStdin()).toString().trim());
  if (key === '') throw new Refused('invalid', 'expected the key in the terminal, on stdin or in --key, got none.');
  const signal = AbortSignal.timeout(MAX_CHECK_MS);
  const rights = await findRights({ url, key, library }, signal).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
    throw new Refused('unavailable', `${url} did not respond within ${MAX_CHECK_MS / 1000} s. Try again.`, { cause });
  });
  const name = values.profile ?? DEFAULT_PROFILE;
  await writePrivate(FILE, { ...(await readPrivate<Profile>(FILE)), [name]: { url, key, library } });
  const file = privatePath(FILE);
  if (values.json === true) return printLine(JSON.stringify({ profile: name, url, library, ...rights, file }));
  printLine(`${url}: this key can ${describeRights(rights, library)}. It is stored as profile ${name} in ${file}.`);
}

function describeRights({ account, write }: Rights, library: number): string {
  if (account) return 'manage the account and all its libraries';
  return write ? `read and change library ${library}` : `read library ${library}, but not change it`;
}

/** `logout`: removes the stored key of a profile, or of the service in `--url`. */
export async function logout({ values }: Context): Promise<void> {
  const profiles = await readPrivate<Profile>(FILE);
  const file = privatePath(FILE);
  const name = profileToRemove(profiles, values);
  const { [name]: removed, ...others } = profiles;
  if (removed === undefined) {
    const known = Object.keys(profiles);
    const stored = known.length === 0 ? 'No key is stored.' : `Stored profiles: ${known.join(', ')}.`;
    throw new Refused('invalid', `no key is stored as profile ${name} in ${file}. ${stored}`);
  }
  await writePrivate(FILE, others);
  if (values.json === true) return printLine(JSON.stringify({ profile: name, url: removed.url, file }));
  printLine(`${removed.url}: its key was removed (profile ${name} in ${file}). The service still accepts the key.`);
}

/** Returns the name of the profile of the service in `--url`, or else of `--profile`. */
function profileToRemove(profiles: Record<string, Profile>, { profile, url }: Context['values']): string {
  if (url === undefined) return profile ?? DEFAULT_PROFILE;
  const wanted = url.replace(/\/+$/, '');
  const stored = profile === undefined ? undefined : profiles[profile];
  if (profile !== undefined && (stored === undefined || stored.url === wanted)) return profile;
  if (stored !== undefined)
    throw new Refused('invalid', `profile ${profile} has a key for ${stored.url}, not for ${wanted}.`);
  const names = Object.keys(profiles).filter((name) => profiles[name]?.url === wanted);
  const [name] = names;
  if (name === undefined) throw new Refused('invalid', `no key is stored for ${wanted} in ${privatePath(FILE)}.`);
  if (names.length === 1) return name;
  throw new Refused(
    'invalid',
    `expected --profile with one of ${names.join(', ')}, which all have a key for ${wanted}.`,
  );
}

/**
 * Asks for a key in the terminal, without showing it. Returns an empty text if the input ends. Throws `Interrupted` on
 * Ctrl-C.
 */
async function askKey(): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write('Key: ');
  let isInterrupted = false;
  lines.once('SIGINT', () => {
    isInterrupted = true;
    lines.close();
  });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  process.stderr.write('\n');
  if (isInterrupted) throw new Interrupted('The prompt was interrupted.');
  return String(line ?? '').trim();
}
