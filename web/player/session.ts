import type { PlayerPhase, PlayerSource, PlayerState } from '../../src/delivery/player/player-state.ts';
import type { Memory } from './base/memory.ts';
import type { StartOptions } from './base/start-options.ts';
import type { Engine } from './engine/engine.ts';
import { type Answer, fetchState } from './state-feed.ts';

const RELOAD_GAP_MS = 5_000;

/** What the viewer is shown: the state of the video, or why there is none. */
export type View = PlayerPhase | { kind: 'gone' } | { kind: 'refused'; code: string } | { kind: 'denied'; key: string };

/** What is open: each begins anew where another was. */
type Medium = 'video' | 'trailer' | 'preview' | 'stream';

type Parts = {
  video: HTMLVideoElement;
  engine: Engine;
  options: StartOptions;
  memory: Memory;
  stateUrl: string;
  /** Where to begin when the address names no time. */
  resumeSec: number;
};

/**
 * One visit to one video: it opens the source when there is one, and reads it anew when its renditions or keys
 * change. Event: `view`, when what is shown changes. Playback that a browser refuses without a gesture is `blocked`.
 */
export class Session extends EventTarget {
  readonly #parts: Parts;
  #state: PlayerState;
  #view: View;
  #opened: { source: PlayerSource; medium: Medium } | null = null;
  #openedAtMs = 0;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether a trailer played when it was closed. */
  #leftPlaying = false;

  constructor(parts: Parts, first: PlayerState) {
    super();
    this.#parts = parts;
    this.#state = first;
    this.#view = first.phase;
    const { engine, stateUrl, video } = parts;
    engine.addEventListener('loaded', () => {
      if (engine.lineBps !== null) parts.memory.keep('line-bps', Math.round(engine.lineBps));
    });
    engine.addEventListener('denied', () => this.#show({ kind: 'denied', key: engine.denial ?? '' }));
    // What fails all at once may have been packaged anew meanwhile: then it needs other keys.
    engine.addEventListener('trouble', async () => {
      const answer = await fetchState(stateUrl);
      // What is loaded is shown first: playback reports trouble again.
      this.take(answer, { isStalled: video.readyState < video.HAVE_FUTURE_DATA });
    });
    this.#take(first);
  }

  get state(): PlayerState {
    return this.#state;
  }

  get view(): View {
    return this.#view;
  }

  /** Whether something can be played, however it is shown. */
  get isPlayable(): boolean {
    return this.#opened !== null && this.#view.kind !== 'denied' && this.#view.kind !== 'refused';
  }

  /** Whether what plays is the trailer of a stream that has not begun. */
  get isTrailer(): boolean {
    return this.#opened?.medium === 'trailer';
  }

  /** Whether what plays is a video, also a recording: neither a stream nor its trailer. */
  get isVideo(): boolean {
    return this.#opened?.medium === 'video';
  }

  get isLive(): boolean {
    return isLive(this.#state.phase);
  }

  /** A refusal alone, as of a page whose token is over, does not end what plays: it is shown once playback stalls. */
  take(answer: Answer, { isStalled = false } = {}): void {
    if (answer.kind === 'away') return;
    if (answer.kind === 'refused' && this.#playsItself && !isStalled) return;
    if (answer.kind !== 'state') {
      this.#show(answer.kind === 'gone' ? { kind: 'gone' } : { kind: 'refused', code: answer.code });
      return;
    }
    this.#take(answer.state);
    if (this.#view.kind !== 'denied') this.#show(answer.state.phase);
  }

  /** Whether what is open is the video or stream itself, and not over. */
  get #playsItself(): boolean {
    return this.#opened !== null && ['video', 'stream'].includes(this.#opened.medium) && this.#state.source !== null;
  }

  #take(state: PlayerState): void {
    this.#state = state;
    const { source, phase } = state;
    const medium = mediumOf(phase);
    if (source === null || phase.kind === 'failed') {
      if (this.isTrailer && medium !== 'trailer') this.#closeTrailer();
      return;
    }
    // A stream that became a video begins anew, from its start; one that was previewed, with what all see.
    if (this.#opened === null || this.#opened.medium !== medium) this.#open(source, medium);
    else if (isChanged(this.#opened.source, source)) this.#reloadAfterGap(source, medium);
  }

  /** Reloads at most once each gap. The last change is not forgotten, since no other may follow. */
  #reloadAfterGap(source: PlayerSource, medium: Medium): void {
    clearTimeout(this.#reloadTimer);
    const waitMs = this.#openedAtMs + RELOAD_GAP_MS - performance.now();
    if (waitMs > 0) this.#reloadTimer = setTimeout(() => this.#take(this.#state), waitMs);
    else {
      this.#remember(source, medium);
      this.#parts.engine.reload(source);
    }
  }

  #open(source: PlayerSource, medium: Medium): void {
    const isOfStream = medium === 'stream' || medium === 'preview';
    const { engine, options, video, memory, resumeSec } = this.#parts;
    // Who watches the trailer watches the stream that takes its place.
    const playsOn = isOfStream && (this.#leftPlaying || (this.#opened !== null && !video.paused));
    this.#leftPlaying = false;
    // The speed of what played before, with which a live stream may have caught up, is not that of what takes its
    // place.
    if (this.#opened !== null) {
      video.defaultPlaybackRate = 1;
      video.playbackRate = 1;
    }
    if (medium === 'trailer') video.loop = true;
    else if (this.isTrailer) video.loop = options.loop;
    this.#remember(source, medium);
    const loadsAtOnce = options.preload || options.autoplay || playsOn;
    const lineBps = memory.readNumber('line-bps');
    const startSec = medium === 'video' ? (options.startSec ?? resumeSec) : 0;
    engine.open(source, { startSec, loadsAtOnce, isLive: isOfStream, lineBps });
    if (!loadsAtOnce) video.addEventListener('play', () => engine.fetchNow(), { once: true });
    if (options.autoplay || playsOn) {
      // A browser may refuse to start with sound: then the large play button stays.
      video.play().catch(() => this.dispatchEvent(new Event('blocked')));
    }
  }

  /** The stream has begun, or is over, and there is nothing of it yet. */
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

/** What plays before a stream begins is its trailer. */
function mediumOf({ kind }: PlayerPhase): Medium {
  if (kind === 'preview') return 'preview';
  if (kind === 'countdown' || kind === 'awaiting-publisher') return 'trailer';
  return kind === 'live' || kind === 'reconnecting' ? 'stream' : 'video';
}

/** Whether other renditions are listed, or other keys are needed, than when the playlist was read. */
function isChanged(before: PlayerSource, now: PlayerSource): boolean {
  const known = new Set(before.renditions);
  const isOther = now.renditions.length !== known.size || now.renditions.some((id) => !known.has(id));
  return isOther || before.drm?.tag !== now.drm?.tag;
}
