import type { KeyStore } from '../../catalog/keys/key-store.ts';
import { defineOperation } from '../define-operation.ts';
import { AccessKeyList } from '../models/access-key.ts';
import { KeysParams, toKeyModel } from './key-model.ts';

/** Not part of the hosted API. */
export const listKeys = defineOperation({
  name: 'listKeys',
  method: 'GET',
  path: '/videolibrary/{id}/keys',
  description: 'Lists the additional keys of a library. Their secrets are not returned: only hashes are stored.',
  auth: 'account-key',
  permission: 'library.manage',
  params: KeysParams,
  answer: AccessKeyList,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params }, { keys }: { keys: KeyStore }) {
    return (await keys.list(params.id)).map(toKeyModel);
  },
});
