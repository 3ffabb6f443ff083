import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Db } from '../catalog/db.ts';
import { resealUntilNone } from '../catalog/system/reseal-store.ts';
import { openRotation, type SecretRotation } from '../catalog/system/secret-rotation.ts';
import {
  advanceRotation,
  announceRotation,
  finishRotation,
  loadNodeKeys,
  loadRotation,
  type NodeKeys,
  opensSecrets,
} from '../catalog/system/secret-rotation-store.ts';
import { loadLastBackup } from '../catalog/system/system-store.ts';
import { wrongSecretKey } from '../compose/first-library.ts';
import type { Settings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';
import { SECRET_KEY_BYTES, secretKeyId, WrongSecretKey } from '../lib/secret-box.ts';
import { PREVIOUS_KEY_FILE, readSecretKey, rotateSecretKey } from '../service/first-start.ts';
import { withDatabase } from './with-store.ts';

const DAY_MS = 24 * 3_600_000;
const PAUSE_MS = 500;
/** Maximum time for all processes to follow a step, in ms. They are notified, and also check every 10 s. */
const FOLLOW_MS = 60_000;
/**
 * Maximum time for the processes of this machine to notice the new key file, and for exited ones to leave the list, in
 * ms.
 */
const NOTICE_MS = 60_000;

const OPTIONS = {
  'new-key-file': { type: 'string' },
  'without-backup': { type: 'boolean', default: false },
} as const;

/**
 * `millrace secret rotate`: replaces the key that seals secrets in the database while the service runs. An
 * interrupted rotation continues with the same command. `millrace secret status`: prints the keys of all processes.
 */
export async function secret(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const [verb, ...more] = positionals;
  if (more.length > 0 || (verb !== 'rotate' && verb !== 'status')) {
    throw new Refused('invalid', `expected "secret rotate" or "secret status", got "secret ${positionals.join(' ')}".`);
  }
  // A table with many secrets takes longer to read than a request may.
  const limits = { limits: { statementMs: 0, lockMs: 10_000, idleTransactionMs: 0 } };
  return await withDatabase(async ({ db }, settings) => {
    if (verb === 'status') return await printStatus(db);
    return await rotate(db, settings, {
      keyFile: values['new-key-file'] ?? null,
      skipsBackup: values['without-backup'],
    });
  }, limits);
}

async function printStatus(db: Db): Promise<number> {
  const rotation = await loadRotation(db);
  if (rotation === null) process.stdout.write('No rotation is in progress.\n');
  else {
    const { oldId, newId, stage, startedAt } = rotation;
    const since = startedAt.toISOString();
    process.stdout.write(`A rotation from key ${oldId} to ${newId} is in progress since ${since}: ${stage}.\n`);
  }
  for (const node of await loadNodeKeys(db)) {
    const configured = node.configuredId ?? 'unknown';
    process.stdout.write(
      `${node.role}@${node.host}: configured ${configured}, uses ${node.ids.join(', ') || 'none'}\n`,
    );
  }
  return 0;
}

type Options = { keyFile: string | null; skipsBackup: boolean };

async function rotate(db: Db, settings: Settings, options: Options): Promise<number> {
  const own = settings.secretKey ?? (await readSecretKey(settings.dataDir));
  if (own === null) {
    throw new Refused(
      'invalid',
      `MILLRACE_SECRET_KEY: expected the key in use, got none, and none in ${settings.dataDir}.`,
    );
  }
  const rotation = (await loadRotation(db)) ?? (await begin(db, { own, settings, options }));
  const both = openRotation(rotation, own);
  if (both === null) throw wrongSecretKey(new WrongSecretKey(null));
  const { newId } = rotation;
  await untilAll(db, `know key ${newId}`, ({ ids }) => ids.includes(newId));
  await advanceRotation(db, newId, 'announced', 'switched');
  await untilAll(db, `seal with key ${newId}`, ({ ids }) => ids[0] === newId);
  await reseal(db, both);
  await advanceRotation(db, newId, 'switched', 'resealed');
  // This machine reads its key from a file, which still contains the old key.
  if (settings.secretKey === null && secretKeyId(own) !== newId) await rotateSecretKey(settings.dataDir, both);
  return await finish(db, rotation, both, settings);
}

type Beginning = { own: Uint8Array; settings: Settings; options: Options };

async function begin(db: Db, { own, settings, options }: Beginning): Promise<SecretRotation> {
  if (!(await opensSecrets(db, own))) throw wrongSecretKey(new WrongSecretKey(null));
  const backup = await loadLastBackup(db);
  if (!options.skipsBackup && (backup === null || backup.madeAt.getTime() < Date.now() - DAY_MS)) {
    throw new Refused(
      'conflict',
      'expected a backup of the last 24 hours. Run "millrace backup FOLDER" first, or add --without-backup.',
    );
  }
  const newKey = await readNewKey(options.keyFile, settings);
  if (secretKeyId(newKey) === secretKeyId(own)) throw new Refused('invalid', 'expected a new key, got the one in use.');
  // A process of an earlier version would keep sealing with the old key.
  await untilAll(db, 'have a version that rotates keys', ({ configuredId }) => configuredId !== null);
  const rotation = await announceRotation(db, own, newKey);
  process.stdout.write(`Rotation from key ${rotation.oldId} to ${rotation.newId}.\n`);
  return rotation;
}

/** Reads the new key, in base64, or generates one if the key of this machine is in its data folder. */
async function readNewKey(file: string | null, settings: Settings): Promise<Uint8Array> {
  if (file === null) {
    if (settings.secretKey === null) return randomBytes(SECRET_KEY_BYTES);
    throw new Refused(
      'invalid',
      'the key of this machine is in MILLRACE_SECRET_KEY, which this command cannot change. Create the new key with ' +
        '"openssl rand -base64 32 > new.key" and run "millrace secret rotate --new-key-file new.key".',
    );
  }
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Refused('invalid', `--new-key-file: could not read ${file}.`, { cause });
  });
  if (/^[A-Za-z0-9+/]{43}=\s*$/.test(text)) return Buffer.from(text.trim(), 'base64');
  throw new Refused(
    'invalid',
    `--new-key-file: expected 32 bytes in base64 in ${file}, got ${text.length} characters.`,
  );
}

/** Waits until all running processes fulfil a condition. Throws `Refused` with those that do not. */
async function untilAll(db: Db, what: string, isGood: (node: NodeKeys) => boolean): Promise<void> {
  const late = await waitForAll(db, isGood, FOLLOW_MS);
  if (late.length === 0) return;
  throw new Refused(
    'unavailable',
    `expected all processes to ${what}, but these do not: ${namesOf(late)}. Check their logs and versions, ` +
      'then run the command again. Nothing is lost: both keys are accepted.',
  );
}

/** Returns the processes that do not fulfil the condition in time. */
async function waitForAll(db: Db, isGood: (node: NodeKeys) => boolean, limitMs: number): Promise<NodeKeys[]> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const late = (await loadNodeKeys(db)).filter((node) => !isGood(node));
    if (late.length === 0 || performance.now() > endMs) return late;
    await sleep(PAUSE_MS);
  }
}

function namesOf(nodes: readonly NodeKeys[]): string {
  return [...new Set(nodes.map(({ role, host, version }) => `${role}@${host} (${version})`))].join(', ');
}

/** Seals all stored secrets with the new key, and prints the result. */
async function reseal(db: Db, keys: BothKeys): Promise<void> {
  const { resealed, unreadable } = await resealUntilNone(db, keys);
  process.stdout.write(`${resealed} secrets were sealed with the new key.\n`);
  for (const [column, count] of unreadable) {
    process.stdout.write(`${column}: neither key opens ${count} values. They stay as they are.\n`);
  }
}

type BothKeys = { oldKey: Uint8Array; newKey: Uint8Array };

/** Ends the rotation once all processes would start with the new key. Until then the old one is accepted. */
async function finish(db: Db, { newId }: SecretRotation, keys: BothKeys, settings: Settings): Promise<number> {
  const late = await waitForAll(
    db,
    ({ configuredId }) => configuredId === newId,
    settings.secretKey === null ? NOTICE_MS : 0,
  );
  const isOwnLate = settings.secretKey !== null && secretKeyId(settings.secretKey) !== newId;
  if (late.length > 0 || isOwnLate) {
    const names = late.length > 0 ? namesOf(late) : 'this machine';
    process.stdout.write(
      `All secrets are sealed with key ${newId}. The old key is still accepted, because these would start with it: ` +
        `${names}. Set MILLRACE_SECRET_KEY to the new key there, restart them one at a time, and run ` +
        '"millrace secret rotate" again.\n',
    );
    return 0;
  }
  await reseal(db, keys);
  await finishRotation(db, newId);
  process.stdout.write(`The rotation is finished. Only key ${newId} is accepted.\n`);
  if (settings.secretKey === null) {
    process.stdout.write(
      `Backups from before need the old key: move ${PREVIOUS_KEY_FILE} in ${settings.dataDir} to them, or delete it.\n`,
    );
  }
  return 0;
}
