import { setTimeout as sleep } from 'node:timers/promises';
import { LIBRARY_KEY, type Service } from './service.ts';

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
let viewers = 0;
const BEACON_MS = 400;
const PATIENCE_MS = 60_000;

/** A viewer of a video that sends the same requests as a player page, without a browser. */
export type TestViewer = {
  /** Watches until `leave`. Each beacon contains the seconds watched so far. */
  watch(): void;
  /** Ends the session. Returns its seconds once the edge has accepted them. */
  leave(): Promise<number>;
  /** Ends the session without a final beacon. Does nothing after `leave`. */
  abandon(): Promise<void>;
};

/**
 * Opens the player's state for a ticket, as a page does, and fetches `segmentUrl` with each beacon. Each viewer has a
 * different user agent, by which the edge distinguishes viewers at the same address.
 */
export async function openViewer(service: Service, guid: string, segmentUrl: string): Promise<TestViewer> {
  const ticket = await readTicket(service, guid);
  viewers += 1;
  const userAgent = `${PERSON} Viewer/${viewers}`;
  const get = async () => {
    const headers = { 'User-Agent': userAgent, Referer: `${service.edgeUrl}/embed/1/${guid}` };
    const response = await fetch(segmentUrl, { headers, signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
  };
  await persist(get);
  const visit = { beganMs: performance.now(), sequence: 0, isOver: false };
  const watchedSec = () => Math.floor((performance.now() - visit.beganMs) / 1000);
  let watching: Promise<void> = Promise.resolve();
  const send = async (sec: number) => {
    visit.sequence += 1;
    const counts = { startupMs: 0, stallCount: 0, stallMs: 0, failures: 0, page: '', rungSec: {} };
    const totals = { visit: 0, sequence: visit.sequence, startedMs: 0, watchedSec: splitAtHour(ticket, sec), heat: '' };
    const response = await fetch(`${service.edgeUrl}/beacons`, {
      method: 'POST',
      headers: { 'User-Agent': userAgent },
      body: `${ticket}\n${JSON.stringify({ ...totals, ...counts })}`,
      signal: AbortSignal.timeout(5_000),
    });
    if (response.status !== 204) throw new Error(`Expected 204 for a beacon, got ${response.status}.`);
  };
  return {
    watch() {
      watching = (async () => {
        while (!visit.isOver) {
          // Ignores failures: after an outage of the edge, the next beacon contains the lost seconds again.
          await get()
            .then(() => send(watchedSec()))
            .catch(() => undefined);
          await sleep(BEACON_MS);
        }
      })();
    },
    async leave() {
      visit.isOver = true;
      await watching;
      const sec = watchedSec();
      await persist(() => send(sec));
      return sec;
    },
    async abandon() {
      visit.isOver = true;
      await watching;
    },
  };
}

/** All seconds of a session up to an hour boundary belong to the hour in which it began. */
function splitAtHour(ticket: string, sec: number): number[] {
  const leftSec = 3600 - (Math.floor(Number(ticket.split('.')[2]) / 1000) % 3600);
  return sec <= leftSec ? [sec] : [leftSec, sec - leftSec];
}

async function readTicket({ edgeUrl }: Service, guid: string): Promise<string> {
  return persist(async () => {
    const response = await fetch(`${edgeUrl}/embed/1/${guid}/state`, { signal: AbortSignal.timeout(5_000) });
    const { viewing }: { viewing?: { ticket?: unknown } } = Object(await response.json());
    if (typeof viewing?.ticket !== 'string') throw new Error(`Expected a ticket, got the status ${response.status}.`);
    return viewing.ticket;
  });
}

/** Retries until it succeeds, because a killed edge restarts soon. */
async function persist<T>(attempt: () => Promise<T>): Promise<T> {
  const limitMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > limitMs) throw error;
      await sleep(100);
    }
  }
}

/** Reads views and seconds of a video from the API: by day, by hour, and from the video's own model. */
export async function readNumbers({ apiUrl }: Service, guid: string) {
  const ask = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${apiUrl}/library/1/${path}`, { headers: { AccessKey: LIBRARY_KEY } });
    if (response.status !== 200) throw new Error(`Expected 200 for ${path}, got ${response.status}.`);
    return Object(await response.json());
  };
  const sums = async (query: string) => {
    const { viewsChart, watchTimeChart } = await ask(`statistics?videoGuid=${guid}${query}`);
    return { views: total(viewsChart), watchSec: total(watchTimeChart) };
  };
  const [daily, hourly, video] = await Promise.all([sums(''), sums('&hourly=true'), ask(`videos/${guid}`)]);
  return { daily, hourly, video: { views: Number(video.views), watchSec: Number(video.totalWatchTime) } };
}

function total(chart: unknown): number {
  return Object.values(Object(chart)).reduce((sum: number, value) => sum + Number(value), 0);
}
