import type { StorageKey } from '../../ports/storage.ts';

/** Bytes `start` (inclusive) to `end` (exclusive). */
export type Slice = { start: number; end: number };

/** Bytes `start` to `start + sizeBytes` of a stored object. `version` changes whenever the bytes do. */
export type ObjectWindow = { key: StorageKey; version: string; start: number; sizeBytes: number };

/** Bytes `start` (inclusive) to `end` (exclusive) of a stored object. */
export type ObjectPart = { key: StorageKey; start: number; end: number };

/** A part of a response: bytes in memory or stored bytes. */
export type Part = { bytes: Buffer } | ObjectPart;
