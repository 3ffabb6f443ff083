import { countsHeat, IDLE_MS, issuedAtMs, type KeptVisit, keepVisit, takeVisit, type Viewing } from './kept-visit.ts';
import type { VisitClock } from './start-wait.ts';
import { openVisitLedger, type VisitLedger } from './visit-ledger.ts';

/**
 * `counts`: whether the video itself is playing. `measuresStart`: whether it was playable when the page was opened.
 * `playsItself`: whether the page starts playback automatically, if the browser allows it. `renew` reissues a ticket
 * for the video's current length. Null if that failed.
 */
export type Counted = {
  counts: () => boolean;
  measuresStart: boolean;
  playsItself: () => boolean;
  renew: (ticket: string) => Promise<string | null>;
};

export type Beacons = {
  /** Media that was opened without a length now has one. Its heatmap is counted from here on, in the same session. */
  take(viewing: Viewing): void;
};

const EACH_MS = 10_000;
/**
 * Maximum number of requests for the ticket that counts the heatmap: at first, and with the beacons of the next
 * minutes.
 */
const MAX_RENEWALS = 20;
const STEP_MS = 250;
/** Minimum duration of a noticeable stall, in ms. */
const STALL_MS = 250;
/** Playback that jumps to a position before this one without a seek has looped. */
const LOOPED_SEC = 0.5;

/**
 * Counts the watched parts of a video and sends the totals to the edge that served the page: at the first moving frame,
 * every ten seconds, and when the page is hidden or left. After 30 idle minutes a new session begins. Until then the
 * next page of this tab continues it (`kept-visit.ts`). Nothing is sent to any other host.
 */
export function sendBeacons(video: HTMLVideoElement, viewing: Viewing, counted: Counted): Beacons {
  const visit = new Visit(viewing, counted);
  let stallTimer: ReturnType<typeof setInterval> | undefined;
  const isMoving = () => !video.paused && !video.seeking && !video.ended && video.readyState >= 3;
  const step = () => {
    visit.ledger.isAwake();
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
    // A paused viewer does not wait. Resuming reports its own wait.
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
  // Movement counts from here on, not from the next step.
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
    visit.leave();
  });
  // The browser restored this page from its cache, so another page of this tab may have continued its session.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) visit.resume();
  });
  return { take: (found) => visit.take(found) };
}

/** Consecutive sessions, each with its own number and sequence. */
class Visit {
  ledger: VisitLedger;
  private viewing: Viewing;
  private readonly counts: () => boolean;
  private readonly renew: Counted['renew'];
  private clock: VisitClock;
  private at: Omit<KeptVisit, 'ledger'>;
  private sent = '';
  private renewals = 0;

  constructor(viewing: Viewing, { counts, measuresStart, renew }: Counted) {
    this.viewing = viewing;
    this.counts = counts;
    this.renew = renew;
    this.at = { ticket: viewing.ticket, visit: 0, sequence: 0, movedMs: 0 };
    this.clock = this.clockOf(viewing.ticket);
    this.ledger = openVisitLedger(this.clock, viewing, { measuresStart });
    this.resume();
  }

  /** Continues the session that the previous page left. */
  resume(): void {
    const kept = takeVisit(this.viewing, performance.now());
    if (kept === null) return;
    const { ledger, ...at } = kept;
    this.at = at;
    this.clock = this.clockOf(at.ticket, at.movedMs);
    this.ledger = openVisitLedger(this.clock, this.viewing, { measuresStart: false, kept: ledger });
    void this.renewTicket();
  }

  take(viewing: Viewing): void {
    if (this.viewing.bucketCount > 0 || viewing.bucketCount === 0) return;
    this.viewing = { ...viewing, ticket: this.viewing.ticket };
    this.ledger = openVisitLedger(this.clock, viewing, { measuresStart: false, kept: this.ledger.keep() });
    void this.renewTicket();
  }

  /** Returns whether the frames advanced for the first time. */
  move(positionSec: number, { playbackRate, videoHeight }: HTMLVideoElement): boolean {
    if (!this.counts()) {
      this.ledger.rest();
      return false;
    }
    const wasMoving = this.ledger.totals() !== null;
    if (wasMoving && this.clock.sinceTicketMs() - this.at.movedMs > IDLE_MS) this.begin();
    this.ledger.moveTo(positionSec, playbackRate, videoHeight);
    this.at.movedMs = this.clock.sinceTicketMs();
    return !wasMoving && this.ledger.totals() !== null;
  }

  /** Records that playback stopped here. */
  end(positionSec: number, video: HTMLVideoElement): void {
    if (Number.isFinite(positionSec)) this.move(positionSec, video);
    this.ledger.rest();
  }

  /** Sends the totals if they changed, and always the last time, since the previous beacon may have been lost. */
  send({ isLast = false } = {}): void {
    const totals = this.ledger.totals();
    if (totals === null) return;
    const { heat, ...counts } = totals;
    const body = { visit: this.at.visit, page: referrerHost(), heat: toBase64Url(heat), ...counts };
    const text = JSON.stringify(body);
    if (text === this.sent && !isLast) return;
    void this.renewTicket();
    this.sent = text;
    const beacon = `${this.at.ticket}\n${JSON.stringify({ ...body, sequence: this.at.sequence })}`;
    this.at.sequence += 1;
    // A lost beacon needs no retry, because the next one contains the totals.
    navigator.sendBeacon('/beacons', beacon);
  }

  /** The viewer leaves the page. The next page of this tab may continue from here. */
  leave(): void {
    this.send({ isLast: true });
    if (this.ledger.totals() !== null) keepVisit({ ...this.at, ledger: this.ledger.keep() });
  }

  /** Renews a ticket that lacks the currently counted heatmap. If that fails, the next beacon tries again. */
  private async renewTicket(): Promise<void> {
    const { ticket } = this.at;
    if (countsHeat(ticket) || this.viewing.bucketCount === 0 || this.renewals >= MAX_RENEWALS) return;
    this.renewals += 1;
    const renewed = await this.renew(ticket);
    // A ticket of another page, as after three days, would be another session.
    if (renewed === null || issuedAtMs(renewed) !== issuedAtMs(this.at.ticket)) return;
    this.at.ticket = renewed;
    this.sent = '';
  }

  private begin(): void {
    this.at = { ...this.at, visit: this.at.visit + 1, sequence: 0 };
    this.ledger = openVisitLedger(this.clock, this.viewing, { measuresStart: false });
  }

  /** The previous page's ticket was issued earlier than this page's, by the edge's clock. */
  private clockOf(ticket: string, movedMs = 0): VisitClock {
    const earlierMs = issuedAtMs(this.viewing.ticket) - issuedAtMs(ticket);
    // The clock of a page restored after sleep may be behind the counts of the page in between.
    const aheadMs = Math.max(earlierMs, movedMs - performance.now());
    return { sinceTicketMs: () => performance.now() + aheadMs, issuedAtMs: issuedAtMs(ticket) };
  }
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
