import { countsHeat, IDLE_MS, issuedAtMs, type KeptVisit, keepVisit, takeVisit, type Viewing } from './kept-visit.ts';
import type { VisitClock } from './start-wait.ts';
import { openVisitLedger, type VisitLedger } from './visit-ledger.ts';

/**
 * `counts`: whether the video itself is playing. `measuresStart`: whether it was playable when the page was opened.
 * `playsItself`: whether the page starts playback automatically, if the browser allows it. `renew` requests a new
 * ticket for the current length of the video, and resolves to null if that fails.
 */
export type Counted = {
  counts: () => boolean;
  measuresStart: boolean;
  playsItself: () => boolean;
  renew: (ticket: string) => Promise<string | null>;
};

export type Beacons = {
  /**
   * Call when the length of media that was opened without one becomes known. From then on, the heatmap is counted in
   * the same session.
   */
  take(viewing: Viewing): void;
};

const EACH_MS = 10_000;
/**
 * Maximum number of requests for a ticket with which the heatmap is counted. They are sent immediately and with the
 * beacons of the next minutes.
 */
const MAX_RENEWALS = 20;
const STEP_MS = 250;
/** Minimum duration of a noticeable stall, in ms. */
const STALL_MS = 250;
/** If playback jumps to a position below this one without a seek, the video has looped. In seconds. */
const LOOPED_SEC = 0.5;

/**
 * Counts the watched parts of a video and sends the totals to the edge that served the page: at the first moving frame,
 * every ten seconds, and when the page is hidden or left. After 30 idle minutes, a new session begins. Until then, the
 * next page of this tab continues the session (`kept-visit.ts`). Nothing is sent to any other host.
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
    // A pause is not a stall. When playback resumes, a new wait is reported.
    wasPaused = true;
    endStall();
    visit.end(video.currentTime, video);
    visit.send();
  });
  video.addEventListener('seeking', () => {
    // If the video loops, playback passes the end between two steps.
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
  // Count movement from this position on, not from the next step.
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

  /** Continues the session that the previous page stored, if any. */
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

  /** Records that playback stopped at a position. */
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

  /** Stores the session when the viewer leaves the page, so that the next page of this tab can continue it. */
  leave(): void {
    this.send({ isLast: true });
    if (this.ledger.totals() !== null) keepVisit({ ...this.at, ledger: this.ledger.keep() });
  }

  /**
   * Requests a new ticket if the current one does not allow counting the heatmap. If that fails, the next beacon tries
   * again.
   */
  private async renewTicket(): Promise<void> {
    const { ticket } = this.at;
    if (countsHeat(ticket) || this.viewing.bucketCount === 0 || this.renewals >= MAX_RENEWALS) return;
    this.renewals += 1;
    const renewed = await this.renew(ticket);
    // A ticket with another issue time, as after three days, would belong to another session.
    if (renewed === null || issuedAtMs(renewed) !== issuedAtMs(this.at.ticket)) return;
    this.at.ticket = renewed;
    this.sent = '';
  }

  private begin(): void {
    this.at = { ...this.at, visit: this.at.visit + 1, sequence: 0 };
    this.ledger = openVisitLedger(this.clock, this.viewing, { measuresStart: false });
  }

  /**
   * Returns the clock of a ticket. The ticket of a previous page was issued earlier than that of this page, according
   * to the edge's clock.
   */
  private clockOf(ticket: string, movedMs = 0): VisitClock {
    const earlierMs = issuedAtMs(this.viewing.ticket) - issuedAtMs(ticket);
    // The clock of a page restored after sleep may be behind the totals of a page that was opened in the meantime.
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
