import type { ControlParts } from '../parts.ts';
import type { View } from '../session.ts';

const CONTEXT = 'player.js';
const VERSION = '0.0.11';
const EVENTS = ['ready', 'progress', 'timeupdate', 'play', 'pause', 'ended', 'seeked', 'error', 'playbackratechange'];
/**
 * Interval, in ms, at which `ready` is repeated until the parent page sends a message, because a client that is created
 * late has missed the first `ready`.
 */
const READY_EACH_MS = 500;
const READY_TIMES = 120;
/** Interval of `ready` after the first minute, in ms. */
const READY_LATER_MS = 2_000;

type Request = { method: string; value: unknown; listener: string | undefined };

type Emit = (event: string, value?: unknown) => void;

/**
 * Implements the player.js protocol (https://github.com/embedly/player.js): JSON messages sent with postMessage. The
 * parent page is identified by its window object, so this works with any referrer policy and origin.
 */
export function mountPlayerJs({ video, engine, config, session, options }: ControlParts): void {
  if (window.parent === window) return;
  const listeners = new Map<string, Set<string | undefined>>();
  const send = (message: object) =>
    window.parent.postMessage(JSON.stringify({ context: CONTEXT, version: VERSION, ...message }), '*');
  const sendTo = (listener: string | undefined, event: string, value?: unknown) =>
    send({ event, value, ...(listener === undefined ? {} : { listener }) });
  const emit: Emit = (event, value) => {
    for (const listener of listeners.get(event) ?? []) sendTo(listener, event, value);
  };
  const methods = methodsOf({ video, engine }, config.state.source?.durationSec ?? 0);
  const sendReady = () =>
    send({
      event: 'ready',
      value: {
        src: location.href,
        events: EVENTS,
        methods: [...methods.keys(), 'addEventListener', 'removeEventListener'],
      },
    });

  let isReady = false;
  let isReceived = false;
  const queue: Request[] = [];
  const answer = ({ method, value, listener }: Request) => {
    if (method === 'addEventListener') addListener(String(value), listener);
    else if (method === 'removeEventListener') listeners.get(String(value))?.delete(listener);
    else {
      const result = methods.get(method)?.(value);
      if (result !== undefined) sendTo(listener, method, result);
    }
  };
  const addListener = (event: string, listener: string | undefined) => {
    listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    if (event === 'ready' && isReady) sendReady();
    const code = finalFault(session.view);
    if (event === 'error' && code !== null) sendTo(listener, event, { code });
  };
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent) return;
    const request = readRequest(data);
    if (request === null) return;
    isReceived = true;
    if (isReady) answer(request);
    else queue.push(request);
  });

  const ready = () => {
    if (isReady) return;
    isReady = true;
    sendReady();
    for (const request of queue.splice(0)) answer(request);
    let times = 0;
    const repeat = () => {
      if (isReceived) return;
      if (times > 0) sendReady();
      times += 1;
      setTimeout(repeat, times > READY_TIMES ? READY_LATER_MS : READY_EACH_MS);
    };
    repeat();
  };
  // Send `ready` when the length is known. A page that cannot play, or loads nothing until the parent requests it, is
  // ready immediately and responds as far as possible.
  const loadsNothing = !session.isPlayable || !config.state.source || (options.preload === 'none' && !options.autoplay);
  if (video.readyState >= HTMLMediaElement.HAVE_METADATA || loadsNothing) ready();
  else video.addEventListener('loadedmetadata', ready, { once: true });
  relay(video, emit);
  relayFaults({ engine, session }, emit);
}

function relayFaults({ engine, session }: Pick<ControlParts, 'engine' | 'session'>, emit: Emit): void {
  for (const name of ['trouble', 'denied'])
    engine.addEventListener(name, () => emit('error', { code: engine.lastFault ?? name }));
  let reported = finalFault(session.view);
  session.addEventListener('view', () => {
    const code = finalFault(session.view);
    if (code !== null && code !== reported) emit('error', { code });
    reported = code;
  });
}

/**
 * Returns the error code of a view in which nothing can be played. Returns null for any other view, and for `denied`,
 * which the engine reports.
 */
function finalFault(view: View): string | null {
  if (view.kind === 'refused') return view.code;
  return view.kind === 'failed' || view.kind === 'gone' ? view.kind : null;
}

function relay(video: HTMLVideoElement, emit: Emit): void {
  for (const name of ['play', 'pause', 'ended', 'seeked']) video.addEventListener(name, () => emit(name));
  video.addEventListener('timeupdate', () =>
    emit('timeupdate', { seconds: video.currentTime, duration: video.duration }),
  );
  video.addEventListener('ratechange', () => emit('playbackratechange', { playbackRate: video.playbackRate }));
  video.addEventListener('progress', () => {
    const { buffered, duration } = video;
    const loaded = buffered.length === 0 ? 0 : buffered.end(buffered.length - 1);
    emit('progress', { percent: duration > 0 ? Math.min(1, loaded / duration) : 0 });
  });
}

/**
 * Returns the methods of the protocol by name. Setters return nothing. `expectedSec` is used as the length until the
 * length of the media is known.
 */
function methodsOf(
  { video, engine }: Pick<ControlParts, 'video' | 'engine'>,
  expectedSec: number,
): Map<string, (value: unknown) => unknown> {
  const seek = (sec: number) => {
    const move = () => {
      video.currentTime = sec;
    };
    if (video.readyState > HTMLMediaElement.HAVE_NOTHING) move();
    else {
      // Nothing is loaded yet. Start loading, and seek once the metadata is available.
      engine.fetchNow();
      video.addEventListener('loadedmetadata', move, { once: true });
    }
  };
  const set = (apply: (value: number) => void) => (value: unknown) => {
    if (Number.isFinite(Number(value))) apply(Number(value));
  };
  return new Map<string, (value: unknown) => unknown>([
    ['play', () => void video.play().catch(() => undefined)],
    ['pause', () => video.pause()],
    ['getPaused', () => video.paused],
    ['mute', () => void Object.assign(video, { muted: true })],
    ['unmute', () => void Object.assign(video, { muted: false })],
    ['getMuted', () => video.muted],
    ['setVolume', set((value) => Object.assign(video, { volume: Math.max(0, Math.min(100, value)) / 100 }))],
    ['getVolume', () => Math.round(video.volume * 100)],
    [
      'getDuration',
      () => (Number.isNaN(video.duration) ? expectedSec : Number.isFinite(video.duration) ? video.duration : 0),
    ],
    ['setCurrentTime', set((value) => seek(Math.max(0, value)))],
    ['getCurrentTime', () => video.currentTime],
    ['getLoop', () => video.loop],
    ['setLoop', (value) => void Object.assign(video, { loop: value === true || value === 'true' })],
    ['setPlaybackRate', set((value) => Object.assign(video, { playbackRate: Math.max(0.0625, Math.min(16, value)) }))],
    ['getPlaybackRate', () => video.playbackRate],
  ]);
}

function readRequest(data: unknown): Request | null {
  const message = typeof data === 'string' ? parse(data) : data;
  if (typeof message !== 'object' || message === null) return null;
  // A JSON object has string keys. Each property is checked where it is used.
  const { context, method, value, listener } = message as Record<string, unknown>;
  if (context !== CONTEXT || typeof method !== 'string') return null;
  return { method, value, listener: typeof listener === 'string' ? listener : undefined };
}

/** Returns null for text that is not JSON. Other scripts on the embedding page also post messages. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
