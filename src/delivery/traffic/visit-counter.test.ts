import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { someSession } from '../../../test/support/some-session.ts';
import { newPageName, writeTicket } from '../../catalog/statistics/sessions/viewing-ticket.ts';
import { viewerId } from '../../catalog/statistics/visits/viewer-id.ts';
import { newGuid } from '../../lib/guid.ts';
import { VisitCounter } from './visit-counter.ts';

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const ticketSecret = createSecretKey(Buffer.alloc(32, 8));

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('counts viewing sessions in a thread, and writes the remaining ones when it closes', async () => {
  const { db } = database;
  const [libraryId, mediaId] = [await addLibraryRow(db), newGuid()];
  const of = { libraryId, mediaId };
  const media = { library_id: libraryId, id: mediaId, type: 'video', title: 'Film', state: 'finished' } as const;
  await db.insertInto('media').values(media).execute();
  const { host = '' } = database.config;
  const connection = { host, port: 5432, user: 'millrace', database: 'postgres' };
  const options = { countsEstimates: true };
  const warnings = captureLog(['warn']).lines;
  const counter = new VisitCounter({
    thread: { connection, options, countsUniqueViewers: true },
    ticketSecret: () => [ticketSecret],
  });
  const nowMs = Date.now();
  let viewers = 0;
  const report = (secret = ticketSecret) => {
    viewers += 1;
    const address = `10.0.${viewers >> 8}.${viewers & 255}`;
    const viewer = viewerId({ kind: 'page', ...of, address, userAgent: PERSON }, ticketSecret);
    counter.deliver({ viewerId: viewer, deliveredMs: 10_000, passes: 1 });
    const ticket = { ...of, issuedAtMs: nowMs - 5_000, bucketSec: 1, bucketCount: 600, page: newPageName() };
    const totals = { visit: 0, sequence: 1, startedMs: 500, watchedSec: [2], heat: 'AQE', rungSec: { 720: 2 } };
    const counts = { startupMs: 400, stallCount: 0, stallMs: 0, failures: 0, page: 'shop.example' };
    const body = `${writeTicket(ticket, secret)}\n${JSON.stringify({ ...totals, ...counts })}`;
    counter.take({ body, country: 'DE', address, userAgent: PERSON, nowMs });
  };
  const views = async () => {
    const found = db.selectFrom('media').select('views').where('id', '=', mediaId);
    return (await found.executeTakeFirstOrThrow()).views;
  };
  for (let visit = 0; visit < 700; visit += 1) report();
  report(createSecretKey(Buffer.alloc(32, 9)));
  await expect.poll(views).toBe(700);
  for (let visit = 0; visit < 300; visit += 1) report();
  counter.estimate(someSession(of, { isEstimate: true, heat: Buffer.alloc(0) }));
  await counter.close();
  expect(await views()).toBe(1_001);
  const heat = db.selectFrom('media_heat').select('counts').where('media_id', '=', mediaId);
  expect((await heat.executeTakeFirstOrThrow()).counts.readUInt32LE(4)).toBe(1_000);
  expect(warnings).toEqual([]);
});

test('reports a failure to count viewing sessions, and closes without waiting for it', async () => {
  const connection = { host: '/nonexistent', port: 1, user: 'nobody', database: 'none' };
  const warnings = captureLog(['warn']).lines;
  const counter = new VisitCounter({
    thread: { connection, options: { countsEstimates: true }, countsUniqueViewers: false },
    ticketSecret: () => [ticketSecret],
  });
  counter.estimate(someSession({ libraryId: 1, mediaId: newGuid() }, { isEstimate: true }));
  await expect
    .poll(() => warnings)
    .toMatchObject([{ fields: { event: 'sessions.delayed', err: { message: expect.stringContaining('ENOENT') } } }]);
  expect(warnings[0]?.fields).toMatchObject({ waiting: 1 });
  await counter.close();
});
