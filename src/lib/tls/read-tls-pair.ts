import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { quote } from '../quote.ts';
import { readSmallFile } from '../read-small-file.ts';
import { Refused } from '../refused.ts';

/** Paths of two PEM files: a certificate chain, the server's certificate first, and its private key. */
export type TlsPaths = { certificatePath: string; keyPath: string };

/** A certificate chain and its key in PEM, and the end of the validity of the server's certificate. */
export type TlsPair = { cert: string; key: string; expiresAt: Date };

/** Names of the settings of two files, for messages. */
type Names = { certificate: string; key: string };

const TLS: Names = { certificate: 'MILLRACE_TLS_CERTIFICATE', key: 'MILLRACE_TLS_KEY' };
/** Names of the settings for publishers. */
export const INGEST_TLS: Names = {
  certificate: 'MILLRACE_INGEST_CERTIFICATE',
  key: 'MILLRACE_INGEST_CERTIFICATE_KEY',
};
const CERTIFICATE_MARK = '-----BEGIN CERTIFICATE-----';
const KEY_MARK = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

/**
 * Reads a certificate and its key. Throws `Refused`, with one line that names the setting, if a file cannot be read,
 * the files are swapped, the key is encrypted, or the key belongs to another certificate. Accepts an expired
 * certificate: clients refuse it, and the log warns.
 */
export function readTlsPair({ certificatePath, keyPath }: TlsPaths, names = TLS): TlsPair {
  const cert = readPem(names.certificate, certificatePath);
  const key = readPem(names.key, keyPath);
  if (!cert.includes(CERTIFICATE_MARK) && KEY_MARK.test(cert) && key.includes(CERTIFICATE_MARK))
    throw misfit(names.certificate, `a certificate, got the private key. Swap ${names.certificate} and ${names.key}`);
  const certificate = parse(
    names.certificate,
    'a certificate in PEM',
    certificatePath,
    () => new X509Certificate(cert),
  );
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(key)) {
    const command = 'openssl pkey -in ENCRYPTED -out PLAIN';
    throw misfit(
      names.key,
      `a key without a password, got an encrypted one in ${quote(keyPath)}. Decrypt it: ${command}`,
    );
  }
  const privateKey = parse(names.key, 'a private key in PEM', keyPath, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw misfit(names.key, `the key of the first certificate in ${quote(certificatePath)}, got another one`);
  parse(names.certificate, 'a certificate chain', certificatePath, () => createSecureContext({ cert, key }));
  return { cert, key, expiresAt: new Date(certificate.validTo) };
}

/** Reads the certificate of a service. Returns null without TLS. Throws `Refused` like `readTlsPair`. */
export function readCertificate(tls: TlsPaths | null | undefined): X509Certificate | null {
  return tls == null ? null : new X509Certificate(readTlsPair(tls).cert);
}

function readPem(name: string, path: string): string {
  try {
    return readSmallFile(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw misfit(name, `the path of a file that this user may read, got ${reason}`, cause);
  }
}

function parse<T>(name: string, expected: string, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw misfit(name, `${expected} in ${quote(path)}, got something else (${reason})`, cause);
  }
}

function misfit(name: string, text: string, cause?: unknown): Refused {
  return new Refused('invalid', `${name}: expected ${text}.`, { cause });
}
