import { Agent, request } from 'node:http';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import type { Firewall } from '../../src/catalog/shield/firewall/firewall.ts';
import { judgeInspection } from '../../src/catalog/shield/firewall/judge-inspection.ts';
import { CORE_SETTINGS } from '../../src/catalog/shield/firewall/open-firewall.ts';
import { startDeliveryEdge } from './delivery-server.ts';
import { makeFolder } from './millrace.ts';
import { startModSecurity } from './modsecurity.ts';
import { cpuSecOf } from './process-cpu.ts';
import { type Measurement, median, say } from './report.ts';
import { type CorpusRequest, requestCorpus } from './request-corpus.ts';
import type { Scope } from './scope.ts';

const TURNS = 5;
const CLIENTS = 50;
const AT_ONCE = 4;

/**
 * Measures the CPU time of the edge's firewall and of ModSecurity for the requests of a corpus, and the number of
 * different verdicts.
 */
export async function compareFirewalls(scope: Scope, firewall: Firewall): Promise<Measurement[]> {
  const folder = makeFolder(scope);
  const baseline = await startModSecurity(scope, folder, CORE_SETTINGS);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  scope.own(() => agent.destroy());
  const corpus = requestCorpus();
  const differing: string[] = [];
  const readable: CorpusRequest[] = [];
  for (const one of corpus) {
    const status = await send(agent, baseline.port, one, 0);
    // nginx itself rejects some requests and closes their connection.
    if (status !== 400 && one.method === 'GET') readable.push(one);
    const isFound = status === 403 || status === 400;
    const ours = rulesFound(firewall, one);
    if (isFound !== ours.length > 0)
      differing.push(
        `${one.method} ${one.url} ${one.headers.slice(6).join(': ')}: baseline ${status}, ours ${ours.join()}`,
      );
  }
  for (const line of differing.slice(0, 20)) say(line.slice(0, 200));
  const edge = await startDeliveryEdge(scope, { folder, bytes: 1, chunks: 1, segmentsPerChunk: 1 });
  const whole = { ours: [] as number[], baseline: [] as number[], plain: [] as number[], inspection: [] as number[] };
  const places = [
    { ...edge, spent: whole.ours },
    { ...baseline, spent: whole.baseline },
    { ...baseline, port: baseline.plainPort, spent: whole.plain },
  ];
  for (let turn = 0; turn <= TURNS; turn += 1) {
    // The first round compiles code and fills caches.
    const keep = (spent: number[], sec: number) => void (turn > 0 && spent.push((sec / readable.length) * 1e6));
    for (const { port, pid, spent } of places) {
      const before = cpuSecOf(pid);
      await sendAll(agent, port, readable);
      keep(spent, cpuSecOf(pid) - before);
    }
    const before = process.cpuUsage();
    for (const one of readable) rulesFound(firewall, one);
    const { user, system } = process.cpuUsage(before);
    keep(whole.inspection, (user + system) / 1e6);
  }
  const [ours, theirs] = [median(whole.ours), median(whole.baseline)];
  const theirFirewall = theirs - median(whole.plain);
  const unit = 'cpu-us';
  return [
    {
      name: 'firewall, the corpus; baseline: ModSecurity',
      ours: median(whole.inspection),
      baseline: theirFirewall,
      bar: 0.5,
      unit,
    },
    { name: '  with all of the request; baseline: nginx', ours, baseline: theirs, bar: null, unit },
    {
      name: `verdicts that differ of ${corpus.length}`,
      ours: differing.length,
      baseline: null,
      bar: 0,
      unit: '',
      isSpeedless: true,
    },
  ];
}

/** Returns the rules whose score reached the threshold, including those for scanners that are only logged. */
function rulesFound(firewall: Firewall, { method, url, headers }: CorpusRequest): string[] {
  const inspected = { method, url, httpVersion: '1.1', rawHeaders: [...headers], address: '192.0.2.1' };
  const { blocking, logged } = judgeInspection(firewall, inspected, { ...readWafSettings({}), blocks: true });
  const hits = blocking === null ? logged : [blocking];
  return hits
    .flatMap(({ rule, alsoMatched = [] }) => [rule, ...alsoMatched].map(({ id }) => id))
    .filter((id) => id.startsWith('9'));
}

async function sendAll(agent: Agent, port: number, corpus: readonly CorpusRequest[]): Promise<void> {
  let next = 0;
  const client = async () => {
    for (let at = next++; at < corpus.length; at = next++) {
      const one = corpus[at];
      if (one !== undefined) await send(agent, port, one, at % CLIENTS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

/**
 * Sends a request. `client` selects one of several loopback addresses, because the edge limits inspections per address.
 */
function send(agent: Agent, port: number, { method, url, headers }: CorpusRequest, client: number): Promise<number> {
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) => [headers[2 * index], headers[2 * index + 1]]);
  const asked = { agent, host: '127.0.0.1', port, localAddress: `127.9.0.${client + 1}`, method, path: url };
  return new Promise((resolve, reject) => {
    const sent = request({ ...asked, headers: Object.fromEntries(pairs) }, (response) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end();
  });
}
