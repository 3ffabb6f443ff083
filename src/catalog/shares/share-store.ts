import { randomBytes } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { CollectionKey } from '../collections/collection-store.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashKey } from '../keys/access-key.ts';
import { hashPassword } from '../people/password-hash.ts';
import { SHARE_TOKEN, type Share, type ShareView } from './share.ts';
import type { ShareTable } from './share-schema.ts';

/** Maximum number of shares of a video or collection. */
const MAX_SHARES = 100;
const TOKEN_BYTES = 32;

/** The video or collection that a share shows. */
type SharedKey = MediaKey | CollectionKey;
export type ShareKey = SharedKey & { shareId: Guid };
/** Fields that editors set. Without password and domains, everyone with the link can open the page. */
export type ShareFields = {
  password: string | null;
  /** Absent in a new share: none. */
  emailDomains?: readonly string[];
  allowsDownload: boolean;
  /** Absent in a new share: false. Only for a video. */
  allowsComments?: boolean;
  expiresAt: Date | null;
};

/** Share pages of videos and collections. */
export type ShareStore = {
  /**
   * Creates a share with a new link. Throws `Refused` (`not-found`) for an unknown video or collection, and (`invalid`)
   * for one that already has 100 shares, and for a collection with comments.
   */
  create(key: SharedKey, fields: ShareFields & { createdBy: string }): Promise<ShareView>;
  /** Returns the shares, oldest first. Throws `Refused` (`not-found`) for an unknown video or collection. */
  list(key: SharedKey): Promise<ShareView[]>;
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
    emailDomains: row.email_domains,
    allowsDownload: row.allows_download,
    allowsComments: row.allows_comments,
    expiresAt: row.expires_at,
    createdBy: row.keyLabel ?? row.created_by,
    createdAt: row.created_at,
  });
  return {
    async create(key, { password, emailDomains = [], allowsDownload, allowsComments = false, expiresAt, createdBy }) {
      requireCommentable(key, allowsComments);
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const row = {
        id: newGuid(),
        library_id: key.libraryId,
        media_id: 'mediaId' in key ? key.mediaId : null,
        collection_id: 'collectionId' in key ? key.collectionId : null,
        token_hash: hashKey(token),
        token_sealed: secretBox.seal(token),
        // Computed before the transaction, because it takes long.
        password_hash: password === null ? null : await hashPassword(password),
        email_domains: [...emailDomains],
        allows_download: allowsDownload,
        allows_comments: allowsComments,
        expires_at: expiresAt,
        created_by: createdBy,
      };
      return toView(await inTransaction(db, (tx) => insertShare(tx, key, row)));
    },
    async list(key) {
      await requireShared(db, key, false);
      return (await selectShares(db, key).select(keyLabel.as('keyLabel')).orderBy('id').execute()).map(toView);
    },
    update: async (key, fields) => toView(await updateShare(db, key, fields)),
    async remove(key) {
      const { column, id } = columnOf(key);
      const { numDeletedRows } = await db
        .deleteFrom('share')
        .where('library_id', '=', key.libraryId)
        .where(column, '=', id)
        .where('id', '=', key.shareId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) unknownShare(key);
    },
  };
}

/** Finds the share of a link, whether or not it has expired. Returns null for a token that no share has. */
export async function findShare(db: Db, token: string): Promise<Share | null> {
  if (!SHARE_TOKEN.test(token)) return null;
  return toShare(await selectForEdge(db).where('token_hash', '=', hashKey(token)).executeTakeFirst());
}

/** Returns the share with an id, which does not open its page. Returns null if there is none. */
export async function findShareById(db: Db, id: Guid): Promise<Share | null> {
  return toShare(await selectForEdge(db).where('id', '=', id).executeTakeFirst());
}

function selectForEdge(db: Db) {
  return db
    .selectFrom('share')
    .select(['id', 'library_id as libraryId', 'media_id', 'collection_id', 'password_hash as passwordHash'])
    .select(['email_domains as emailDomains', 'allows_download as allowsDownload', 'expires_at as expiresAt'])
    .select('allows_comments as allowsComments');
}

type EdgeRow = Omit<Share, 'target'> & Pick<Selectable<ShareTable>, 'media_id' | 'collection_id'>;

function toShare(row: EdgeRow | undefined): Share | null {
  if (row === undefined) return null;
  const { media_id: mediaId, collection_id: collectionId, ...rest } = row;
  if (mediaId !== null) return { ...rest, target: { kind: 'video', mediaId } };
  if (collectionId !== null) return { ...rest, target: { kind: 'collection', collectionId } };
  throw new Error(`Expected share ${row.id} to have a video or a collection, got neither.`);
}

/** `keyLabel` is that of the key which created the share, if it has one and still exists. */
type Row = Selectable<ShareTable> & { keyLabel?: string | null };

const keyLabel = sql<string | null>`(
  select nullif(label, '') from access_key where access_key.id::text = share.created_by)`;

/** Returns the column that has the id of the video or collection. */
function columnOf(key: SharedKey): { column: 'media_id' | 'collection_id'; id: Guid } {
  return 'mediaId' in key ? { column: 'media_id', id: key.mediaId } : { column: 'collection_id', id: key.collectionId };
}

function selectShares(db: Db, key: SharedKey) {
  const { column, id } = columnOf(key);
  return db.selectFrom('share').selectAll().where('library_id', '=', key.libraryId).where(column, '=', id);
}

async function insertShare(tx: Tx, key: SharedKey, row: Insertable<ShareTable>): Promise<Row> {
  // The lock keeps the count correct until the new share is written.
  await requireShared(tx, key, true);
  const { length } = await selectShares(tx, key).select('id').execute();
  if (length >= MAX_SHARES) {
    throw new Refused('invalid', `${nameOf(key)} already has ${length} shares. Delete one that is not needed.`);
  }
  return tx.insertInto('share').values(row).returningAll().executeTakeFirstOrThrow();
}

async function updateShare(
  db: Db,
  key: ShareKey,
  { password, emailDomains, allowsDownload, allowsComments, expiresAt }: Partial<ShareFields>,
): Promise<Row> {
  requireCommentable(key, allowsComments ?? false);
  const { column, id } = columnOf(key);
  const hash = typeof password === 'string' ? await hashPassword(password) : password;
  const row = await db
    .updateTable('share')
    .set({
      id: key.shareId,
      ...(hash !== undefined && { password_hash: hash }),
      ...(emailDomains !== undefined && { email_domains: [...emailDomains] }),
      ...(allowsDownload !== undefined && { allows_download: allowsDownload }),
      ...(allowsComments !== undefined && { allows_comments: allowsComments }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    })
    .where('library_id', '=', key.libraryId)
    .where(column, '=', id)
    .where('id', '=', key.shareId)
    .returningAll()
    .executeTakeFirst();
  return row ?? unknownShare(key);
}

/** Requires a collection, or a video that is not in the trash. */
async function requireShared(db: Db | Tx, key: SharedKey, lock: boolean): Promise<void> {
  const row =
    'mediaId' in key
      ? await db
          .selectFrom('media')
          .select('id')
          .where('library_id', '=', key.libraryId)
          .where('id', '=', key.mediaId)
          .where('type', '=', 'video')
          .$if(lock, (query) => query.forUpdate())
          .executeTakeFirst()
      : await db
          .selectFrom('collection')
          .select('id')
          .where('library_id', '=', key.libraryId)
          .where('id', '=', key.collectionId)
          .$if(lock, (query) => query.forUpdate())
          .executeTakeFirst();
  if (row !== undefined) return;
  throw new Refused('not-found', `${nameOf(key)} in library ${key.libraryId} not found. Check the id.`);
}

function requireCommentable(key: SharedKey, allowsComments: boolean): void {
  if (!allowsComments || 'mediaId' in key) return;
  const message =
    'Expected allowComments to be false, because comments need a share page of one video. Share the video.';
  throw new Refused('invalid', message, { field: 'allowComments' });
}

function nameOf(key: SharedKey): string {
  return 'mediaId' in key ? `Video ${key.mediaId}` : `Collection ${key.collectionId}`;
}

function unknownShare(key: ShareKey): never {
  const owner = nameOf(key).replace(/^./, (first) => first.toLowerCase());
  const message = `Share ${key.shareId} of ${owner} in library ${key.libraryId} not found. Check the ids.`;
  throw new Refused('not-found', message);
}
