import type { FlvTag } from '../flv/flv-tag.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';

/** One of the two publishers of a stream. The backup's media is used while the primary sends none. */
export type Slot = 'primary' | 'backup';

/**
 * A publisher that connects. `disconnect` closes its connection immediately, and sends the reason if the protocol
 * supports it.
 */
export type PublishRequest = {
  streamKey: string;
  slot: Slot;
  protocol: string;
  remote: string;
  disconnect(reason: string): void;
};

/** Side that ended the connection of a publisher. */
export type EndedBy = 'publisher' | 'server';

/** Reason given to a publisher that the server disconnects after 15 s without data. */
export const NO_DATA = 'No usable audio or video arrived for 15 s. Check the encoder and its connection.';

/** Reason given to a publisher whose media made a parser fail. */
export const UNREADABLE = 'The media could not be processed. Check the settings of the encoder and restart it.';

/**
 * Receives the media of an accepted publisher. `relay` receives it unchanged if the protocol carries FLV. `end` is
 * called once, at the end of the connection. The status of the stream shows the reason if the server ended it.
 */
export type MediaInput = {
  push(event: LiveEvent, wireBytes: number): void;
  /**
   * Announces audio that has not arrived yet, with its probable parameters. The stream gets a silent track with them
   * until the audio arrives.
   */
  expect?(config: TrackConfig): void;
  relay(tag: FlvTag): void;
  /** Reports that a part of the media is not shown. `reason` is a human-readable message. May be called repeatedly. */
  leaveOut(reason: string): void;
  end(reason: string, by: EndedBy): void;
};

/** Accepts a publisher by its stream key. Throws `Refused` if the publisher is not accepted. */
export type Publish = (request: PublishRequest) => Promise<MediaInput>;
