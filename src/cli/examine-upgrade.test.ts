import { describe, expect, test } from 'vitest';
import type { NodeLine } from '../catalog/system/node-store.ts';
import { newGuid } from '../lib/guid.ts';
import { judgeUpgrade } from './examine-upgrade.ts';

const APPLIED = [{ name: '006-compatibility', oldestVersion: '0.1.0', appliedBy: '0.1.0' }];
const EXPAND = { name: '010-more', oldestVersion: '0.1.0' };
const CONTRACT = { name: '011-less', oldestVersion: '0.2.0' };
const ID = newGuid();

function node(change: Partial<NodeLine> = {}): NodeLine {
  const load = { cpuCores: 0, memoryBytes: 0, hostLoad: 0, hostCores: 2 };
  const times = { startedAt: new Date(0), lastSeenAt: new Date(0) };
  const state = { isDraining: false, isIncompatible: false, isLost: false, streams: [] };
  return { id: ID, host: 'a', role: 'worker', version: '0.1.0', ...load, ...times, ...state, ...change };
}

const stream = { libraryId: 1, streamId: ID, title: 'News', publisher: 'primary' as const };

describe('an upgrade to 0.3.0', () => {
  test.each([
    ['an expand step with an old process', [EXPAND], [node()], []],
    [
      'a contract step with an old process',
      [EXPAND, CONTRACT],
      [node()],
      [/0\.2\.0 or newer .* 011-less, got a\/worker/],
    ],
    ['a contract step with a process that knows it', [CONTRACT], [node({ version: '0.2.1' })], []],
    ['a contract step with a lost process', [CONTRACT], [node({ isLost: true })], []],
    ['no step and a newer process', [], [node({ version: '0.4.0' })], []],
    [
      'a process that refuses work',
      [],
      [node({ isIncompatible: true })],
      [/got a\/worker .* of 0\.1\.0, which refuses/],
    ],
    ['a process with a live stream', [], [node({ role: 'ingest', streams: [stream] })], []],
    ['a version that cannot be read', [EXPAND], [node({ version: 'unknown' })], [/got a\/worker .* of unknown/]],
  ])('reports the expected problems for %s', (_, pending, nodes, problems) => {
    const found = judgeUpgrade({ version: '0.3.0', applied: APPLIED, pending, nodes });
    expect(found.filter(({ isGood }) => !isGood).map((each) => each.found)).toEqual(
      problems.map((each) => expect.stringMatching(each)),
    );
  });

  test('a database that records no oldest versions is a problem', () => {
    const applied = [{ name: '003-nodes', oldestVersion: null, appliedBy: null }];
    const [schema] = judgeUpgrade({ version: '0.3.0', applied, pending: [EXPAND], nodes: [] });
    expect(schema).toMatchObject({ isGood: false, found: expect.stringContaining('got one with 003-nodes') });
  });

  test('the findings name each process, its version, and where each stream is live', () => {
    const nodes = [node({ role: 'ingest', isDraining: true, streams: [stream] }), node({ host: 'b', isLost: true })];
    const found = judgeUpgrade({ version: '0.3.0', applied: APPLIED, pending: [EXPAND], nodes });
    expect(found.map((each) => each.found)).toEqual([
      'the first process of this version runs 010-more (works with 0.1.0 and newer)',
      `a/ingest (${ID}) runs 0.1.0, drains`,
      `b/worker (${ID}) is lost and leaves the list by itself`,
      expect.stringContaining(`stream ${ID} ("News") is live on a/ingest (${ID})`),
    ]);
  });
});
