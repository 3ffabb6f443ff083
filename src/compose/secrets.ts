import { readFile } from 'node:fs/promises';
import type { Database } from '../catalog/db.ts';
import { keepListening } from '../catalog/listen-store.ts';
import { keysDuring } from '../catalog/system/secret-rotation.ts';
import {
  loadRotation,
  loadSecretKeys,
  opensSecrets,
  ROTATION_CHANNEL,
} from '../catalog/system/secret-rotation-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { SECRET_KEY_BYTES, secretKeyId } from '../lib/secret-box.ts';
import { SecretRing } from '../lib/secret-ring.ts';

/** Ids of the keys of a process: `configuredId` in its setting or file, `ids` in use. The first one seals. */
export type KeyReport = { configuredId: string; ids: string[] };

/** The secret keys of a role, which follow a rotation. */
export type RoleSecrets = {
  ring: SecretRing;
  /** Reads the rotation again, and returns the keys now in use. */
  refresh(): Promise<KeyReport>;
  /** A sentence about a rotation that is not finished, or null if there is none. */
  problem(): string | null;
  close(): Promise<void>;
};

type Keys = Pick<RoleSettings, 'secretKey' | 'secretKeyFile'>;

/** Opens the secret keys of a role. `read` is called with the keys after each change of the rotation. */
export async function openSecrets(
  keys: Keys,
  { db, pool }: Database,
  read: (report: KeyReport) => Promise<unknown>,
): Promise<RoleSecrets> {
  const ring = new SecretRing(...(await loadSecretKeys(db, keys.secretKey)));
  let problem: string | null = null;
  const refresh = async (): Promise<KeyReport> => {
    const configured = await readConfigured(keys);
    const rotation = await loadRotation(db);
    problem = rotation === null ? null : describeRotation(rotation);
    const [current] = ring.keys;
    const next = keysDuring(rotation, current) ?? keysDuring(rotation, configured);
    if (next === null) logEvent('secret-key.unknown', { name: secretKeyId(current) });
    else if (idsOf(next).join() !== idsOf(ring.keys).join()) {
      ring.replace(next);
      logEvent('secret-key.changed', { name: secretKeyId(next[0]), count: next.length });
    }
    await adoptConfigured(configured, rotation === null);
    return { configuredId: secretKeyId(configured), ids: idsOf(ring.keys) };
  };
  /** Uses the key in the file if this process missed a whole rotation. */
  const adoptConfigured = async (configured: Uint8Array, isSettled: boolean) => {
    if (!isSettled || secretKeyId(configured) === secretKeyId(ring.keys[0])) return;
    if ((await opensSecrets(db, ring.keys[0])) || !(await opensSecrets(db, configured))) return;
    ring.replace([configured]);
    logEvent('secret-key.changed', { name: secretKeyId(configured), count: 1 });
  };
  // One at a time, so that an earlier reading never replaces a later one.
  let last: Promise<unknown> = Promise.resolve();
  const refreshInTurn = () => {
    const next = last.then(refresh, refresh);
    last = next.catch(() => undefined);
    return next;
  };
  const onError = (err: unknown) => logEvent('secret-key.unread', { err });
  const look = () => void refreshInTurn().then(read).catch(onError);
  const listener = keepListening(pool, ROTATION_CHANNEL, { onPayload: look, onConnected: look, onError });
  return { ring, refresh: refreshInTurn, problem: () => problem, close: () => listener.close() };
}

function describeRotation({ oldId, newId, stage }: { oldId: string; newId: string; stage: string }): string {
  return `the rotation from key ${oldId} to ${newId} is not finished (${stage}): run "millrace secret rotate"`;
}

function idsOf(keys: readonly Uint8Array[]): string[] {
  return keys.map((key) => secretKeyId(key));
}

/** Reads the key file again, because a rotation replaces it while the service runs. */
async function readConfigured({ secretKey, secretKeyFile }: Keys): Promise<Uint8Array> {
  if (secretKeyFile === null) return secretKey;
  const found = await readFile(secretKeyFile).catch((err: unknown) => {
    logEvent('secret-key.unread', { err });
    return null;
  });
  return found?.byteLength === SECRET_KEY_BYTES ? found : secretKey;
}
