import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import type { ScrubLine, SystemStore } from '../../catalog/system/system-store.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { SystemModel } from '../models/system.ts';
import { NoParams } from '../read-params.ts';

type Deps = { system: SystemStore; storage: Storage; version: string };

/** Not part of the hosted API. */
export const getSystem = defineOperation({
  name: 'getSystem',
  method: 'GET',
  path: '/system',
  description:
    'Returns versions, sizes, free space, load and memory of the machine, the encode queue by kind, the speed and ' +
    'the failures of encoders, active workers, running encodes, the scrub, the latest backup, and the remaining ' +
    'objects of a storage move.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  answer: SystemModel,
  errorShape: 'core',
  async run(_, { system, storage, version }: Deps) {
    const [view, space] = await Promise.all([system.load(), storage.space()]);
    return {
      Version: version,
      NodeVersion: process.versions.node,
      DatabaseVersion: view.databaseVersion,
      DatabaseBytes: view.databaseBytes,
      Libraries: view.libraries,
      Videos: view.videos,
      TrashedVideos: view.trashed,
      StoredBytes: view.storedBytes,
      Storage: storage.kind,
      FreeBytes: space?.freeBytes ?? null,
      TotalBytes: space?.totalBytes ?? null,
      Host: describeHost(),
      EncodeSpeed: view.recent.encodeSpeed,
      FailuresLastDay: view.recent.failures,
      Queue: view.queue.map((line) => ({
        Queue: line.queue,
        Kind: line.kind,
        Waiting: line.waiting,
        Running: line.running,
        Failed: line.failed,
        OldestAt: line.oldestAt && wireTime(line.oldestAt),
      })),
      Workers: view.workers.map(({ owner, tasks, kinds, leaseUntil }) => ({
        Owner: owner,
        Tasks: tasks,
        Kinds: kinds,
        LeaseUntil: leaseUntil && wireTime(leaseUntil),
      })),
      Encodes: view.encodes.map((line) => ({
        LibraryId: line.libraryId,
        VideoId: line.mediaId,
        Title: line.title,
        Planned: line.isPlanned,
        Percent: line.percent,
        Running: line.runningTasks,
        Since: wireTime(line.since),
      })),
      Scrub: view.scrub && describeScrub(view.scrub),
      Move: view.move && {
        ObjectsLeft: view.move.objects,
        BytesLeft: view.move.bytes,
        UploadsLeft: view.move.uploads,
        NotedAt: wireTime(view.move.notedAt),
      },
      Backup: view.backup && {
        MadeAt: wireTime(view.backup.madeAt),
        Objects: view.backup.objects,
        Bytes: view.backup.bytes,
        Place: view.backup.place,
      },
    };
  },
});

function describeHost() {
  return {
    Cores: availableParallelism(),
    LoadAverage: loadavg()[0] ?? 0,
    MemoryBytes: totalmem(),
    FreeMemoryBytes: freemem(),
  };
}

function describeScrub({ roundBeganAt, seen, bytes, damaged, unread }: ScrubLine) {
  return {
    RoundBeganAt: wireTime(roundBeganAt),
    Objects: seen,
    Bytes: bytes,
    Damaged: damaged,
    Unread: unread,
  };
}
