import type { FlvTag } from '../flv/flv-tag.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';

/** Which of a stream's two places a publisher takes: the backup's media is used while the primary has none. */
export type Slot = 'primary' | 'backup';

/** A publisher that connects. `disconnect` ends its connection at once, giving the reason where the protocol can. */
export type PublishRequest = {
  streamKey: string;
  slot: Slot;
  protocol: string;
  remote: string;
  disconnect(reason: string): void;
};

/**
 * Where an accepted publisher's media goes. `relay` takes what came as it came, where the protocol carries FLV. `end`
 * is called once, when its connection is over.
 */
export type MediaInput = {
  push(event: LiveEvent, wireBytes: number): void;
  /**
   * Announces sound that has sent nothing yet, with the parameters that it is likely to have: the stream has a track of
   * it, silent until it comes.
   */
  expect?(config: TrackConfig): void;
  relay(tag: FlvTag): void;
  /** Something of what came is not shown; `reason` is for people. May be said again. */
  leaveOut(reason: string): void;
  end(reason: string): void;
};

/** Decides by the stream key whether a publisher is accepted; refuses with `Refused`. */
export type Publish = (request: PublishRequest) => Promise<MediaInput>;
