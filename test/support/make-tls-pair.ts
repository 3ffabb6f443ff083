import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TlsPaths } from '../../src/lib/tls/read-tls-pair.ts';

const run = promisify(execFile);

/** Creates a certificate for localhost and 127.0.0.1, signed by its own key. `days` may be negative: it has expired. */
export async function makeTlsPair(folder: string, name: string, days = 90): Promise<TlsPaths> {
  const [certificatePath, keyPath] = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)];
  const at = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  const end = Date.now() + days * 86_400_000;
  const config = `[req]\ndistinguished_name=dn\n[dn]\n[own]\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n`;
  const curve = ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', keyPath];
  await run('openssl', curve);
  const request = path.join(folder, `${name}.csr`);
  const configPath = path.join(folder, `${name}.cnf`);
  const { writeFile, mkdir } = await import('node:fs/promises');
  const authority = path.join(folder, `${name}.ca`);
  await mkdir(authority, { recursive: true });
  await writeFile(path.join(authority, 'index'), '');
  const ca = `[ca]\ndefault_ca=x\n[x]\ndatabase=${authority}/index\nnew_certs_dir=${authority}\ndefault_md=sha256\npolicy=p\n`;
  await writeFile(configPath, `${ca}rand_serial=yes\n[p]\ncommonName=supplied\n${config}`);
  await run('openssl', [
    'req',
    '-new',
    '-key',
    keyPath,
    '-subj',
    '/CN=localhost',
    '-out',
    request,
    '-config',
    configPath,
  ]);
  const dates = ['-startdate', at(end - 180 * 86_400_000), '-enddate', at(end)];
  const files = ['-in', request, '-out', certificatePath, '-keyfile', keyPath];
  await run('openssl', ['ca', '-batch', '-selfsign', '-config', configPath, '-extensions', 'own', ...dates, ...files]);
  return { certificatePath, keyPath };
}
