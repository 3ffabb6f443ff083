import type { FlvTag } from '../flv/flv-tag.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';

/** One of a stream's two publishers. The backup's media is used while the primary has none. */
export type Slot = 'primary' | 'backup';

/** A connecting publisher. `disconnect` ends its connection at once, with the reason if the protocol supports it. */
export type PublishRequest = {
  streamKey: string;
  slot: Slot;
  protocol: string;
  remote: string;
  disconnect(reason: string): void;
};

/**
 * Receives an accepted publisher's media. `relay` receives it unchanged, if the protocol carries FLV. `end` is called
 * once, at the end of the connection.
 */
export type MediaInput = {
  push(event: LiveEvent, wireBytes: number): void;
  /**
   * Announces sound that has sent nothing yet, with the parameters that it is likely to have: the stream has a track of
   * it, silent until it comes.
   */
  expect?(config: TrackConfig): void;
  relay(tag: FlvTag): void;
  /** Reports that a part of the media is not shown. `reason` is for people. May be repeated. */
  leaveOut(reason: string): void;
  end(reason: string): void;
};

/** Decides by the stream key whether a publisher is accepted. Throws `Refused` if not. */
export type Publish = (request: PublishRequest) => Promise<MediaInput>;
