import { randomBytes } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashKey } from '../keys/access-key.ts';
import { hashPassword } from '../people/password-hash.ts';
import { SHARE_TOKEN, type Share, type ShareView } from './share.ts';
import type { ShareTable } from './share-schema.ts';

/** Maximum number of shares of a video. */
const MAX_SHARES = 100;
const TOKEN_BYTES = 32;

export type ShareKey = MediaKey & { shareId: Guid };
/** Fields that editors set. A null password opens the page to everybody with the link. */
export type ShareFields = { password: string | null; allowsDownload: boolean; expiresAt: Date | null };

/** Share pages of videos. */
export type ShareStore = {
  /**
   * Creates a share with a new link. Throws `Refused` (`not-found`) for an unknown video, and (`invalid`) for a video
   * that already has 100 shares.
   */
  create(key: MediaKey, fields: ShareFields & { createdBy: string }): Promise<ShareView>;
  /** Returns the shares of a video, oldest first. Throws `Refused` (`not-found`) for an unknown video. */
  list(key: MediaKey): Promise<ShareView[]>;
  /** Changes the given fields. Throws `Refused` (`not-found`) for an unknown share. */
  update(key: ShareKey, fields: Partial<ShareFields>): Promise<ShareView>;
  /** Ends a share. Throws `Refused` (`not-found`) for an unknown share. */
  remove(key: ShareKey): Promise<void>;
};

export function createShareStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): ShareStore {
  const toView = (row: Row): ShareView => ({
    id: row.id,
    token: secretBox.open(row.token_sealed),
    hasPassword: row.password_hash !== null,
    allowsDownload: row.allows_download,
    expiresAt: row.expires_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
  });
  return {
    async create(key, { password, allowsDownload, expiresAt, createdBy }) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const row = {
        id: newGuid(),
        library_id: key.libraryId,
        media_id: key.mediaId,
        token_hash: hashKey(token),
        token_sealed: secretBox.seal(token),
        // Computed before the transaction, because it takes long.
        password_hash: password === null ? null : await hashPassword(password),
        allows_download: allowsDownload,
        expires_at: expiresAt,
        created_by: createdBy,
      };
      return toView(await inTransaction(db, (tx) => insertShare(tx, key, row)));
    },
    async list(key) {
      await requireVideo(db, key, false);
      return (await selectShares(db, key).orderBy('id').execute()).map(toView);
    },
    async update(key, { password, allowsDownload, expiresAt }) {
      const { libraryId, mediaId, shareId } = key;
      const hash = typeof password === 'string' ? await hashPassword(password) : password;
      const row = await db
        .updateTable('share')
        .set({
          id: shareId,
          ...(hash !== undefined && { password_hash: hash }),
          ...(allowsDownload !== undefined && { allows_download: allowsDownload }),
          ...(expiresAt !== undefined && { expires_at: expiresAt }),
        })
        .where('library_id', '=', libraryId)
        .where('media_id', '=', mediaId)
        .where('id', '=', shareId)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? unknownShare(key) : toView(row);
    },
    async remove(key) {
      const { numDeletedRows } = await db
        .deleteFrom('share')
        .where('library_id', '=', key.libraryId)
        .where('media_id', '=', key.mediaId)
        .where('id', '=', key.shareId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) unknownShare(key);
    },
  };
}

/** Finds the share of a link, whether or not it has expired. Returns null for a token that no share has. */
export async function findShare(db: Db, token: string): Promise<Share | null> {
  if (!SHARE_TOKEN.test(token)) return null;
  return (await selectForEdge(db).where('token_hash', '=', hashKey(token)).executeTakeFirst()) ?? null;
}

/** Returns the share with an id, which does not open its page. Returns null if there is none. */
export async function findShareById(db: Db, id: Guid): Promise<Share | null> {
  return (await selectForEdge(db).where('id', '=', id).executeTakeFirst()) ?? null;
}

function selectForEdge(db: Db) {
  return db
    .selectFrom('share')
    .select(['id', 'library_id as libraryId', 'media_id as mediaId', 'password_hash as passwordHash'])
    .select(['allows_download as allowsDownload', 'expires_at as expiresAt']);
}

type Row = Selectable<ShareTable>;

function selectShares(db: Db, { libraryId, mediaId }: MediaKey) {
  return db.selectFrom('share').selectAll().where('library_id', '=', libraryId).where('media_id', '=', mediaId);
}

async function insertShare(tx: Tx, key: MediaKey, row: Insertable<ShareTable>): Promise<Row> {
  // The lock keeps the count correct until the new share is written.
  await requireVideo(tx, key, true);
  const { length } = await selectShares(tx, key).select('id').execute();
  if (length >= MAX_SHARES) {
    throw new Refused('invalid', `Video ${key.mediaId} already has ${length} shares. Delete one that is not needed.`);
  }
  return tx.insertInto('share').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Requires a video that is not in the trash. */
async function requireVideo(db: Db | Tx, { libraryId, mediaId }: MediaKey, lock: boolean): Promise<void> {
  const row = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '=', 'video')
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (row !== undefined) return;
  throw new Refused('not-found', `Video ${mediaId} in library ${libraryId} not found. Check the id.`);
}

function unknownShare({ libraryId, mediaId, shareId }: ShareKey): never {
  const message = `Share ${shareId} of video ${mediaId} in library ${libraryId} not found. Check the ids.`;
  throw new Refused('not-found', message);
}
