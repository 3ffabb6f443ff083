import { type Static, Type } from 'typebox';
import { dateTime, double, flag, int32, int64, model, nullable, text } from './fields.ts';

export const QueueLineModel = model('QueueLineModel', {
  Queue: text(),
  Kind: text(),
  Waiting: int32(),
  Running: int32(),
  Failed: int32(),
  OldestAt: nullable(dateTime()),
});

export const WorkerLineModel = model('WorkerLineModel', {
  Owner: text(),
  Tasks: int32(),
  Kinds: Type.Array(text()),
  LeaseUntil: nullable(dateTime()),
});

/** A video with waiting or running encode tasks. */
export const EncodeLineModel = model('EncodeLineModel', {
  LibraryId: int64(),
  VideoId: text(),
  Title: text(),
  /** True once its file was probed. Before that, its progress is unknown. */
  Planned: flag(),
  /** 0 to 100. */
  Percent: int32(),
  /** Number of running encode tasks. */
  Running: int32(),
  Since: dateTime(),
});

export const ScrubModel = model('ScrubModel', {
  RoundBeganAt: dateTime(),
  Objects: int64(),
  Bytes: int64(),
  Damaged: int64(),
  Unread: int64(),
});

/** Objects that still have to move from the old store. */
export const MoveModel = model('MoveModel', {
  ObjectsLeft: int64(),
  BytesLeft: int64(),
  UploadsLeft: int64(),
  NotedAt: dateTime(),
});

/** The latest complete backup: the time of its snapshot, its number of objects, and its folder. */
export const BackupModel = model('BackupModel', {
  MadeAt: dateTime(),
  Objects: int64(),
  Bytes: int64(),
  Place: text(),
});

/** A live stream that an ingest process receives. */
export const NodeStreamModel = model('NodeStreamModel', {
  LibraryId: int64(),
  StreamId: text(),
  Title: text(),
  /** `primary` or `backup`: the publisher whose media is used. Null while no publisher sends. */
  Publisher: nullable(text()),
});

/** A running process of a role. */
export const NodeModel = model('NodeModel', {
  Id: text(),
  Host: text(),
  /** `api`, `edge`, `worker` or `ingest`. */
  Role: text(),
  Version: text(),
  StartedAt: dateTime(),
  LastSeenAt: dateTime(),
  /** True if it has not reported for 45 s. */
  Lost: flag(),
  /** True once it takes no new work before it exits. */
  Draining: flag(),
  /** True if its version must not use the database. It refuses work. */
  Incompatible: flag(),
  /** CPU use of the process in cores; 1 is one fully used core. */
  CpuCores: double(),
  MemoryBytes: int64(),
  /** Average number of processes on its machine that ran or waited for a core during the last minute. */
  HostLoad: double(),
  HostCores: int32(),
  /** Live streams of an ingest process. */
  Streams: Type.Array(NodeStreamModel),
});
export const NodeList = Type.Array(NodeModel);

/** The machine whose API process sent this response. An installation may have several. */
export const HostModel = model('HostModel', {
  Cores: int32(),
  /** Average number of processes that ran or waited for a core during the last minute. */
  LoadAverage: double(),
  MemoryBytes: int64(),
  FreeMemoryBytes: int64(),
});

/**
 * State of the installation (not part of the hosted API): versions, sizes, the machine, encode queue, workers, scrub,
 * and a move of the store.
 */
export const SystemModel = model('SystemModel', {
  Version: text(),
  NodeVersion: text(),
  DatabaseVersion: text(),
  DatabaseBytes: int64(),
  Libraries: int32(),
  Videos: int64(),
  TrashedVideos: int64(),
  StoredBytes: int64(),
  /** `file` or `s3`. */
  Storage: text(),
  /** Null if the store has no limit. */
  FreeBytes: nullable(int64()),
  TotalBytes: nullable(int64()),
  Host: HostModel,
  /** Seconds of media per second of encoder within the last two hours. Null if no encoder ran. */
  EncodeSpeed: nullable(double()),
  /** Failed attempts of encode tasks within the last 24 hours. */
  FailuresLastDay: int64(),
  Queue: Type.Array(QueueLineModel),
  Workers: Type.Array(WorkerLineModel),
  /** The first twenty: those being encoded, then those that have waited longest. */
  Encodes: Type.Array(EncodeLineModel),
  Scrub: nullable(ScrubModel),
  /** Null while no objects move. */
  Move: nullable(MoveModel),
  /** Null if there was no backup yet. */
  Backup: nullable(BackupModel),
});
export type SystemModel = Static<typeof SystemModel>;

/** All named models of this file. */
export const systemModels = {
  QueueLineModel,
  WorkerLineModel,
  EncodeLineModel,
  BackupModel,
  MoveModel,
  ScrubModel,
  NodeStreamModel,
  NodeModel,
  SystemModel,
};
