import type { KeyStore } from '../../catalog/keys/key-store.ts';
import { defineOperation } from '../define-operation.ts';
import { KeyParams } from './key-model.ts';

/** Not part of the hosted API: revokes an additional key, everywhere within 2 s. */
export const deleteKey = defineOperation({
  name: 'deleteKey',
  method: 'DELETE',
  path: '/videolibrary/{id}/keys/{keyId}',
  description: 'Deletes an additional key of a library permanently.',
  auth: 'account-key',
  permission: 'library.manage',
  params: KeyParams,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id, keyId } }, { keys }: { keys: KeyStore }) {
    await keys.revoke(id, keyId);
    return null;
  },
});
