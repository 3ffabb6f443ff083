import { createSecretBox, type SecretKeys, secretKeyId } from '../../lib/secret-box.ts';

/**
 * `announced`: every process learns the new key, and still seals with the old one. `switched`: every process seals with
 * the new key, and stored secrets are sealed again. `resealed`: only the new key opens stored secrets.
 */
export type RotationStage = 'announced' | 'switched' | 'resealed';

/**
 * A rotation of the secret key that is not finished. Each key is sealed with the other one, so that a process that was
 * started with either of them gets both.
 */
export type SecretRotation = {
  oldId: string;
  newId: string;
  newKeyWrapped: Buffer;
  oldKeyWrapped: Buffer;
  stage: RotationStage;
  startedAt: Date;
};

/** Returns the fields of a rotation between two keys. */
export function beginRotation(oldKey: Uint8Array, newKey: Uint8Array): Omit<SecretRotation, 'stage' | 'startedAt'> {
  return {
    oldId: secretKeyId(oldKey),
    newId: secretKeyId(newKey),
    newKeyWrapped: createSecretBox(oldKey).seal(toText(newKey)),
    oldKeyWrapped: createSecretBox(newKey).seal(toText(oldKey)),
  };
}

/** Returns both keys of a rotation, from either of them. Returns null for any other key. */
export function openRotation(
  rotation: Omit<SecretRotation, 'stage' | 'startedAt'>,
  key: Uint8Array,
): { oldKey: Uint8Array; newKey: Uint8Array } | null {
  const { oldId, newId, newKeyWrapped, oldKeyWrapped } = rotation;
  const id = secretKeyId(key);
  if (id === oldId) return { oldKey: key, newKey: fromText(createSecretBox(key).open(newKeyWrapped)) };
  if (id === newId) return { oldKey: fromText(createSecretBox(key).open(oldKeyWrapped)), newKey: key };
  return null;
}

/** Returns the keys of a process that has the given key. Null if the rotation is between two others. */
export function keysDuring(rotation: SecretRotation | null, key: Uint8Array): SecretKeys | null {
  if (rotation === null) return [key];
  const both = openRotation(rotation, key);
  if (both === null) return null;
  return rotation.stage === 'announced' ? [both.oldKey, both.newKey] : [both.newKey, both.oldKey];
}

function toText(key: Uint8Array): string {
  return Buffer.from(key).toString('base64');
}

function fromText(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
