import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../test/support/service.ts';
import { makeFolder } from '../millrace.ts';
import type { Scope } from '../scope.ts';

const MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so';

/**
 * nginx with Debian's RTMP module: accepts publishers under `rtmp`, and serves HLS with 2 s segments, in `folder`,
 * under `http`.
 */
export type NginxRtmp = { pid: number; rtmp: string; http: string; folder: string };

export async function startNginxRtmp(scope: Scope): Promise<NginxRtmp> {
  if (!existsSync(MODULE)) throw new Error('Expected nginx-rtmp. Run as root: apt-get install libnginx-mod-rtmp');
  const folder = makeFolder(scope);
  mkdirSync(path.join(folder, 'hls'));
  const [rtmpPort, httpPort] = [await freePort(), await freePort()];
  const config = path.join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `load_module ${MODULE}; daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
     events { worker_connections 2048; }
     rtmp { server { listen 127.0.0.1:${rtmpPort}; chunk_size 65536; application live {
       live on; hls on; hls_path ${folder}/hls; hls_fragment 2s; hls_playlist_length 30s; } } }
     http { access_log off; sendfile on; types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
       client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
       uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
       server { listen 127.0.0.1:${httpPort}; root ${folder}; add_header Access-Control-Allow-Origin *;
         location /page.html { default_type text/html; return 200 ''; } } }`,
  );
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  scope.own(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await untilListens(httpPort);
  const [rtmp, http] = [`rtmp://127.0.0.1:${rtmpPort}/live`, `http://127.0.0.1:${httpPort}/hls`];
  return { pid: child.pid ?? 0, rtmp, http, folder: path.join(folder, 'hls') };
}

async function untilListens(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) return;
    await sleep(50);
  }
  throw new Error('Expected nginx to listen within 5 s.');
}
