import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/service.ts';
import { stopChild } from './delivery-server.ts';
import type { Scope } from './scope.ts';

const MODULE = '/usr/lib/nginx/modules/ngx_http_modsecurity_module.so';
const RULES = '/usr/share/modsecurity-crs/rules';
/** Ids of rules that need libinjection, for which there is no Node package. They are disabled. */
const LIBINJECTION = '941100 941101 942100 942101';

/**
 * Starts nginx with ModSecurity and the core rule set of Debian in blocking mode, with the same rule exceptions as the
 * edge's firewall. At `plainPort`, the same process responds without ModSecurity.
 */
export async function startModSecurity(
  scope: Scope,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ port: number; plainPort: number; pid: number }> {
  const [port, plainPort] = [await freePort(), await freePort()];
  mkdirSync(path.join(folder, 'www'), { recursive: true });
  writeFileSync(path.join(folder, 'www/index.html'), 'There is nothing here.');
  const set = Object.entries(settings).map(([name, value]) => `setvar:'tx.${name}=${value}'`);
  writeFileSync(
    path.join(folder, 'modsecurity.conf'),
    `SecRuleEngine On
SecRequestBodyAccess On
SecResponseBodyAccess Off
SecAuditEngine Off
SecArgumentSeparator &
SecCookieFormat 0
SecUnicodeMapFile /etc/nginx/unicode.mapping 20127
Include /etc/modsecurity/crs/crs-setup.conf
SecAction "id:900990,phase:1,nolog,pass,t:none,${set.join(',')}"
Include ${RULES}/*.conf
SecRuleRemoveById ${LIBINJECTION}
`,
  );
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    path.join(folder, 'waf.conf'),
    `load_module ${MODULE}; daemon off; master_process off; pid ${folder}/waf.pid; error_log /dev/null crit;
     events { worker_connections 512; }
     http { access_log off; keepalive_requests 1000000; ${paths.join(' ')}
       modsecurity on; modsecurity_rules_file ${folder}/modsecurity.conf;
       server { listen 127.0.0.1:${port}; root ${folder}/www; location / { try_files /index.html =404; } }
       server { listen 127.0.0.1:${plainPort}; modsecurity off; root ${folder}/www;
         location / { try_files /index.html =404; } } }`,
  );
  const args = ['-p', folder, '-c', path.join(folder, 'waf.conf')];
  const child = spawn('/usr/sbin/nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  scope.own(() => stopChild(child));
  for (let attempt = 0; ; attempt += 1) {
    const answers = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answers) return { port, plainPort, pid: child.pid ?? 0 };
    if (attempt === 200 || child.exitCode !== null) throw new Error('Expected nginx with ModSecurity to listen.');
    await sleep(50);
  }
}
