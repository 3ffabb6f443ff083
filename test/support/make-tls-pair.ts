import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TlsPaths } from '../../src/lib/tls/read-tls-pair.ts';

const DAY_MS = 86_400_000;

/**
 * Creates a certificate for localhost, 127.0.0.1, media.example.com and the names of the hosted service,
 * self-signed. If `days` is negative, the certificate has expired.
 */
export async function makeTlsPair(folder: string, name: string, days = 90): Promise<TlsPaths> {
  const authority = path.join(folder, `${name}.ca`);
  const at = (file: string) => path.join(authority, file);
  const [certificatePath, keyPath] = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)];
  await mkdir(authority);
  await writeFile(at('index'), '');
  await writeFile(at('config'), configOf(authority));
  const openssl = async (text: string) => void (await promisify(execFile)('openssl', text.split(' ')));
  const end = Date.now() + days * DAY_MS;
  const dates = `-startdate ${dateOf(end - 180 * DAY_MS)} -enddate ${dateOf(end)}`;
  await openssl(`ecparam -name prime256v1 -genkey -noout -out ${keyPath}`);
  await openssl(`req -new -key ${keyPath} -subj /CN=localhost -out ${at('request')} -config ${at('config')}`);
  const files = `-keyfile ${keyPath} -in ${at('request')} -out ${certificatePath}`;
  await openssl(`ca -batch -selfsign -config ${at('config')} -extensions own ${dates} ${files}`);
  return { certificatePath, keyPath };
}

function configOf(folder: string): string {
  return `[ca]
default_ca=own_ca
[own_ca]
database=${folder}/index
new_certs_dir=${folder}
default_md=sha256
policy=policy
rand_serial=yes
[policy]
commonName=supplied
[req]
distinguished_name=name
[name]
[own]
subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:media.example.com,DNS:video.bunnycdn.com,DNS:api.bunny.net
`;
}

/** Formats a time in the format that openssl expects: 20260131235959Z. */
function dateOf(ms: number): string {
  return `${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
}
