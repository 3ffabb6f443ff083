import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findUnknownSettings, readSettings } from '../../src/config/settings.ts';
import { listFiles } from '../support/list-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

test('each setting that is named in deploy and in the page about the installation exists', async () => {
  const files = [
    ...(await listFiles(join(ROOT, 'deploy'))).map((name) => `deploy/${name}`),
    'docs/install.md',
    'README.md',
  ];
  const named = files.flatMap((file) => [...read(file).matchAll(/\bMILLRACE_[A-Z]\w*/g)].map(([name]) => [name, file]));
  expect(named.length).toBeGreaterThan(50);
  const unknown = findUnknownSettings(Object.fromEntries(named)).map(({ name }) => name);
  // The page about the installation explains the message about this misspelt name.
  expect(unknown).toEqual(['MILLRACE_PROT']);
  expect(named.filter(([name]) => name === 'MILLRACE_PROT')).toEqual([['MILLRACE_PROT', 'docs/install.md']]);
});

test.each(['compose.yaml', 'compose.cluster.yaml'])(
  'the ports and upstreams of %s are those of the service',
  (name) => {
    const { services } = parse(read(`deploy/${name}`), { merge: true });
    const [, lines = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('deploy/Containerfile')) ?? [];
    const image = Object.fromEntries([...lines.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value]));
    const own = services.ingest ?? services.millrace;
    const { MILLRACE_WHIP_UDP_PORT } = own.environment;
    const settings = readSettings({ ...image, MILLRACE_WHIP_UDP_PORT });
    const { port, edgePort, rtmpPort, srtPort, whipPort, whipUdpPort, healthPort } = settings;
    const wanted = [rtmpPort, `${srtPort}/udp`, whipPort, `${whipUdpPort}/udp`];
    expect(own.ports).toEqual(wanted.map((one) => `${Number.parseInt(`${one}`, 10)}:${one}`));
    const exposed = /^EXPOSE (.*)$/m.exec(read('deploy/Containerfile'))?.[1]?.split(' ');
    const listened = [`${port}/tcp`, `${edgePort}/tcp`, `${healthPort}/tcp`, `${rtmpPort}/tcp`, `${srtPort}/udp`];
    expect(exposed).toEqual(expect.arrayContaining([...listened, `${whipPort}/tcp`, `${whipUdpPort}/udp`]));
    const { API_UPSTREAM = 'millrace:7700', EDGE_UPSTREAM = 'millrace:7701' } = services.caddy.environment;
    const isWhole = services.millrace !== undefined;
    expect(API_UPSTREAM).toBe(`${isWhole ? 'millrace' : 'api'}:${port}`);
    expect(EDGE_UPSTREAM).toBe(`${isWhole ? 'millrace' : 'edge'}:${edgePort}`);
    if (isWhole)
      expect(read('deploy/Caddyfile')).toMatch(/API_UPSTREAM:millrace:7700\}[\s\S]*EDGE_UPSTREAM:millrace:7701\}/);
  },
);
