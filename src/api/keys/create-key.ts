import type { KeyStore } from '../../catalog/keys/key-store.ts';
import { defineOperation } from '../define-operation.ts';
import { CreateAccessKeyModel, NewAccessKeyModel } from '../models/access-key.ts';
import { KeysParams, toKeyModel } from './key-model.ts';

/** Not part of the hosted API: creates an additional key of a library, which is shown once. */
export const createKey = defineOperation({
  name: 'createKey',
  method: 'POST',
  path: '/videolibrary/{id}/keys',
  description: 'Creates an additional key of a library with read or write scope. Only this response contains the key.',
  auth: 'account-key',
  permission: 'library.manage',
  params: KeysParams,
  body: CreateAccessKeyModel,
  answer: NewAccessKeyModel,
  answerStatus: 201,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body }, { keys }: { keys: KeyStore }) {
    const { ExpiresInSec: expiresInSec } = body;
    const made = await keys.create({
      libraryId: id,
      scope: body.Scope,
      label: body.Label ?? '',
      expiresAt: expiresInSec == null ? null : new Date(Date.now() + expiresInSec * 1000),
    });
    return { ...toKeyModel(made), Key: made.key };
  },
});
