import type HlsEngine from 'hls.js';
import type { Events, Fragment, HlsConfig, Part } from 'hls.js';

/**
 * Log of hls.js in a page. `kept` has the lines before each fault. `pausedMs` returns the longest time in the last
 * second in which the page did not run.
 */
export type PageLog = { debug: HlsConfig['debug']; kept: string[]; keep(fault: string): void; pausedMs(): number };

/** Record of the media that hls.js in a page could load, and of the media that it loaded. */
export type PageMedia = {
  watch(hls: HlsEngine, names: typeof Events, video: HTMLVideoElement): void;
  /** Parts and segments that were not loaded although later ones were. */
  skipped: Set<string>;
  /** Buffers, and the ends of the playlists. */
  state(): string;
  /**
   * Returns why playback could not continue, or null if media was available: published on time in all tracks, and
   * neither newly requested nor newly listed.
   */
  reasonToWait(): string | null;
};

/** Runs in a page: keeps the newest lines of the log of hls.js, and all of them before a fault. */
export function openLog(): void {
  const [maxLines, maxKept] = [300, 2_000];
  const [lines, kept]: [string[], string[]] = [[], []];
  const write = (...words: unknown[]) => {
    lines.push(`${(performance.now() / 1000).toFixed(3)} ${words.join(' ')}`);
    if (lines.length > maxLines) lines.shift();
  };
  const keep = (fault: string) => {
    write(`FAULT ${fault}`);
    if (kept.length < maxKept) kept.push(...lines.splice(0));
  };
  const debug = { trace: write, debug: write, log: write, info: write, warn: write, error: write };
  let ranMs = performance.now();
  const pauses: number[] = [];
  setInterval(() => {
    pauses.push(performance.now() - ranMs);
    if (pauses.length > 20) pauses.shift();
    ranMs = performance.now();
  }, 50);
  const pausedMs = () => Math.round(Math.max(0, performance.now() - ranMs, ...pauses));
  Object.assign(window, { hlsLog: { debug, kept, keep, pausedMs } satisfies PageLog });
}

/** Runs in a page: notes which parts and segments hls.js loads, in `window.loads`. */
export function openLoads(): void {
  const skipped = new Set<string>();
  const [parts, last] = [new Map<string, number>(), new Map<string, { sn: number; part: number }>()];
  /** Requests for media in progress. One that takes longer than `maxRequestMs` is a fault of the edge. */
  const pending = new Map<XMLHttpRequest, { url: string; sinceMs: number }>();
  const maxRequestMs = 2_000;
  const { open, send } = XMLHttpRequest.prototype;
  const urls = new WeakMap<XMLHttpRequest, string>();
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    urls.set(this, String(args[1]));
    // The cast hides the overloads of `open`. The arguments are forwarded unchanged.
    return (open as (...args: unknown[]) => void).apply(this, args);
  };
  XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body) {
    const url = urls.get(this) ?? '';
    if (url.endsWith('.m4s')) pending.set(this, { url, sinceMs: performance.now() });
    this.addEventListener('loadend', () => pending.delete(this));
    send.call(this, body);
  };
  const list = (kind: string, all: readonly Part[] | null) => {
    for (const { fragment, index } of all ?? []) {
      const key = `${kind} ${fragment.sn}`;
      parts.set(key, Math.max(parts.get(key) ?? 0, index + 1));
    }
  };
  const load = (kind: string, { sn }: Fragment, part: number | null) => {
    if (typeof sn !== 'number') return;
    const before = last.get(kind);
    last.set(kind, { sn, part: part ?? Number.POSITIVE_INFINITY });
    if (before === undefined || sn < before.sn) return;
    const isEnd = before.part + 1 >= (parts.get(`${kind} ${before.sn}`) ?? 0);
    const isNext =
      sn === before.sn ? (part ?? 0) <= before.part + 1 : sn === before.sn + 1 && isEnd && (part ?? 0) === 0;
    if (!isNext) skipped.add(`${kind}: ${before.sn}.${before.part} is followed by ${sn}.${part ?? '*'}`);
  };
  const isRequested = (folder: string) =>
    [...pending.values()].some(
      ({ url, sinceMs }) => url.includes(folder) && performance.now() - sinceMs < maxRequestMs,
    );
  Object.assign(window, { loads: { skipped, isRequested, list, load } satisfies Loads });
}

/** Set by `openLoads`. */
type Loads = {
  skipped: Set<string>;
  /** Returns whether media below a folder was requested just now. */
  isRequested(folder: string): boolean;
  list(kind: string, all: readonly Part[] | null): void;
  load(kind: string, frag: Fragment, part: number | null): void;
};

/** Runs in a page after `openLog` and `openLoads`: defines `window.media`. */
export function openMedia(): void {
  const { loads, hlsLog } = window as unknown as { loads: Loads; hlsLog: PageLog };
  const [maxListings, soonSec, exactSec, lateMs, maxPauseMs] = [200, 0.15, 0.05, 1_000, 500];
  type Listing = { edgeSec: number; atMs: number };
  const [listings, folders] = [new Map<string, Listing[]>(), new Map<string, string>()];
  let [ranges, video]: [[string, TimeRanges][], HTMLVideoElement | null] = [[], null];
  const endOf = (all: TimeRanges, sec: number) => {
    const at = Array.from({ length: all.length }, (_, one) => one).find(
      (one) => all.start(one) <= sec + 0.05 && all.end(one) >= sec,
    );
    return at === undefined ? sec : all.end(at);
  };
  const listedAtMs = (kind: string, sec: number) =>
    listings.get(kind)?.find(({ edgeSec }) => edgeSec > sec + exactSec)?.atMs;
  const waitOf = (kind: string, sec: number): string | null => {
    const nowMs = performance.now();
    const ownMs = listedAtMs(kind, sec);
    const others = [...listings.keys()].filter((one) => one !== kind).map((one) => listedAtMs(one, sec) ?? nowMs);
    if ((ownMs ?? nowMs) - Math.min(nowMs, ...others) > lateMs) return null;
    if (ownMs === undefined) return `${kind} is not published after ${sec.toFixed(3)}`;
    if (loads.isRequested(folders.get(kind) ?? '?')) return `${kind} after ${sec.toFixed(3)} is requested`;
    return nowMs - ownMs < lateMs ? `${kind} after ${sec.toFixed(3)} is new` : null;
  };
  const media: PageMedia = {
    skipped: loads.skipped,
    watch(hls, names, element) {
      video = element;
      const note = (kind: string, { edge, url, partList }: { edge: number; url: string; partList: Part[] | null }) => {
        listings.set(
          kind,
          [...(listings.get(kind) ?? []), { edgeSec: edge, atMs: performance.now() }].slice(-maxListings),
        );
        folders.set(kind, new URL('.', url).pathname);
        loads.list(kind, partList);
      };
      hls.on(names.LEVEL_UPDATED, (_, { details }) => note('video', details));
      hls.on(names.AUDIO_TRACK_UPDATED, (_, { details }) => note('audio', details));
      hls.on(names.FRAG_LOADED, (_, { frag, part }) =>
        loads.load(frag.type === 'audio' ? 'audio' : 'video', frag, part?.index ?? null),
      );
      hls.on(names.BUFFER_APPENDED, (_, { timeRanges }) => {
        ranges = Object.entries(timeRanges).flatMap(([kind, one]): typeof ranges => (one ? [[kind, one]] : []));
      });
    },
    state() {
      const spans = (all: TimeRanges) =>
        Array.from({ length: all.length }, (_, index) => `${all.start(index).toFixed(3)}-${all.end(index).toFixed(3)}`);
      const held = ranges.map(([kind, all]) => `${kind} is buffered ${spans(all).join(' ')}`);
      const edges = [...listings].map(([kind, all]) => {
        const { edgeSec = 0, atMs = 0 } = all.at(-1) ?? {};
        return `${kind} is listed to ${edgeSec.toFixed(3)} since ${Math.round(performance.now() - atMs)} ms`;
      });
      return [`at ${video?.currentTime.toFixed(3)}`, ...held, ...edges, `page paused ${hlsLog.pausedMs()} ms`].join(
        ', ',
      );
    },
    reasonToWait() {
      const sec = video?.currentTime ?? 0;
      if (hlsLog.pausedMs() > maxPauseMs) return `the page paused ${hlsLog.pausedMs()} ms`;
      const short = ranges.filter(([, all]) => endOf(all, sec) < sec + soonSec);
      const reasons = short.map(([kind, all]) => waitOf(kind, endOf(all, sec)));
      return reasons.length === 0 || reasons.includes(null) ? null : reasons.join(', ');
    },
  };
  Object.assign(window, { media });
}
