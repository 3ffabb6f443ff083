import type { PlayerPhase, PlayerSource, PlayerState } from '../../src/delivery/player/player-state.ts';
import type { StartOptions } from './base/start-options.ts';
import type { Engine } from './engine/engine.ts';
import type { LineHistory } from './line/line-history.ts';
import { type Answer, fetchState, findQuotaRefusal, type Refusal } from './state-feed.ts';
import { whenOver } from './when-over.ts';

const RELOAD_GAP_MS = 5_000;

/** End of a stream that was played here. `percent` is the progress of its recording. */
type StreamOver = { kind: 'over'; recording: 'none' | 'preparing' | 'ready'; percent: number };

/** State of the page for the viewer: the state of the video, or the reason why there is none. */
export type View =
  | PlayerPhase
  | StreamOver
  | { kind: 'gone' }
  | { kind: 'refused'; code: string }
  | { kind: 'denied'; key: string };

/** Kind of the open media. When the kind changes, playback starts over. */
type Medium = 'video' | 'trailer' | 'preview' | 'stream';

type Parts = {
  video: HTMLVideoElement;
  engine: Engine;
  options: StartOptions;
  lines: LineHistory;
  stateUrl: string;
  /** Start position, in seconds, if the URL contains no time. */
  resumeSec: number;
};

/**
 * One viewing session of one video. Opens the source as soon as there is one, and reloads it when its renditions or
 * keys change. A stream that ends is played to its end, and its recording is opened when the viewer chooses it. Events:
 * `view` when the view changes, `blocked` if the browser refuses to play without a user gesture, `recording` when a
 * recording is chosen.
 */
export class Session extends EventTarget {
  readonly #parts: Parts;
  #state: PlayerState;
  #view: View;
  #opened: { source: PlayerSource; medium: Medium } | null = null;
  #openedAtMs = 0;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the open media has been played. */
  #isPlayed = false;
  /** Whether the open stream has ended and all of it that is loaded has been played. */
  #isOver = false;
  /** Whether a trailer was playing when it was closed. */
  #leftPlaying = false;
  /** Refusal of the playlist by a quota, until media loads again. Null without one. */
  #limit: Refusal | null = null;

  constructor(parts: Parts, first: PlayerState) {
    super();
    this.#parts = parts;
    this.#state = first;
    this.#view = first.phase;
    const { engine, stateUrl, video } = parts;
    engine.addEventListener('loaded', () => {
      // Do not store the measurement of a live stream, whose parts arrive as fast as they are published.
      if (engine.lineBps !== null && !this.isLive) parts.lines.keep(engine.lineBps);
      if (this.#limit === null) return;
      this.#limit = null;
      this.#show(this.#state.phase);
    });
    video.addEventListener('playing', () => {
      this.#isPlayed = true;
    });
    // Keys of the keyboard and the parent page can also play.
    video.addEventListener('play', () => {
      if (this.#view.kind === 'over') this.watchRecording();
    });
    whenOver(video, {
      hasEnded: () => this.#hasStreamEnded,
      over: () => this.#endStream(),
    });
    engine.addEventListener('denied', () => this.#show({ kind: 'denied', key: engine.denial ?? '' }));
    // A sudden failure may mean that the video was repackaged with new keys, so request the state.
    engine.addEventListener('trouble', async () => {
      const answer = await fetchState(stateUrl);
      // While loaded media is left, a refusal is not shown yet, because the engine reports `trouble` again.
      const isStalled = () => video.readyState < video.HAVE_FUTURE_DATA;
      const source = answer.kind === 'state' && isStalled() ? answer.state.source : null;
      const limit = source && (await findQuotaRefusal(source.playlistUrl));
      this.#limit = isStalled() ? limit : null;
      this.take(answer, { isStalled: isStalled() });
    });
    this.#take(first);
  }

  get state(): PlayerState {
    return this.#state;
  }

  get view(): View {
    return this.#view;
  }

  /** Whether any media can be played, including a trailer or a preview. */
  get isPlayable(): boolean {
    return this.#opened !== null && this.#view.kind !== 'denied' && this.#view.kind !== 'refused';
  }

  /** Whether the trailer of a stream that has not begun is playing. */
  get isTrailer(): boolean {
    return this.#opened?.medium === 'trailer';
  }

  /** Whether the open media is a video or a recording, and not a live stream or a trailer. */
  get isVideo(): boolean {
    return this.#opened?.medium === 'video';
  }

  /** Whether the open media is a stream, which may have ended, or whether one is running. */
  get isLive(): boolean {
    return isLive(this.#state.phase) || this.#opened?.medium === 'stream';
  }

  /** Opens the recording of a stream that was played to its end, and plays it. */
  watchRecording(): void {
    const { source, phase } = this.#state;
    if (this.#view.kind !== 'over') return;
    this.#parts.video.pause();
    if (source === null) return;
    this.#open(source, 'video', true);
    this.#show(phase);
    this.dispatchEvent(new Event('recording'));
  }

  /** Requests the state now and not at its next poll. */
  async refresh(): Promise<void> {
    this.take(await fetchState(this.#parts.stateUrl));
  }

  /**
   * Applies a response. A refusal, such as that of an expired page token, does not end playback. It is shown once
   * playback stalls.
   */
  take(answer: Answer, { isStalled = false } = {}): void {
    if (answer.kind === 'away') return;
    if (answer.kind === 'refused' && this.#playsItself && !isStalled) return;
    if (answer.kind !== 'state') {
      this.#show(answer.kind === 'gone' ? { kind: 'gone' } : { kind: 'refused', code: answer.code });
      return;
    }
    this.#take(answer.state);
    const limit = answer.state.source && this.#limit;
    if (this.#view.kind !== 'denied') this.#show(limit ?? this.#viewNow);
  }

  /** Whether the open media is the video or stream itself, and has not ended. */
  get #playsItself(): boolean {
    return this.#opened !== null && ['video', 'stream'].includes(this.#opened.medium) && this.#state.source !== null;
  }

  /** Whether the stream that is open has ended, after it was played. */
  get #hasStreamEnded(): boolean {
    const { kind } = this.#state.phase;
    const isEnd = ['stream-ended', 'converting', 'processing', 'finished'].includes(kind);
    return isEnd && this.#isPlayed && this.#opened?.medium === 'stream';
  }

  /** The view of the current state. Until an ended stream was played to its end, it is the previous view. */
  get #viewNow(): View {
    const { phase, source } = this.#state;
    if (!this.#hasStreamEnded) return phase;
    if (!this.#isOver) return this.#view;
    const percent = 'percent' in phase ? phase.percent : 0;
    const recording = source !== null ? 'ready' : phase.kind === 'stream-ended' ? 'none' : 'preparing';
    return { kind: 'over', recording, percent };
  }

  /** Called when the open media has been played to its end. */
  #endStream(): void {
    if (this.#opened?.medium !== 'stream' || this.#isOver) return;
    this.#isOver = true;
    this.#parts.video.pause();
    if (this.#hasStreamEnded) this.#show(this.#viewNow);
    else void this.refresh();
  }

  #take(state: PlayerState): void {
    this.#state = state;
    const { source, phase } = state;
    const medium = mediumOf(phase);
    if (this.#hasStreamEnded) return;
    if (source === null || phase.kind === 'failed') {
      if (this.isTrailer && medium !== 'trailer') this.#closeTrailer();
      return;
    }
    // If the kind has changed, start over: a stream that became a video from the beginning, a previewed stream with the
    // public version.
    if (this.#opened === null || this.#opened.medium !== medium) {
      // The recording of a stream that nobody played here does not play by itself.
      const isLeft = this.#opened?.medium === 'stream' && medium === 'video';
      this.#open(source, medium, this.#parts.options.autoplay && !isLeft);
    } else if (this.#needsReload(this.#opened.source, source)) this.#reloadAfterGap(source, medium);
  }

  /** Whether renditions or keys have changed, or the video of a stream has begun that was opened as audio. */
  #needsReload(opened: PlayerSource, now: PlayerSource): boolean {
    if (!this.isLive) return isChanged(opened, now);
    const { video } = this.#parts;
    const isAudio = video.videoWidth === 0 && video.readyState >= video.HAVE_CURRENT_DATA;
    const hasBegun = now.renditions.some((id) => !opened.renditions.includes(id));
    return opened.drm?.tag !== now.drm?.tag || (isAudio && hasBegun);
  }

  /**
   * Reloads at most once per `RELOAD_GAP_MS`. An earlier change is applied after the wait, because another change might
   * never come.
   */
  #reloadAfterGap(source: PlayerSource, medium: Medium): void {
    clearTimeout(this.#reloadTimer);
    const waitMs = this.#openedAtMs + RELOAD_GAP_MS - performance.now();
    if (waitMs > 0) this.#reloadTimer = setTimeout(() => this.#take(this.#state), waitMs);
    else {
      this.#remember(source, medium);
      this.#parts.engine.update(source);
    }
  }

  #open(source: PlayerSource, medium: Medium, plays: boolean): void {
    const isOfStream = medium === 'stream' || medium === 'preview';
    const { engine, options, video, lines, resumeSec } = this.#parts;
    // If the trailer was playing, the stream that replaces it also plays.
    const playsOn = isOfStream && (this.#leftPlaying || (this.#opened !== null && !video.paused));
    this.#leftPlaying = false;
    // Reset the speed, which a live stream may have changed to catch up.
    if (this.#opened !== null) {
      video.defaultPlaybackRate = 1;
      video.playbackRate = 1;
    }
    // The end of a stream must not lead back to its start.
    video.loop = medium === 'trailer' || (options.loop && !isOfStream);
    [this.#isPlayed, this.#isOver] = [false, false];
    this.#remember(source, medium);
    // A viewer may already have pressed play, before there was a source.
    const loadsAtOnce = options.preload !== 'none' || plays || playsOn || !video.paused;
    const readLine = () => (isOfStream ? lines.earlier() : lines.line());
    const startSec = medium === 'video' ? (options.startSec ?? resumeSec) : 0;
    engine.open(source, {
      startSec,
      loadsAtOnce,
      isLive: isOfStream,
      buffersPaused: options.preload === 'auto',
      media: null,
      readLine,
    });
    if (!loadsAtOnce) video.addEventListener('play', () => engine.fetchNow(), { once: true });
    if (plays || playsOn) {
      // A browser may refuse to play with audio without a user gesture. The large play button then stays visible.
      video.play().catch(() => this.dispatchEvent(new Event('blocked')));
    }
  }

  /** Closes the trailer when the stream has begun or ended but has no media yet. */
  #closeTrailer(): void {
    const { engine, video, options } = this.#parts;
    this.#leftPlaying = !video.paused;
    this.#opened = null;
    engine.close();
    if (video.hasAttribute('src')) {
      video.removeAttribute('src');
      video.load();
    }
    video.loop = options.loop;
  }

  #remember(source: PlayerSource, medium: Medium): void {
    this.#opened = { source, medium };
    this.#openedAtMs = performance.now();
  }

  #show(view: View): void {
    this.#view = view;
    this.dispatchEvent(new Event('view'));
  }
}

function isLive(phase: PlayerPhase): boolean {
  return ['stream', 'preview'].includes(mediumOf(phase));
}

/** Returns the kind of the media in a phase. Media that is played before a stream begins is its trailer. */
function mediumOf({ kind }: PlayerPhase): Medium {
  if (kind === 'preview') return 'preview';
  if (kind === 'countdown' || kind === 'awaiting-publisher') return 'trailer';
  return kind === 'live' || kind === 'reconnecting' ? 'stream' : 'video';
}

/** Returns whether renditions or required keys have changed since the playlist was read. */
function isChanged(before: PlayerSource, now: PlayerSource): boolean {
  const known = new Set(before.renditions);
  const isOther = now.renditions.length !== known.size || now.renditions.some((id) => !known.has(id));
  return isOther || before.drm?.tag !== now.drm?.tag;
}
