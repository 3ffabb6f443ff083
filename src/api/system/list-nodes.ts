import type { NodeLine, OwnedLine } from '../../catalog/system/node-store.ts';
import type { SystemStore } from '../../catalog/system/system-store.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { NodeList } from '../models/system.ts';
import { NoParams } from '../read-params.ts';

/** Not part of the hosted API. */
export const listNodes = defineOperation({
  name: 'listNodes',
  method: 'GET',
  path: '/system/nodes',
  description:
    'Lists the running processes of all machines with role, version and load, and the live streams that each ' +
    'ingest has. A process that stopped without notice is lost after 45 s, and leaves the list after 10 min.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  answer: NodeList,
  errorShape: 'core',
  async run(_, { system }: { system: SystemStore }) {
    return (await system.loadNodes()).map(toModel);
  },
});

function toModel(node: NodeLine) {
  return {
    Id: node.id,
    Host: node.host,
    Role: node.role,
    Version: node.version,
    StartedAt: wireTime(node.startedAt),
    LastSeenAt: wireTime(node.lastSeenAt),
    Lost: node.isLost,
    Draining: node.isDraining,
    Incompatible: node.isIncompatible,
    CpuCores: node.cpuCores,
    MemoryBytes: node.memoryBytes,
    HostLoad: node.hostLoad,
    HostCores: node.hostCores,
    Streams: node.streams.map(toStream),
  };
}

function toStream({ libraryId, streamId, title, publisher }: OwnedLine) {
  return { LibraryId: libraryId, StreamId: streamId, Title: title, Publisher: publisher };
}
