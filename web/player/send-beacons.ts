import { openVisitLedger, type VisitClock, type VisitLedger } from './visit-ledger.ts';

/** What the page was handed for its beacons. */
export type Viewing = { ticket: string; bucketSec: number; bucketCount: number };

/**
 * `counts`: whether what plays is the video itself. `measuresStart`: whether it could play when the page was opened.
 * `playsItself`: whether the page begins to play without being asked, as long as the browser lets it.
 */
export type Counted = { counts: () => boolean; measuresStart: boolean; playsItself: () => boolean };

const EACH_MS = 10_000;
const STEP_MS = 250;
const IDLE_MS = 30 * 60_000;
/** Below this many ms without a picture nobody notices. */
const STALL_MS = 250;
/** A picture that jumps to a place before this one, by itself, began again. */
const LOOPED_SEC = 0.5;

/**
 * Counts what is watched of a video and sends the totals so far to the edge that served the page: at the first moving
 * frame, every ten seconds, and when the page is hidden or left. After 30 idle minutes a new visit begins. Nothing is
 * sent to any other host, and nothing is stored in the browser.
 */
export function sendBeacons(video: HTMLVideoElement, viewing: Viewing, counted: Counted): void {
  const clock: VisitClock = { sincePageMs: () => performance.now(), deliveredAtMs: issuedAtMs(viewing.ticket) };
  const visit = new Visit(clock, viewing, counted);
  let stallTimer: ReturnType<typeof setInterval> | undefined;
  const isMoving = () => !video.paused && !video.seeking && !video.ended && video.readyState >= 3;
  const step = () => {
    if (!isMoving()) return;
    if (visit.move(video.currentTime, video)) visit.send();
  };
  const rest = () => {
    step();
    visit.ledger.rest();
  };
  let wasPaused = false;
  video.addEventListener('play', () => {
    if (wasPaused || !counted.playsItself()) visit.ledger.request();
  });
  setInterval(step, STEP_MS);
  setInterval(() => visit.send(), EACH_MS);
  video.addEventListener('timeupdate', step);
  video.addEventListener('ratechange', rest);
  const endStall = () => {
    clearInterval(stallTimer);
    stallTimer = undefined;
    visit.ledger.stall(true);
  };
  video.addEventListener('pause', () => {
    // Who pauses waits for nothing: to play on reports its own wait.
    wasPaused = true;
    endStall();
    visit.end(video.currentTime, video);
    visit.send();
  });
  video.addEventListener('seeking', () => {
    // A loop passes the end between two steps.
    if (video.loop && !video.paused && video.currentTime < LOOPED_SEC) visit.move(video.duration, video);
    visit.ledger.jump();
  });
  video.addEventListener('ended', () => {
    visit.end(video.duration, video);
    visit.send();
  });
  video.addEventListener('waiting', () => {
    visit.ledger.rest();
    if (video.seeking) return;
    stallTimer ??= setInterval(() => visit.ledger.stall(false), STALL_MS);
  });
  video.addEventListener('playing', () => {
    endStall();
    step();
  });
  // What moves from here on counts from here on, not from the next step.
  video.addEventListener('seeked', step);
  video.addEventListener('error', () => {
    if (counted.counts()) visit.ledger.fail();
  });
  document.addEventListener('visibilitychange', () => {
    step();
    if (document.visibilityState === 'hidden') visit.send();
  });
  addEventListener('pagehide', () => {
    rest();
    visit.send({ isLast: true });
  });
}

/** One visit after another, each with its own number and sequence. */
class Visit {
  ledger: VisitLedger;
  private readonly clock: VisitClock;
  private readonly viewing: Viewing;
  private readonly counts: () => boolean;
  private visit = 0;
  private sequence = 0;
  private sent = '';
  private movedAtMs = 0;

  constructor(clock: VisitClock, viewing: Viewing, { counts, measuresStart }: Counted) {
    this.clock = clock;
    this.viewing = viewing;
    this.counts = counts;
    this.ledger = openVisitLedger(clock, viewing, measuresStart);
  }

  /** Answers whether the picture moved for the first time. */
  move(positionSec: number, { playbackRate, videoHeight }: HTMLVideoElement): boolean {
    if (!this.counts()) {
      this.ledger.rest();
      return false;
    }
    const wasMoving = this.ledger.totals() !== null;
    if (wasMoving && this.clock.sincePageMs() - this.movedAtMs > IDLE_MS) this.begin();
    this.ledger.moveTo(positionSec, playbackRate, videoHeight);
    this.movedAtMs = this.clock.sincePageMs();
    return !wasMoving && this.ledger.totals() !== null;
  }

  /** The picture came to rest here. */
  end(positionSec: number, video: HTMLVideoElement): void {
    if (Number.isFinite(positionSec)) this.move(positionSec, video);
    this.ledger.rest();
  }

  /** Sends the totals where they changed; the last time in any case, since the beacon before may have been lost. */
  send({ isLast = false } = {}): void {
    const totals = this.ledger.totals();
    if (totals === null) return;
    const { heat, ...counts } = totals;
    const body = { visit: this.visit, page: referrerHost(), heat: toBase64Url(heat), ...counts };
    const text = JSON.stringify(body);
    if (text === this.sent && !isLast) return;
    this.sent = text;
    const beacon = `${this.viewing.ticket}\n${JSON.stringify({ ...body, sequence: this.sequence })}`;
    this.sequence += 1;
    // A beacon that is lost is made good by the next one: it carries the totals.
    navigator.sendBeacon('/beacons', beacon);
  }

  private begin(): void {
    this.visit += 1;
    this.sequence = 0;
    this.ledger = openVisitLedger(this.clock, this.viewing, false);
  }
}

function issuedAtMs(ticket: string): number {
  return Number(ticket.split('.')[2]);
}

function referrerHost(): string {
  try {
    return new URL(document.referrer).hostname;
  } catch {
    return '';
  }
}

function toBase64Url(bytes: Uint8Array): string {
  const end = bytes.findLastIndex((byte) => byte > 0) + 1;
  const text = btoa(String.fromCharCode(...bytes.subarray(0, end)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
