import { Type } from 'typebox';
import { SECURITY_KEY_LENGTH } from '../../catalog/libraries/library.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { guarded } from '../models/fields.ts';
import { ResetPullZoneSecurityKeyModel } from '../models/pull-zone.ts';
import { idParam } from '../read-params.ts';
import { queryInt32 } from '../read-query.ts';

const MAX_OVERLAP_SEC = 30 * 24 * 3600;

/** The parameter `overlapSec` is not part of the hosted API. It is the time for which the old key also stays valid. */
export const resetSecurityKey = defineOperation({
  name: 'resetSecurityKey',
  summary: 'Replace the token key',
  method: 'POST',
  path: '/pullzone/{id}/resetSecurityKey',
  description:
    'Replaces the token key of a pull zone with a random key, or with the key in the body. With `overlapSec`, ' +
    'tokens signed with the old key stay valid for that time; otherwise they become invalid immediately.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  query: Type.Object({ overlapSec: guarded('protects', queryInt32(0, 0, MAX_OVERLAP_SEC)) }),
  body: ResetPullZoneSecurityKeyModel,
  bodyPresence: 'optional',
  answer: null,
  answerStatus: 204,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run(
    { params, query: { overlapSec }, body: { SecurityKey: key } },
    { pullZones }: { pullZones: PullZoneStore },
  ) {
    const { min, max } = SECURITY_KEY_LENGTH;
    if (key != null && (key.length < min || key.length > max)) {
      throw new Refused(
        'invalid',
        `Expected a SecurityKey of ${min} to ${max} characters, got ${key.length}. Send a different key, or none to ` +
          'have one generated.',
      );
    }
    await pullZones.resetSecurityKey(params.id, key ?? null, overlapSec);
    return null;
  },
});
