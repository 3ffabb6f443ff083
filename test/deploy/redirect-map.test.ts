import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeRedirectMap } from '../../src/cli/rewrite/redirect-map.ts';
import { endWithTest } from '../support/end-with-test.ts';

test('nginx redirects with the printed map', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-map-'));
  const at = (name: string) => path.join(folder, name);
  const paths = Array.from({ length: 3_000 }, (_, index) => `/12345/${'x'.repeat(index % 90)}${index}/playlist.m3u8`);
  const redirects = new Map(paths.map((one) => [`cdn.old.example${one}`, `https://watch.example.com/vz-1${one}`]));
  const redirect = 'if ($millrace_address) { return 301 $millrace_address$is_args$args; }';
  const server = `server { listen unix:${at('socket')}; server_name cdn.old.example; ${redirect} return 404; }`;
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder};`);
  const http = `http { access_log off; ${folders.join(' ')} include ${at('map.conf')}; ${server} }`;
  writeFileSync(at('map.conf'), writeRedirectMap('nginx', redirects));
  writeFileSync(at('nginx.conf'), `daemon off; pid ${at('pid')}; error_log stderr; events {} ${http}`);
  const nginx = spawn('/usr/sbin/nginx', ['-c', at('nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithTest(nginx);
  let printed = '';
  nginx.stderr.on('data', (data: Buffer) => {
    printed += data.toString();
  });
  const ended = once(nginx, 'exit');
  await expect.poll(() => existsSync(at('socket')), { timeout: 20_000 }).toBe(true);
  const get = async (url: string) => {
    const ask = request({ socketPath: at('socket'), path: url, headers: { Host: 'cdn.old.example' } }).end();
    const [response] = await once(ask, 'response');
    response.resume();
    return [response.statusCode, response.headers.location];
  };
  for (const one of [paths[0], paths[89], paths[2_999]]) {
    expect(await get(`${one}?token=1`)).toEqual([301, `https://watch.example.com/vz-1${one}?token=1`]);
  }
  expect((await get('/other'))[0]).toBe(404);
  nginx.kill('SIGTERM');
  await ended;
  expect(printed).toBe('');
  rmSync(folder, { recursive: true });
}, 60_000);
