import type { MediaKey } from '../../catalog/db.ts';
import { loadLibrary } from '../../catalog/libraries/read-library-store.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import type { LadderState, LiveState } from '../../catalog/live/live-stream.ts';
import {
  loadLastPeriod,
  type OpenPeriod,
  openPeriod,
  type Period,
} from '../../catalog/live/publishing/period-store.ts';
import type { MediaReport, OwnedStream as Renewed } from '../../catalog/live/publishing/publish-store.ts';
import { sealOwned } from '../../catalog/live/recording/seal-store.ts';
import { readEncodeSettings } from '../../jobs/planning/encode-settings.ts';
import { type LiveLadder, planLiveLadder } from '../../media/live/ladder/ladder-plan.ts';
import { type PeriodTracks, parametersOf } from '../../media/live/packaging/stream-packager.ts';
import { writeFeedFrame } from '../../media/live/playlist/feed-message.ts';
import type { AccessUnit, LiveEvent } from '../../media/live/tracks/access-unit.ts';
import { LeftOutReasons } from '../../media/live/tracks/left-out.ts';
import { isH264Entry } from '../../media/live/tracks/sample-entry.ts';
import type { FeedSubscribers } from './feed-subscribers.ts';
import type { LivePublisher } from './live-publisher.ts';
import { periodRenditionOf } from './period-rendition.ts';
import { type PeriodDeps, PeriodWriter } from './period-writer.ts';

export type StreamDeps = Omit<PeriodDeps, 'broadcast' | 'lost'> & {
  subscribers: FeedSubscribers;
  /**
   * Creates the keys of a stream, before its first media, if its library encrypts samples. Resolves with whether the
   * stream has such keys.
   */
  protect(key: MediaKey): Promise<boolean>;
};

/** Thrown if a publisher's video cannot be encrypted as its library requires. The publisher is disconnected. */
class CannotEncrypt extends Error {}

/** Maximum bytes of media that wait until a period is opened or a second track arrives. */
const MAX_HELD_BYTES = 16 * 2 ** 20;
/** Time without media from the primary after which a backup takes over, in ms. */
const SILENT_MS = 2_000;

/**
 * A stream that this process owns: its publishers, the period being written, and the edges that watch it. It outlives
 * its publishers. A publisher that reconnects with unchanged parameters continues the same period.
 */
export class OwnedStream {
  readonly lease: LiveLease;
  readonly #deps: StreamDeps;
  readonly #reasonsOfPast = new LeftOutReasons();
  #state: LiveState;
  #publishers: LivePublisher[] = [];
  #active: LivePublisher | null = null;
  #writers: PeriodWriter[] = [];
  #last: OpenPeriod | null = null;
  #held: { unit: AccessUnit; bytes: number; atMs: number }[] = [];
  #heldBytes = 0;
  #isOpening = false;
  #isLost = false;
  #mayGoOn = false;
  silentSinceMs = Date.now();

  constructor(lease: LiveLease, state: LiveState, deps: StreamDeps) {
    this.lease = lease;
    this.#state = state;
    this.#deps = deps;
  }

  /**
   * Loads the state of the stream before the first publisher is admitted. `isRecovered` is whether everything sent to
   * edges is stored. If not, another node may have sent media that is not stored, and its segment numbers must not be
   * reused.
   */
  async load({ isRecovered }: { isRecovered: boolean }): Promise<void> {
    this.#last = await loadLastPeriod(this.#deps.db, this.lease.key);
    this.#mayGoOn = isRecovered;
    await this.#deps.journal.openStream(this.lease.key.mediaId);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get publishers(): readonly LivePublisher[] {
    return this.#publishers;
  }

  /** Adds an accepted publisher and disconnects the previous one in the same slot. */
  add(publisher: LivePublisher): void {
    const before = this.#publishers.filter(({ slot }) => slot === publisher.slot);
    this.#publishers = [...this.#publishers.filter(({ slot }) => slot !== publisher.slot), publisher];
    for (const old of before) this.#drop(old, 'Another publisher with the same key took over.');
    this.#deps.subscribers.send(writeFeedFrame({ type: 'publisher', isConnected: true }));
  }

  remove(publisher: LivePublisher): void {
    this.#publishers = this.#publishers.filter((one) => one !== publisher);
    for (const reason of publisher.leftOut.all) this.#reasonsOfPast.add(reason);
    if (this.#active === publisher) this.#endRun();
    if (this.#publishers.length > 0) return;
    this.silentSinceMs = Date.now();
    this.#deps.subscribers.send(writeFeedFrame({ type: 'publisher', isConnected: false }));
  }

  /** Processes media from a publisher. */
  push(publisher: LivePublisher, event: LiveEvent, wireBytes: number): void {
    const isChanged = publisher.note(event, wireBytes);
    if (!this.#publishers.includes(publisher)) return;
    if (publisher !== this.#active && !this.#mayActivate(publisher)) return;
    if (isChanged) this.#endRun(publisher);
    if (event.type === 'config') return;
    this.#hold(event.unit);
    if (!this.#isOpening && publisher.tracks !== null) this.#drain(publisher.tracks);
  }

  /** Returns the report for the renewal of the lease. */
  report(nowMs: number): MediaReport {
    const at = (slot: string) => this.#publishers.find((one) => one.slot === slot)?.lastMediaMs ?? null;
    const samples = this.#publishers.map((one) => ({ one, sample: one.meter.sample(nowMs) }));
    const bitrate = samples.find(({ one }) => one === this.#active)?.sample ?? null;
    const { key, epoch } = this.lease;
    const ladder = this.#ladderState();
    const media = { primaryMediaAtMs: at('primary'), backupMediaAtMs: at('backup') };
    const relays = this.#publishers.flatMap((one) => one.relayStates());
    return { streamId: key.mediaId, epoch, ...media, bitrate, ladder, relays };
  }

  /**
   * Returns the state of the rungs and the reasons for media that is not shown. Returns null before the first media.
   */
  #ladderState(): LadderState | null {
    if (this.#publishers.length === 0) return { kind: 'idle', reason: null, rungs: [] };
    const ladder = this.#writers.at(-1)?.ladder ?? null;
    const leftOut = (this.#active ?? this.#publishers[0])?.leftOut.all ?? [];
    if (leftOut.length === 0) return ladder;
    const { kind, reason, rungs } = ladder ?? { kind: 'none', reason: null, rungs: [] };
    return { kind, reason: [...(reason === null ? [] : [reason]), ...leftOut].join(' '), rungs };
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
    this.#isLost = true;
    this.#dropAll('Another publisher with the same key took over.');
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

  /** Stores open segments before the process exits. */
  async finalize(): Promise<void> {
    this.#dropAll('The server is restarting.');
    this.#endRun();
    for (const writer of this.#writers) await writer.settled();
  }

  /** Returns all feed frames that a new edge needs. */
  snapshot(): Buffer[] {
    const frames = this.#writers.flatMap((writer) => writer.snapshot());
    const isConnected = this.#publishers.length > 0;
    return [...frames, ...writeFeedFrame({ type: 'publisher', isConnected }), ...writeFeedFrame({ type: 'snapshot' })];
  }

  #mayActivate(publisher: LivePublisher): boolean {
    const active = this.#active;
    const isSilent = active === null || Date.now() - (active.lastMediaMs ?? 0) > SILENT_MS;
    const isPreferred = publisher.slot === 'primary' && active?.slot === 'backup' && publisher.tracks !== null;
    if (!isSilent && !isPreferred) return false;
    this.#endRun(publisher);
    return true;
  }

  #endRun(next: LivePublisher | null = null): void {
    this.#active = next;
    this.#held = [];
    this.#heldBytes = 0;
    this.#writers.at(-1)?.flush();
  }

  #hold(unit: AccessUnit): void {
    this.#held.push({ unit, bytes: unit.bytes.length, atMs: Date.now() });
    this.#heldBytes += unit.bytes.length;
    while (this.#heldBytes > MAX_HELD_BYTES) this.#heldBytes -= this.#held.shift()?.bytes ?? this.#heldBytes;
  }

  #drain(tracks: PeriodTracks): void {
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const { unit } = next;
      const isStart = tracks.video === null || (unit.kind === 'video' && unit.isKey);
      const writer = this.#writers.at(-1);
      if (isStart && (writer === undefined || !this.#fits(writer.period, tracks))) {
        this.#open(tracks);
        return;
      }
      this.#held.shift();
      this.#heldBytes -= next.bytes;
      writer?.push(unit);
    }
  }

  #fits({ parameters, isPreview }: Pick<Period, 'parameters' | 'isPreview'>, tracks: PeriodTracks): boolean {
    return parameters === parametersOf(tracks) && isPreview === (this.#state !== 'running');
  }

  /** Opens the next period. Holds media until it is open. */
  #open(tracks: PeriodTracks): void {
    this.#isOpening = true;
    // Audio encoded before the period opened may follow frames with the same time.
    this.#held.sort((one, other) => one.unit.dtsMs - other.unit.dtsMs);
    this.#writers.at(-1)?.flush();
    this.#openNext(tracks)
      .then((writer) => {
        this.#writers = [...this.#writers.filter((one) => !one.isStored), writer];
        this.#deps.subscribers.send(writer.snapshot());
      })
      .catch((error: Error) => {
        this.#held = [];
        this.#heldBytes = 0;
        if (error instanceof CannotEncrypt && this.#active !== null) {
          this.#drop(this.#active, error.message);
          return;
        }
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

  async #openNext(tracks: PeriodTracks): Promise<PeriodWriter> {
    const known = this.#last;
    const writer = this.#writers.at(-1);
    const isProtected = await this.#deps.protect(this.lease.key);
    if (isProtected && tracks.video !== null && !isH264Entry(tracks.video.sampleEntry)) {
      throw new CannotEncrypt('The library encrypts its media, and can encrypt only H.264 video. Publish H.264.');
    }
    const startMs = this.#held[0]?.atMs ?? Date.now();
    const ladder = await this.#planLadder(tracks);
    const deps = {
      ...this.#deps,
      broadcast: (frame: Buffer[]) => this.#deps.subscribers.send(frame),
      lost: () => this.lose(),
    };
    // The previous process may have sent parts of the next segment. Other media at the same URL would contradict caches
    // and reuse initialisation vectors (NIST SP 800-38A, appendix B).
    const isUnwritten = this.#mayGoOn && !isProtected && writer === undefined;
    if (isUnwritten && known !== null && this.#fits(known, tracks)) {
      const place = { segment: known.nextSegment, endMs: known.endMs };
      return new PeriodWriter(this.lease, { period: known, tracks, place, ladder }, deps);
    }
    const before = writer?.period ?? known;
    const isPreview = this.#state !== 'running';
    const nextSegment = writer?.nextSegment ?? known?.nextSegment ?? 0;
    const firstSequence = before === null || before.isPreview !== isPreview ? 0 : before.firstSequence + nextSegment;
    const renditions = [tracks.video, tracks.audio].flatMap((track) =>
      track === null ? [] : [periodRenditionOf(track, 'pass-through')],
    );
    const wanted = { firstSequence, isPreview, parameters: parametersOf(tracks), startMs, renditions };
    const { widthPx = 0, heightPx = 0, frameRate = 0 } = tracks.video ?? {};
    const period = await openPeriod(this.#deps.db, this.lease, wanted, { widthPx, heightPx, frameRate });
    return new PeriodWriter(this.lease, { period, tracks, place: { segment: 0, endMs: 0 }, ladder }, deps);
  }

  async #planLadder({ video, videoBps }: PeriodTracks): Promise<LiveLadder> {
    if (video === null) return { rungs: [], cores: 0 };
    const { settings } = await loadLibrary(this.#deps.db, this.lease.key.libraryId);
    return planLiveLadder(video, readEncodeSettings(settings, {}).ladder, videoBps);
  }

  #drop(publisher: LivePublisher, reason: string): void {
    this.remove(publisher);
    publisher.disconnect(reason);
  }

  #dropAll(reason: string): void {
    for (const publisher of this.#publishers) this.#drop(publisher, reason);
  }
}
