import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAsnTable } from './asn-table.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mr-asn-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const whole = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const wide = (start: bigint) => `${start << 64n}`;

test('finds addresses in the source lists and the compiled table, even if the table cannot be saved', async () => {
  const lists = { v4: join(folder, 'v4.csv'), v6: join(folder, 'v6.csv') };
  await writeFile(
    lists.v4,
    `${whole('192.0.2.0')},${whole('192.0.2.127')},64500,"A, ` +
      `B"\n${whole('198.51.100.0')},${whole('198.51.100.255')},64501,C\n`,
  );
  await writeFile(lists.v6, `${wide(0x2001_0db8_0001_0000n)},${wide(0x2001_0db8_0001_ffffn)},64502,D\n`);
  const path = join(folder, 'cache', 'asn.bin');
  const reported: Error[] = [];
  const report = (error: Error) => void reported.push(error);
  const made = await openAsnTable(path, lists, report);
  const stored = await openAsnTable(path, { v4: join(folder, 'gone'), v6: join(folder, 'gone') }, report);
  expect(reported).toEqual([]);
  const unwritable = join(folder, 'unwritable.bin');
  // Make saving fail: a folder occupies the path of the temporary file.
  await mkdir(`${unwritable}.${process.pid}`);
  const unkept = await openAsnTable(unwritable, lists, report);
  expect(reported).toMatchObject([{ message: expect.stringContaining(unwritable), cause: { code: 'EISDIR' } }]);
  for (const asnOf of [made, stored, unkept]) {
    const addresses = [
      '192.0.2.0',
      '192.0.2.127',
      '192.0.2.128',
      '::ffff:198.51.100.7',
      '2001:db8:1:ff::9',
      '2001:db8:2::1',
      '10.0.0.1',
      'unknown',
    ];
    expect(addresses.map(asnOf)).toEqual(['64500', '64500', null, '64501', '64502', null, null, null]);
  }
});
