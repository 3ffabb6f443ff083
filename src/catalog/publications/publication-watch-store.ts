import type pg from 'pg';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { PUBLICATION_CHANNEL } from '../db.ts';
import { keepListening } from '../listen-store.ts';

/** A media item that was deleted or has a change visible to viewers. */
export type PublicationChange = { libraryId: number; mediaId: Guid; revision: number | 'deleted' };

/** A subscriber. `listening` is called after each connection: changes before it may have been missed. */
export type PublicationListener = {
  change(change: PublicationChange): void;
  /** Called when the rules for a library's viewers have changed. */
  policy?(libraryId: number): void;
  /** Called when a key or session may have lost rights. Only the progress channel reports this. */
  keys?(): void;
  listening(): void;
  lost(error: Error): void;
};

/** The open subscription; `close` ends it. */
export type PublicationWatch = { close(): Promise<void> };

/**
 * Listens for changes of publications, or for notifications of the same form on another channel. Reconnects until it is
 * closed.
 */
export function watchPublications(
  pool: pg.Pool,
  listener: PublicationListener,
  channel = PUBLICATION_CHANNEL,
): PublicationWatch {
  return keepListening(pool, channel, {
    onConnected: () => listener.listening(),
    onError: (error) => listener.lost(error),
    onPayload(payload) {
      const change = readChange(payload);
      if (change !== null) listener.change(change);
      const policy = /^(\d{1,15}):policy$/.exec(payload);
      if (payload === 'keys') listener.keys?.();
      if (policy !== null) listener.policy?.(Number(policy[1]));
    },
  });
}

/** Parses `libraryId:mediaId:revision` or `libraryId:mediaId:deleted`. Returns null for anything else. */
export function readChange(payload: string): PublicationChange | null {
  const [, library = '', media = '', change = ''] =
    /^(\d{1,15}):([0-9a-f-]{36}):(\d{1,15}|deleted)$/.exec(payload) ?? [];
  const mediaId = parseGuid(media);
  if (mediaId === null) return null;
  return { libraryId: Number(library), mediaId, revision: change === 'deleted' ? 'deleted' : Number(change) };
}
