import { Type } from 'typebox';
import type { AccessKey } from '../../catalog/keys/access-key.ts';
import type { AccessKeyModel } from '../models/access-key.ts';
import { wireTime } from '../models/answers.ts';
import { guidParam, idParam } from '../read-params.ts';

export const KeysParams = Type.Object({ id: idParam('library') });
export const KeyParams = Type.Object({ ...KeysParams.properties, keyId: guidParam('key') });

/** Converts an additional key of a library to its model, without the secret. */
export function toKeyModel({ id, label, scope, createdAt, expiresAt, lastUsedAt }: AccessKey): AccessKeyModel {
  return {
    Id: id,
    Label: label,
    Scope: scope,
    DateCreated: wireTime(createdAt),
    DateExpires: expiresAt && wireTime(expiresAt),
    DateLastUsed: lastUsedAt && wireTime(lastUsedAt),
  };
}
