import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import type { NamedProtection } from '../../catalog/shield/admission/edge-path.ts';
import { openAes } from '../../lib/aes.ts';
import { encryptSegment, HEADROOM_BYTES, measureEncrypted } from '../../media/drm/encryption/encrypt-segment.ts';
import { encryptedHlsSizeBytes, encryptHlsSegment } from '../../media/drm/signalling/hls-aes128.ts';
import { type Answer, CACHE_FOR_EVER, CACHE_PRIVATELY, notFound } from '../http/answer.ts';
import type { ObjectWindow } from '../objects/object-part.ts';
import { type KeyedRendition, nameOf, type OpenedRendition, type PackageKeys } from './package-keys.ts';
import { OVER, type PlaySessions } from './play-sessions.ts';
import type { ProtectedObjects } from './protected-objects.ts';
import { isClear, livePackages } from './protection.ts';

/** Protection of delivered bytes, with its encryption parameters. */
export type OpenProtection =
  | { kind: 'clear' }
  | { kind: 'package'; packaged: DrmPackage }
  | { kind: 'session'; session: string; key: Buffer };

/** Requested bytes of a rendition: its init segment, a segment, or one frame. */
export type Piece =
  | { kind: 'init'; bytes: Buffer }
  | { kind: 'segment'; window: ObjectWindow; segment: number }
  | ({ kind: 'picture'; name: string } & Picture);

/** A frame of a segment, as a fragment with its own header. */
type Picture = { window: ObjectWindow; head: Buffer; segment: number; firstSample: number };

export type ProtectionDeps = { keys: PackageKeys; sessions: PlaySessions; protectedObjects: ProtectedObjects };

const NO_HEAD = Buffer.alloc(0);

/** Returns the protection that a URL specifies, or the reason for a refusal. */
export function openProtection(
  publication: Publication,
  protection: NamedProtection,
  sessions: PlaySessions,
): { open: OpenProtection } | { refusal: Answer } {
  switch (protection.kind) {
    case 'clear':
      return isClear(publication) ? { open: protection } : { refusal: notFound('protected') };
    case 'session': {
      const key = sessions.keyOf(publication, protection.session, Date.now());
      return key === null ? { refusal: { kind: 'problem', problem: OVER } } : { open: { ...protection, key } };
    }
    case 'package': {
      const packaged = livePackages(publication, Date.now()).find(({ number }) => number === protection.number);
      return packaged === undefined
        ? { refusal: notFound('unknown-package') }
        : { open: { kind: 'package', packaged } };
    }
  }
}

/** A piece of a rendition, and the protection with which it is delivered. */
export type ProtectedPiece<C = Exclude<OpenProtection, { kind: 'clear' }>> = {
  publication: Publication;
  rendition: KeyedRendition;
  piece: Piece;
  protection: C;
};

/** Returns the response with a piece encrypted by its protection. Calls `leave` only if it must wait for memory. */
export async function encryptBytes(
  protectedPiece: ProtectedPiece,
  deps: ProtectionDeps,
  leave: () => AbortSignal,
): Promise<Answer> {
  const { protection } = protectedPiece;
  return protection.kind === 'package'
    ? encryptByPackage({ ...protectedPiece, protection }, deps, leave)
    : encryptBySession({ ...protectedPiece, protection }, deps, leave);
}

async function encryptByPackage(
  {
    publication,
    rendition,
    piece,
    protection: { packaged },
  }: ProtectedPiece<Extract<OpenProtection, { kind: 'package' }>>,
  { keys, protectedObjects }: ProtectionDeps,
  leave: () => AbortSignal,
): Promise<Answer> {
  const track = { publication, packaged, rendition };
  const common = { contentType: `${rendition.kind}/mp4`, cacheControl: CACHE_FOR_EVER };
  if (piece.kind === 'init') {
    const etag = `"${nameOf(track)}-init"`;
    return { kind: 'bytes', bytes: await keys.initOf(track), ...common, etag };
  }
  const cipher = await keys.cipherOf(track);
  const { window, segment } = piece;
  const [position, head] =
    piece.kind === 'segment'
      ? [{ cipher, number: segment }, NO_HEAD]
      : [{ cipher, number: segment, firstSample: piece.firstSample }, piece.head];
  const name = `${nameOf(track)}|${piece.kind === 'segment' ? segment : piece.name}`;
  const measure = (clear: Buffer) => measureEncrypted(Buffer.concat([head, clear]), position);
  const encrypt = (bytes: Buffer) => {
    head.copy(bytes, HEADROOM_BYTES);
    return encryptSegment({ bytes, clearStart: HEADROOM_BYTES }, position);
  };
  const room = { beforeBytes: HEADROOM_BYTES + head.length, behindBytes: 0, encrypt };
  return {
    kind: 'made',
    measure: () => protectedObjects.measure({ window, measure }, leave),
    lend: () => protectedObjects.lend({ name, window, ...room }, leave),
    ...common,
    etag: `"${name}"`,
  };
}

function encryptBySession(
  { rendition, piece, protection: { session, key } }: ProtectedPiece<Extract<OpenProtection, { kind: 'session' }>>,
  { protectedObjects }: ProtectionDeps,
  leave: () => AbortSignal,
): Answer {
  const common = { contentType: `${rendition.kind}/mp4`, cacheControl: CACHE_PRIVATELY };
  if (piece.kind === 'init') return { kind: 'bytes', bytes: piece.bytes, ...common, etag: `"${rendition.id}-s-init"` };
  if (piece.kind === 'picture') return notFound('no-i-frames');
  const { segment, window } = piece;
  const clearBytes = window.sizeBytes;
  const behindBytes = encryptedHlsSizeBytes(clearBytes) - clearBytes;
  const encrypt = (room: Buffer) => encryptHlsSegment({ room, clearBytes }, openAes('cbc', key), segment);
  return {
    kind: 'made',
    measure: async () => clearBytes + behindBytes,
    lend: () => protectedObjects.lend({ name: null, window, beforeBytes: 0, behindBytes, encrypt }, leave),
    ...common,
    etag: `"${rendition.id}-${session}-${segment}"`,
  };
}

/** Returns whether a rendition has an init segment. */
export function isOpened(rendition: StoredRendition): rendition is OpenedRendition {
  return rendition.init !== null;
}
