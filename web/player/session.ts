import type { PlayerPhase, PlayerSource, PlayerState } from '../../src/delivery/player/player-state.ts';
import type { Memory } from './base/memory.ts';
import type { StartOptions } from './base/start-options.ts';
import type { Engine } from './engine/engine.ts';
import { type Answer, fetchState } from './state-feed.ts';

const RELOAD_GAP_MS = 5_000;

/** What the viewer is shown: the state of the video, or why there is none. */
export type View = PlayerPhase | { kind: 'gone' } | { kind: 'refused'; code: string } | { kind: 'denied'; key: string };

/** What is open: each begins anew where another was. */
type Medium = 'video' | 'preview' | 'stream';

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
  #isTrailer = false;

  constructor(parts: Parts, first: PlayerState) {
    super();
    this.#parts = parts;
    this.#state = first;
    this.#view = first.phase;
    const { engine, stateUrl } = parts;
    engine.addEventListener('loaded', () => {
      if (engine.lineBps !== null) parts.memory.keep('line-bps', Math.round(engine.lineBps));
    });
    engine.addEventListener('denied', () => this.#show({ kind: 'denied', key: engine.denial ?? '' }));
    // What fails all at once may have been packaged anew meanwhile: then it needs other keys.
    engine.addEventListener('trouble', async () => this.take(await fetchState(stateUrl)));
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
    return this.#isTrailer;
  }

  get isLive(): boolean {
    return isLive(this.#state.phase);
  }

  take(answer: Answer): void {
    if (answer.kind === 'away') return;
    if (answer.kind !== 'state') {
      this.#show(answer.kind === 'gone' ? { kind: 'gone' } : { kind: 'refused', code: answer.code });
      return;
    }
    this.#take(answer.state);
    if (this.#view.kind !== 'denied') this.#show(answer.state.phase);
  }

  #take(state: PlayerState): void {
    this.#state = state;
    const { source, phase } = state;
    if (source === null || phase.kind === 'failed') return;
    const medium = mediumOf(phase);
    // A stream that became a video begins anew, from its start; one that was previewed, with what all see.
    if (this.#opened === null || this.#opened.medium !== medium) this.#open(source, medium);
    else if (isChanged(this.#opened.source, source) && performance.now() - this.#openedAtMs > RELOAD_GAP_MS) {
      this.#remember(source, medium);
      this.#parts.engine.reload(source);
    }
  }

  #open(source: PlayerSource, medium: Medium): void {
    const isOfStream = medium !== 'video';
    const { engine, options, video, memory, resumeSec } = this.#parts;
    // Who watches the trailer watches the stream that takes its place.
    const playsOn = isOfStream && this.#opened !== null && !video.paused;
    this.#remember(source, medium);
    const loadsAtOnce = options.preload || options.autoplay || playsOn;
    const lineBps = memory.readNumber('line-bps');
    const wasTrailer = this.#isTrailer;
    this.#isTrailer = isToBegin(this.#state.phase);
    const startSec = isOfStream || this.#isTrailer ? 0 : (options.startSec ?? resumeSec);
    engine.open(source, { startSec, loadsAtOnce, isLive: isOfStream, lineBps });
    if (this.#isTrailer || wasTrailer) video.loop = this.#isTrailer || options.loop;
    if (!loadsAtOnce) video.addEventListener('play', () => engine.fetchNow(), { once: true });
    if (options.autoplay || playsOn) {
      // A browser may refuse to start with sound: then the large play button stays.
      video.play().catch(() => this.dispatchEvent(new Event('blocked')));
    }
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

/** What plays before a stream begins is its trailer. */
function isToBegin({ kind }: View): boolean {
  return kind === 'countdown' || kind === 'awaiting-publisher';
}

function isLive(phase: PlayerPhase): boolean {
  return mediumOf(phase) !== 'video';
}

function mediumOf({ kind }: PlayerPhase): Medium {
  if (kind === 'preview') return 'preview';
  return kind === 'live' || kind === 'reconnecting' ? 'stream' : 'video';
}

/** Whether other renditions are listed, or other keys are needed, than when the playlist was read. */
function isChanged(before: PlayerSource, now: PlayerSource): boolean {
  const known = new Set(before.renditions);
  const isOther = now.renditions.length !== known.size || now.renditions.some((id) => !known.has(id));
  return isOther || before.drm?.tag !== now.drm?.tag;
}
