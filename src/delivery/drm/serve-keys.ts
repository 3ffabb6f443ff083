import type { Publication } from '../../catalog/publications/publication.ts';
import { parseGuid } from '../../lib/guid.ts';
import { parseClearKeyRequest, writeClearKeyLicence } from '../../media/drm/keys/clear-key.ts';
import type { ContentKey, DrmSystem } from '../../ports/drm-key-source.ts';
import type { LicenceProxy } from '../../ports/licence-proxy.ts';
import { type Answer, CACHE_NOTHING, CACHE_SHORTLY, notFound } from '../http/answer.ts';
import type { PlayRequest } from '../shield/play-request.ts';
import type { PlaybackAuthorizer } from '../shield/playback-authorizer.ts';
import type { PackageKeys } from './package-keys.ts';
import { OVER, type PlaySessions } from './play-sessions.ts';
import { livePackages } from './protection.ts';

export type KeyDeps = {
  keys: PackageKeys;
  sessions: PlaySessions;
  playback: PlaybackAuthorizer;
  /** Null if no licence server is configured. */
  licences: LicenceProxy | null;
};

const RAW = {
  kind: 'bytes',
  contentType: 'application/octet-stream',
  cacheControl: CACHE_NOTHING,
  etag: null,
} as const;

/**
 * Serves a key as 16 raw bytes: the key of a play session (43 characters), whose viewer had a token when the session
 * started, or a content key by its id, for players that do not request licences.
 */
export async function serveKey(
  publication: Publication,
  { name, play }: { name: string; play: PlayRequest },
  deps: KeyDeps,
): Promise<Answer> {
  const kid = parseGuid(name);
  if (kid === null) return serveSessionKey(publication, { session: name, play }, deps);
  const problem = await deps.playback.authorize(publication, play);
  if (problem !== null) return { kind: 'problem', problem };
  const key = (await grantedKeys(publication, deps)).find((one) => one.kid === kid);
  return key === undefined ? unknownKey() : { ...RAW, bytes: key.key };
}

async function serveSessionKey(
  publication: Publication,
  { session, play }: { session: string; play: PlayRequest },
  { sessions, playback }: KeyDeps,
): Promise<Answer> {
  const problem = await playback.authorizePage(publication, play);
  if (problem !== null) return { kind: 'problem', problem };
  const key = sessions.keyOf(publication, session, Date.now());
  return key === null ? { kind: 'problem', problem: OVER } : { ...RAW, bytes: key };
}

/**
 * Responds to a ClearKey licence request (W3C Encrypted Media Extensions section 9.1.3). Throws the same errors as
 * `parseClearKeyRequest`.
 */
export async function serveLicence(
  publication: Publication,
  { request, play }: { request: string; play: PlayRequest },
  deps: KeyDeps,
): Promise<Answer> {
  const problem = await deps.playback.authorize(publication, play);
  if (problem !== null) return { kind: 'problem', problem };
  const licence = writeClearKeyLicence(parseClearKeyRequest(request), await grantedKeys(publication, deps));
  return { ...RAW, contentType: 'application/json; charset=utf-8', bytes: Buffer.from(licence) };
}

type Challenge = { system: DrmSystem; challenge: Buffer; play: PlayRequest };

/**
 * Forwards a player's challenge to the licence server of a DRM system that a key server signalled. Throws the same
 * errors as `request`.
 */
export async function serveSystemLicence(
  publication: Publication,
  { system, challenge, play }: Challenge,
  { playback, licences }: KeyDeps,
  signal: AbortSignal,
): Promise<Answer> {
  const problem = await playback.authorize(publication, play);
  if (problem !== null) return { kind: 'problem', problem };
  const isSpokenFor = livePackages(publication, Date.now()).some(({ signals }) =>
    signals.some((signal) => signal.system === system),
  );
  if (!isSpokenFor || licences === null) return notFound('no-licences');
  return { ...RAW, bytes: await licences.request(system, { mediaId: publication.mediaId, challenge }, signal) };
}

/** Serves the FairPlay certificate, which players need before they can request a licence. */
export function serveCertificate({ licences }: KeyDeps): Answer {
  const certificate = licences?.fairPlayCertificate ?? null;
  if (certificate === null) return notFound('no-certificate');
  return { ...RAW, bytes: certificate, cacheControl: CACHE_SHORTLY };
}

/**
 * Returns the content keys that the edge may deliver. Keys from a key server are delivered only by its licence servers.
 */
async function grantedKeys(publication: Publication, { keys }: KeyDeps): Promise<ContentKey[]> {
  const ours = livePackages(publication, Date.now()).filter(({ signals }) => signals.length === 0);
  const opened = await Promise.all(ours.map((packaged) => keys.keysOf(publication, packaged)));
  return opened.flatMap(({ groups }) => Object.values(groups));
}

function unknownKey(): Answer {
  return notFound('unknown-key');
}
