import type pg from 'pg';
import { createShieldEventStore, dayOf } from '../src/catalog/shield/events/shield-event-store.ts';
import { openCatalogue } from '../test/support/leftovers.ts';
import { ACCOUNT_KEY, type Service } from '../test/support/service.ts';
import { makeShieldEvent, wordDate } from '../test/support/shield-events.ts';
import { type Client, openClient } from './support/http.ts';
import { startMillrace } from './support/millrace.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';
import { connectTo } from './support/seed-videos.ts';

// Measures pages of the event log of a zone with 600,000 events in a day, over HTTP on one kept-alive connection. The
// baseline is the SQL statement for the same page, run directly from this process.
const EVENTS = 600_000;
const PAGE_EVENTS = 100;
/** Number of positions in the day at which a page is read repeatedly. */
const PLACES = 60;
const READS = 9;
/** Fields of a logged event: those that nginx logs for a request, and those of a rule. */
const LOG = JSON.stringify({
  ServerZoneId: 'bench',
  Message: 'Token signature mismatch',
  Url: `/vz-1/bcdn_token=***&expires=1700000000&token_path=%2F0193f0ca-0000-7000-8000-000000000000%2F/r/segment.m4s`,
  RemoteIp: '192.0.2.*',
  UrlEncodedBody: '',
  Headers: [{ Name: 'user-agent', Value: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)' }],
  TriggerMatch: { Key: '', Value: '' },
  Rules: [],
});

type Page = { logs: unknown[]; hasMoreData: boolean; continuationToken: string };
type Lab = { service: Service; client: Client; database: pg.Client; day: string };

await report('events', async (scope) => {
  const service = await startMillrace(scope);
  const database = await connectTo(service);
  scope.own(() => database.end());
  const client = openClient(1);
  scope.own(() => client.close());
  const lab: Lab = { service, client, database, day: dayOf(Date.now()) };
  await seed(lab);
  const { tokens, times } = await walk(lab);
  const share = (part: number) => quantile(times, part).toFixed(2);
  say(
    `${times.length} pages, one after the other: p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, slowest ${share(1)} ms.`,
  );
  const places = Array.from(
    { length: PLACES },
    (_, index) => tokens[Math.floor((index / PLACES) * tokens.length)] ?? '',
  );
  const medians: number[] = [];
  for (const token of places) medians.push(await readAgain(lab, token));
  const bare = await readBare(lab);
  return [
    page('first page', medians[0] ?? Number.NaN, bare),
    page('slowest of 60 places of the day', Math.max(...medians), bare),
    page('last page', await readAgain(lab, tokens.at(-1) ?? ''), bare),
  ];
});

function page(name: string, ours: number, baseline: number): Measurement {
  return { name, ours, baseline, bar: 5, unit: 'ms', isAbsolute: true };
}

/**
 * Stores one event as an edge does, which creates the partition of the day. All other events are copies of it, in order
 * of time.
 */
async function seed({ service, database, day }: Lab): Promise<void> {
  const catalogue = openCatalogue(service);
  try {
    await createShieldEventStore(catalogue.db).append([makeShieldEvent(1)]);
  } finally {
    await catalogue.close();
  }
  await database.query(
    `insert into shield_event select day, zone_id, nextval('shield_event_seq'), gen_random_uuid(), at, rule_id,
       rule_group, severity, status, method, country, asn, server_zone, $2
     from shield_event, generate_series(2, $1::int) where zone_id = 1 and day = $3`,
    [EVENTS, LOG, day],
  );
  // Autovacuum would do this during a real day.
  await database.query('vacuum analyze shield_event');
}

/** Reads all pages from the first to the last, using the continuation tokens. */
async function walk(lab: Lab): Promise<{ tokens: string[]; times: number[] }> {
  const tokens = [''];
  const times: number[] = [];
  let seen = 0;
  for (;;) {
    const startedMs = performance.now();
    const { logs, hasMoreData, continuationToken } = await readPage(lab, tokens.at(-1) ?? '');
    times.push(performance.now() - startedMs);
    seen += logs.length;
    if (!hasMoreData) break;
    tokens.push(continuationToken);
  }
  if (seen !== EVENTS) throw new Error(`Expected ${EVENTS} events on all pages, got ${seen}.`);
  return { tokens, times };
}

async function readPage({ service, client, day }: Lab, token: string): Promise<Page> {
  const url = `${service.apiUrl}/shield/event-logs/1/${wordDate(day)}/${encodeURIComponent(token)}`;
  const { status, body } = await client.ask(url, { headers: { AccessKey: ACCOUNT_KEY } });
  if (status !== 200) throw new Error(`Expected 200 for a page, got ${status}: ${body.toString().slice(0, 300)}`);
  return JSON.parse(body.toString());
}

async function readAgain(lab: Lab, token: string): Promise<number> {
  return medianMs(() => readPage(lab, token));
}

async function readBare({ database, day }: Lab): Promise<number> {
  const text = 'select * from shield_event where day = $1 and zone_id = 1 and seq > $2 order by seq limit $3';
  return medianMs(() => database.query(text, [day, EVENTS / 2, PAGE_EVENTS + 1]));
}

async function medianMs(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    const startedMs = performance.now();
    await read();
    times.push(performance.now() - startedMs);
  }
  return quantile(times, 0.5);
}
