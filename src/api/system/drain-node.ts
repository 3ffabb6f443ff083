import { Type } from 'typebox';
import type { SystemStore } from '../../catalog/system/system-store.ts';
import { defineOperation } from '../define-operation.ts';
import { guarded } from '../models/fields.ts';
import { guidParam } from '../read-params.ts';
import { queryFlag } from '../read-query.ts';

/** Not part of the hosted API. */
export const drainNode = defineOperation({
  name: 'drainNode',
  method: 'POST',
  path: '/system/nodes/{nodeId}/drain',
  description:
    'Asks a process to finish or return its work and to exit. It learns of it within 10 s and stays in the list ' +
    'of nodes, draining, until it has exited. An ingest process moves its live streams to another one.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ nodeId: guidParam('process') }),
  query: Type.Object({ force: guarded('destroys', queryFlag(false)) }),
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404, conflict: 409 },
  errorShape: 'core',
  async run({ params: { nodeId }, query }, { system }: { system: SystemStore }) {
    await system.requestDrain(nodeId, { isForced: query.force });
    return null;
  },
});
