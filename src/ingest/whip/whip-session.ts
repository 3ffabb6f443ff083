import { randomBytes } from 'node:crypto';
import { Refused } from '../../lib/refused.ts';
import { BrokenMedia } from '../../media/bmff/broken-media.ts';
import { type EndedBy, type MediaInput, NO_DATA, UNREADABLE } from '../../media/live/publishing/publisher.ts';
import { type EncoderBudget, PublisherMedia } from '../../media/live/publishing/run-publisher-media.ts';
import { usualAacConfig } from '../../media/live/tracks/aac-config.ts';
import { OPUS_CHANNELS, RtpReceiver } from '../../media/rtp/rtp-receiver.ts';
import { type LeftOutMedia, type Offer, readOffer } from '../../media/rtp/sdp-offer.ts';
import type { OpenPeer, Peer } from './peer.ts';

/** Maximum time of a session before its first media, in ms. `SILENT_MS` limits later gaps. */
const CONNECT_MS = 10_000;
const SILENT_MS = 15_000;
const NO_MEDIA = 'No usable audio or video arrived within 10 s. Check the sources of the encoder.';
const FEEDBACK_EVERY_MS = 100;
const MAX_FAULTS = 100;
/** Start bitrate in the SDP answer. Without it, browsers start with 0.3 Mbit/s and a small picture. */
const START_KBPS = 2_500;

type Deps = { open: OpenPeer; budget: EncoderBudget; report(error: Error): void };

/** A WHIP publisher, from its offer until it disconnects. */
export class WhipSession {
  readonly id = randomBytes(16).toString('hex');
  readonly etag = `"${randomBytes(8).toString('hex')}"`;
  readonly #deps: Deps;
  readonly #receiver: RtpReceiver;
  readonly #leftOut: readonly LeftOutMedia[];
  readonly #abort = new AbortController();
  readonly #closed: () => void;
  readonly #hasSound: boolean;
  #media: PublisherMedia | null = null;
  #peer: Peer | null = null;
  #deadline: NodeJS.Timeout;
  #feedback: NodeJS.Timeout;
  #faults = 0;
  #ended: { reason: string; by: EndedBy } | null = null;

  private constructor({ tracks, leftOut }: Offer, deps: Deps, closed: () => void) {
    this.#receiver = new RtpReceiver(tracks);
    this.#leftOut = leftOut;
    this.#hasSound = tracks.some(({ kind }) => kind === 'audio');
    this.#deps = deps;
    this.#closed = closed;
    this.#deadline = setTimeout(() => this.end(NO_MEDIA, 'server'), CONNECT_MS);
    this.#feedback = setInterval(() => this.#sendFeedback(), FEEDBACK_EVERY_MS);
  }

  /**
   * Starts a session and returns the answer to an SDP offer. Throws `BrokenMedia` or `Refused` if the offer is not
   * acceptable. `closed` is called once at the end.
   */
  static async start(sdp: string, deps: Deps, closed: () => void): Promise<{ session: WhipSession; answer: string }> {
    const offer = readOffer(sdp);
    const session = new WhipSession(offer, deps, closed);
    try {
      const events = {
        message: (bytes: Buffer) => session.#take(bytes),
        connected: () => undefined,
        closed: (reason: string) => session.end(reason, 'publisher'),
      };
      session.#peer = await deps.open(offer.sdp, events, session.#abort.signal);
      if (session.#ended !== null) {
        session.#peer.close();
        throw new Refused('unavailable', 'The session ended before the SDP answer was ready. Send the offer again.');
      }
      return { session, answer: withoutRejected(withStartBitrate(session.#peer.answer), offer.leftOut) };
    } catch (error) {
      session.end('the offer could not be processed', 'server');
      throw error;
    }
  }

  /** Sets the destination of the media from now on. Media that arrived earlier was dropped. */
  attach(input: MediaInput): void {
    const media = new PublisherMedia(input, this.#deps);
    for (const { reason } of this.#leftOut) media.leaveOut(reason);
    if (this.#hasSound) media.expect(usualAacConfig(OPUS_CHANNELS));
    if (this.#ended !== null) media.end(this.#ended.reason, this.#ended.by);
    else this.#media = media;
  }

  addCandidate(candidate: string, mid: string): void {
    this.#peer?.addCandidate(candidate, mid);
  }

  end(reason: string, by: EndedBy): void {
    if (this.#ended !== null) return;
    this.#ended = { reason, by };
    clearTimeout(this.#deadline);
    clearInterval(this.#feedback);
    this.#abort.abort(new Error(reason));
    this.#media?.end(reason, by);
    this.#peer?.close();
    this.#closed();
  }

  #take(bytes: Buffer): void {
    if (this.#ended !== null || this.#media === null) return;
    try {
      const events = this.#receiver.push(bytes, performance.now());
      for (const event of events) this.#media.push(event, event.type === 'unit' ? event.unit.bytes.length : 0);
      if (events.length === 0) return;
      this.#faults = 0;
      clearTimeout(this.#deadline);
      this.#deadline = setTimeout(() => this.end(NO_DATA, 'server'), SILENT_MS);
    } catch (error) {
      if (!(error instanceof BrokenMedia)) {
        this.#fail(error);
        return;
      }
      if (this.#faults === 0) {
        this.#deps.report(error);
        this.#media.leaveOut(`Damaged media is left out. ${error.message}`);
      }
      this.#faults += 1;
      if (this.#faults >= MAX_FAULTS) this.end(error.message, 'server');
    }
  }

  #sendFeedback(): void {
    try {
      for (const message of this.#receiver.feedback(performance.now())) this.#peer?.send(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Disconnects this publisher, and no other, if its packets make a parser throw. */
  #fail(cause: unknown): void {
    this.#deps.report(new Error('Could not process the media of a WHIP publisher, which is disconnected.', { cause }));
    this.end(UNREADABLE, 'server');
  }
}

function withStartBitrate(answer: string): string {
  return answer.replace(/^(a=fmtp:\d+ .*packetization-mode=1.*?)\r?$/gm, `$1;x-google-start-bitrate=${START_KBPS}`);
}

/** Removes rejected media from the bundle group (RFC 8843 section 7.3.3). */
function withoutRejected(answer: string, rejected: readonly LeftOutMedia[]): string {
  const mids = new Set(rejected.map(({ mid }) => mid));
  return answer.replace(/^a=group:(\S+)((?: \S+)*)/gm, (_, name: string, members: string) => {
    return [`a=group:${name}`, ...members.split(' ').filter((mid) => mid !== '' && !mids.has(mid))].join(' ');
  });
}
