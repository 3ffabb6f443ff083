import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Db } from '../catalog/db.ts';
import type { Packager } from '../catalog/drm/packager.ts';
import type { RoleSettings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import { Refused } from '../lib/refused.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { DrmKeySource } from '../ports/drm-key-source.ts';
import type { LicenceProxy } from '../ports/licence-proxy.ts';

const SECRET_BYTES = 32;

/** Returns the secret of play sessions. All edges with the same secret key derive the same one. */
export function playSessionSecret(secretKey: Uint8Array): KeyObject {
  // With raw bytes, Node would create a key object for each code, which takes four times as long as the code itself.
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secretKey, '', 'millrace play sessions', SECRET_BYTES)));
}

/** Returns the secret that signs page tokens of the event log. It is the same for each api process. */
export function eventCursorSecret(secretKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretKey, '', 'millrace event cursors', SECRET_BYTES));
}

/** Opens the source of video keys: the configured key server, or else our own. */
export async function openPackager(
  settings: RoleSettings,
  { db, secretBox }: { db: Db; secretBox: SecretBox },
  outbound: Outbound,
): Promise<Packager> {
  const { createPackager } = await import('../catalog/drm/packager.ts');
  const keySource = await openKeySource(settings, outbound);
  return createPackager({ db, secretBox, keySource, scheme: settings.drmScheme });
}

async function openKeySource({ keyServer }: RoleSettings, outbound: Outbound): Promise<DrmKeySource> {
  if (keyServer === null) return (await import('../adapters/drm-key-source/built-in-key-source.ts')).builtInKeySource;
  const [{ createSpekeKeySource }, { parseCpixAnswer, writeCpixRequest }] = await Promise.all([
    import('../adapters/drm-key-source/speke-key-source.ts'),
    import('../media/drm/keys/cpix.ts'),
  ]);
  const cpix = { write: writeCpixRequest, parse: parseCpixAnswer };
  return createSpekeKeySource({ ...keyServer, outbound, cpix });
}

/** Opens a proxy to the configured licence servers. */
export async function openLicenceProxy(
  settings: Pick<RoleSettings, 'licenceServers' | 'fairPlayCertificatePath'>,
  outbound: Outbound,
): Promise<LicenceProxy> {
  const { createLicenceProxy } = await import('../adapters/licence-proxy/licence-proxy.ts');
  const { licenceServers: servers, fairPlayCertificatePath: path } = settings;
  const fairPlayCertificate = path === null ? null : await readCertificate(path);
  return createLicenceProxy({ servers, fairPlayCertificate, outbound });
}

type CountDeps = { db: Db; outbound: Outbound };

/** Opens the proxy to licence servers and counts each licence. `close` it before the database. */
export async function openCountedLicences(
  settings: Pick<RoleSettings, 'licenceServers' | 'fairPlayCertificatePath'>,
  { db, outbound }: CountDeps,
): Promise<{ licences: LicenceProxy; close(): Promise<void> }> {
  const [{ createLicenceCounter }, { addLicences }] = await Promise.all([
    import('../catalog/drm/licence-counter.ts'),
    import('../catalog/drm/licence-count-store.ts'),
  ]);
  const proxy = await openLicenceProxy(settings, outbound);
  return createLicenceCounter(proxy, {
    write: (given) => addLicences(db, given),
    onError: (error) => logEvent('licences.uncounted', { err: error }),
  });
}

async function readCertificate(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Refused('invalid', `MILLRACE_FAIRPLAY_CERTIFICATE: expected a readable file: ${reason}.`, {
      cause,
    });
  }
}

/**
 * Like `openCountedLicences`, for the edge, which has no outbound access unless a licence server or a certificate is
 * configured.
 */
export async function openEdgeLicences(
  settings: RoleSettings,
  { db }: Pick<CountDeps, 'db'>,
): Promise<{ licences: LicenceProxy | null; close(): Promise<void> }> {
  const { licenceServers, fairPlayCertificatePath } = settings;
  if (Object.keys(licenceServers).length === 0 && fairPlayCertificatePath === null) {
    return { licences: null, close: async () => undefined };
  }
  const { createOutbound } = await import('../lib/outbound/outbound.ts');
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const { licences, close } = await openCountedLicences(settings, { db, outbound });
  return {
    licences,
    async close() {
      await close();
      await outbound.close();
    },
  };
}
