import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import type { LiveState } from '../../catalog/live/live-stream.ts';
import { loadLastPeriod } from '../../catalog/live/publishing/period-store.ts';
import type { MediaReport, OwnedStream as Renewed } from '../../catalog/live/publishing/publish-store.ts';
import { sealOwned } from '../../catalog/live/recording/seal-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { PeriodTracks } from '../../media/live/packaging/stream-packager.ts';
import { writeFeedFrame } from '../../media/live/playlist/feed-message.ts';
import { usualAacConfig } from '../../media/live/tracks/aac-config.ts';
import type { LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { LeftOutReasons } from '../../media/live/tracks/left-out.ts';
import { DroppedPublishers } from './dropped-publishers.ts';
import type { FeedSubscribers } from './feed-subscribers.ts';
import { HeldMedia } from './held-media.ts';
import { logIdle, logTakenOver } from './live-lines.ts';
import { finishMedia, type LivePublisher } from './live-publisher.ts';
import type { PeriodWriter } from './period-writer.ts';
import {
  type Before,
  CannotEncrypt,
  fitsPeriod,
  type StartDeps,
  type StreamFacts,
  startPeriod,
  tracksIn,
} from './start-period.ts';

export type StreamDeps = Omit<StartDeps, 'broadcast' | 'lost'> & { subscribers: FeedSubscribers };

/** Reason given to a publisher whose stream or slot was taken. */
const REPLACED = 'Another publisher with the same key took over.';
/** Maximum size in bytes of media that is held until a period is opened or a second track arrives. */
const MAX_HELD_BYTES = 16 * 2 ** 20;
/**
 * Use of a stream by its publishers. `silent`: there is none. `live`: the media of one is published, others are its
 * backup. `lost`: another process owns the stream, or it was deleted; it is never used again.
 */
type Stage =
  | { kind: 'silent'; sinceMs: number }
  | { kind: 'connected' }
  | { kind: 'live'; publisher: LivePublisher }
  | { kind: 'lost' };

/** Maximum wait of a stream that moves to another process for the store, in ms. */
const HAND_OVER_MS = 3_000;

/** Time without media from the primary publisher after which a backup takes over, in ms. */
const SILENT_MS = 2_000;

/**
 * A stream that this process owns: its publishers, the period being written, and the edges that watch it. It outlives
 * its publishers. A publisher that reconnects with unchanged parameters continues the same period.
 */
export class OwnedStream {
  readonly lease: LiveLease;
  readonly #deps: StreamDeps;
  readonly #held = new HeldMedia(MAX_HELD_BYTES);
  readonly #reasonsOfPast = new LeftOutReasons();
  readonly #dropped = new DroppedPublishers();
  /** State of the stream, as in its row. */
  #state: LiveState;
  #stage: Stage = { kind: 'silent', sinceMs: Date.now() };
  #publishers: readonly LivePublisher[] = [];
  #before: Before = { period: null, isRecovered: false };
  #writers: readonly PeriodWriter[] = [];
  #isOpening = false;
  /** Audio parameters of the newest period. A publisher that returns without audio gets a silent track with them. */
  #audio: TrackConfig | null = null;
  #isLeaving = false;
  #session: number | null = null;

  constructor(lease: LiveLease, state: LiveState, deps: StreamDeps) {
    this.lease = lease;
    this.#state = state;
    this.#deps = deps;
  }

  /**
   * Loads the state of the stream before the first publisher is admitted. Unless `isRecovered`, another node may have
   * sent media that is not stored, and its segment numbers must not be reused.
   */
  async load({ isRecovered }: Pick<Before, 'isRecovered'>): Promise<void> {
    this.#before = { period: await loadLastPeriod(this.#deps.db, this.lease.key), isRecovered };
    if (this.#before.period?.renditions.some(({ kind }) => kind === 'audio')) this.#audio = usualAacConfig(2);
    await this.#deps.journal.openStream(this.lease.key.mediaId);
  }

  get isLost(): boolean {
    return this.#stage.kind === 'lost';
  }

  /** Time of the last disconnection, in ms since 1970. Null if a publisher is connected or the stream is lost. */
  get silentSinceMs(): number | null {
    return this.#stage.kind === 'silent' ? this.#stage.sinceMs : null;
  }

  get publishers(): readonly LivePublisher[] {
    return this.#publishers;
  }

  /** Adds an accepted publisher and disconnects the previous one in the same slot. */
  add(publisher: LivePublisher): void {
    if (this.#stage.kind === 'lost') {
      publisher.disconnect(REPLACED);
      return;
    }
    const before = this.#publishers.filter(({ slot }) => slot === publisher.slot);
    this.#publishers = [...this.#publishers.filter(({ slot }) => slot !== publisher.slot), publisher];
    for (const old of before) logTakenOver(this.lease.key, old);
    for (const old of before) this.#drop(old, REPLACED);
    this.#dropped.forget(publisher);
    this.#session = publisher.session;
    if (this.#audio !== null) publisher.expect(this.#audio);
    if (this.#stage.kind === 'silent') this.#stage = { kind: 'connected' };
    this.#deps.subscribers.send(writeFeedFrame({ type: 'publisher', isConnected: true }));
  }

  /** `dropped`: why this process ended the connection, or null if the publisher did. */
  remove(publisher: LivePublisher, dropped: string | null): void {
    this.#publishers = this.#publishers.filter((one) => one !== publisher);
    const isReplaced = this.#publishers.some(({ slot }) => slot === publisher.slot);
    if (!isReplaced) this.#dropped.note(publisher, dropped);
    for (const reason of publisher.leftOut.all) this.#reasonsOfPast.add(reason);
    if (this.#active === publisher) this.#endRun();
    // Edges may already watch the stream at its next owner.
    if (this.#publishers.length > 0 || this.#stage.kind === 'lost') return;
    this.#stage = { kind: 'silent', sinceMs: Date.now() };
    this.#deps.subscribers.send(writeFeedFrame({ type: 'publisher', isConnected: false }));
  }

  /** Processes media from a publisher. */
  push(publisher: LivePublisher, event: LiveEvent, wireBytes: number): void {
    const isChanged = publisher.note(event, wireBytes);
    if (this.#isLeaving || !this.#publishers.includes(publisher)) return;
    if (publisher !== this.#active && !this.#mayActivate(publisher)) return;
    if (isChanged) this.#endRun(publisher);
    const unit = event.type === 'config' ? null : publisher.shown(event.unit);
    if (unit === null) return;
    this.#held.add(unit, Date.now());
    if (!this.#isOpening && publisher.tracks !== null) this.#drain(publisher.tracks);
  }

  /** Returns the report that is stored when the lease is renewed. */
  report(nowMs: number): MediaReport {
    for (const publisher of this.#publishers) logIdle(this.lease.key, publisher, nowMs);
    const at = (slot: string) => this.#publishers.find((one) => one.slot === slot)?.lastMediaMs ?? null;
    const samples = this.#publishers.map((one) => ({ one, sample: one.meter.sample(nowMs) }));
    const bitrate = samples.find(({ one }) => one === this.#active)?.sample ?? null;
    const { key, epoch } = this.lease;
    const shown = this.#active ?? this.#publishers[0] ?? null;
    const ladder = this.#dropped.explain(this.#writers.at(-1)?.ladder ?? null, shown);
    const media = { session: this.#session, primaryMediaAtMs: at('primary'), backupMediaAtMs: at('backup') };
    const relays = this.#publishers.flatMap((one) => one.relayStates());
    return { streamId: key.mediaId, epoch, ...media, bitrate, ladder, relays };
  }

  /** Applies the state in the stream's row. Returns true if the stream has ended and must be finished. */
  renewed({ state, kickedSession }: Renewed): boolean {
    this.#state = state;
    for (const publisher of this.#publishers) {
      if (publisher.session <= kickedSession) this.#drop(publisher, 'The key of the stream was replaced.');
    }
    const hasEnded = state === 'ended' || state === 'vod-processing' || state === 'error';
    if (hasEnded) this.#dropAll('The stream has ended.');
    return hasEnded;
  }

  /** Stops publishing, because another process owns the stream or the stream was deleted. */
  lose(): void {
    this.#dropAll(REPLACED);
    this.#stage = { kind: 'lost' };
    this.#deps.subscribers.end();
  }

  /** Stores the remaining segments of an ended stream, creates its video, and closes the feeds. */
  async finish(): Promise<void> {
    this.#endRun();
    for (const writer of this.#writers) await writer.settled();
    await sealOwned(this.#deps.db, this.lease, this.#reasonsOfPast.all);
    this.#deps.subscribers.send(writeFeedFrame({ type: 'end' }));
    this.#deps.subscribers.end();
    await this.#deps.journal.forgetStream(this.lease.key.mediaId);
  }

  /**
   * Stores the media received so far, then disconnects the publishers, so that they connect to another process, which
   * continues after the last stored segment. Media that arrives during the wait is dropped.
   */
  async #handOver(reason: string): Promise<void> {
    this.#isLeaving = true;
    this.#endRun();
    const settled = Promise.all(this.#writers.map((writer) => writer.settled()));
    const limit = sleep(HAND_OVER_MS, undefined, { ref: false });
    await Promise.race([settled, limit]).finally(() => this.#dropAll(reason));
  }

  /** Stores open segments before the process exits. `handOver`: reason for publishers to use another process. */
  async finalize(handOver?: string): Promise<void> {
    await finishMedia(this.#publishers);
    if (handOver !== undefined) return await this.#handOver(handOver);
    this.#dropAll('The server is restarting.');
    this.#endRun();
    for (const writer of this.#writers) await writer.settled();
  }

  /** Returns all feed frames that a new edge needs. */
  snapshot(): Buffer[] {
    const frames = this.#writers.flatMap((writer) => writer.snapshot());
    const isConnected = this.#publishers.length > 0;
    // The publisher frame is first: an edge keeps the last segment open only while a publisher is connected.
    return [...writeFeedFrame({ type: 'publisher', isConnected }), ...frames, ...writeFeedFrame({ type: 'snapshot' })];
  }

  get #active(): LivePublisher | null {
    return this.#stage.kind === 'live' ? this.#stage.publisher : null;
  }

  #mayActivate(publisher: LivePublisher): boolean {
    const active = this.#active;
    const isSilent = active === null || Date.now() - (active.lastMediaMs ?? 0) > SILENT_MS;
    const isPreferred = publisher.slot === 'primary' && active?.slot === 'backup' && publisher.tracks !== null;
    if (!isSilent && !isPreferred) return false;
    this.#endRun(publisher);
    return true;
  }

  /** Ends the media of the active publisher. The media of `next` follows, if any. */
  #endRun(next: LivePublisher | null = null): void {
    if (next !== null) this.#stage = { kind: 'live', publisher: next };
    else if (this.#stage.kind === 'live') this.#stage = { kind: 'connected' };
    this.#held.clear();
    this.#writers.at(-1)?.flush();
  }

  #drain(tracks: PeriodTracks): void {
    for (let next = this.#held.first; next !== null; next = this.#held.first) {
      const { unit } = next;
      const isStart = tracks.video === null || (unit.kind === 'video' && unit.isKey);
      const writer = this.#writers.at(-1);
      if (isStart && (writer === undefined || !fitsPeriod(writer.period, tracksIn(writer, tracks), this.#state))) {
        this.#open(tracks);
        return;
      }
      this.#held.dropFirst();
      writer?.push(unit, tracks.video === null);
    }
  }

  /** Opens the next period. Holds media until it is open. */
  #open(tracks: PeriodTracks): void {
    this.#isOpening = true;
    if (tracks.audio !== null) this.#audio = tracks.audio.silence === null ? usualAacConfig(2) : tracks.audio;
    // Audio encoded before the period was opened may be behind video frames with the same time.
    this.#held.sortByTime();
    this.#writers.at(-1)?.flush();
    startPeriod(this.#facts(), tracks, this.#periodDeps())
      .then((writer) => {
        this.#writers = [...this.#writers.filter((one) => !one.isStored), writer];
        this.#deps.subscribers.send(writer.snapshot());
      })
      .catch((error: Error) => {
        this.#held.clear();
        if (error instanceof CannotEncrypt && this.#active !== null) {
          this.#drop(this.#active, error.message);
          return;
        }
        // A deleted stream, whose publisher the next renewal disconnects.
        if (error instanceof Refused && error.kind === 'not-found') return;
        // The next keyframe triggers another attempt.
        this.#deps.report(
          new Error(`A period of stream ${this.lease.key.mediaId} could not be opened.`, { cause: error }),
        );
      })
      .finally(() => {
        this.#isOpening = false;
        const active = this.#active?.tracks ?? null;
        if (active !== null) this.#drain(active);
      });
  }

  #facts(): StreamFacts {
    const now = () => ({ state: this.#state, startMs: this.#held.first?.atMs ?? Date.now() });
    return { lease: this.lease, before: this.#before, writer: this.#writers.at(-1) ?? null, now };
  }

  #periodDeps(): StartDeps {
    const { subscribers, ...deps } = this.#deps;
    return { ...deps, broadcast: (frame: Buffer[]) => subscribers.send(frame), lost: () => this.lose() };
  }

  #drop(publisher: LivePublisher, reason: string): void {
    this.remove(publisher, reason);
    publisher.disconnect(reason);
  }

  #dropAll(reason: string): void {
    for (const publisher of this.#publishers) this.#drop(publisher, reason);
  }
}
