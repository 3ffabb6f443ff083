import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import type { WebhookEndpointTable } from './webhook-schema.ts';

/** Maximum number of endpoints of a library besides the address in its settings. */
export const MAX_ENDPOINTS = 10;
const SECRET_BYTES = 32;

/** Fields that people set. `events` are the chosen values of WebhookStatus, or null for all. */
export type EndpointFields = { name: string; url: string; events: number[] | null; isEnabled: boolean };

/** A receiver of a library's events. `secret` signs its deliveries, in place of the read-only key. */
export type WebhookEndpoint = EndpointFields & { id: Guid; secret: string; createdAt: Date };

type EndpointKey = { libraryId: number; endpointId: Guid };

/** Webhook endpoints of libraries, in addition to the `WebhookUrl` in their settings. */
export type EndpointStore = {
  /** Returns the endpoints of a library, oldest first. */
  list(libraryId: number): Promise<WebhookEndpoint[]>;
  /** Adds an endpoint with a new secret. Throws `Refused` (`invalid`) if the library has ten. */
  create(libraryId: number, fields: EndpointFields): Promise<WebhookEndpoint>;
  /** Adds an endpoint in the transaction of another change. Throws like `create`. */
  creating(libraryId: number, fields: EndpointFields): FollowUp;
  /** Changes the given fields. Throws `Refused` (`not-found`) for an unknown endpoint. */
  update(key: EndpointKey, fields: Partial<EndpointFields>): Promise<WebhookEndpoint>;
  /** Removes an endpoint with its deliveries. Throws `Refused` (`not-found`) for an unknown endpoint. */
  remove(key: EndpointKey): Promise<void>;
};

export function createEndpointStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): EndpointStore {
  const toEndpoint = (row: Selectable<WebhookEndpointTable>): WebhookEndpoint => ({
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    isEnabled: row.is_enabled,
    secret: secretBox.open(row.secret_sealed),
    createdAt: row.created_at,
  });
  const insert = (tx: Tx, libraryId: number, fields: EndpointFields) => {
    const secret = secretBox.seal(randomBytes(SECRET_BYTES).toString('base64url'));
    return insertEndpoint(tx, { libraryId, secret, ...fields });
  };
  return {
    async list(libraryId) {
      const query = db.selectFrom('webhook_endpoint').selectAll().where('library_id', '=', libraryId);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(toEndpoint);
    },
    create: async (libraryId, fields) => toEndpoint(await inTransaction(db, (tx) => insert(tx, libraryId, fields))),
    creating: (libraryId, fields) => async (tx) => {
      await insert(tx, libraryId, fields);
    },
    update: async (key, fields) => toEndpoint(await inTransaction(db, (tx) => updateEndpoint(tx, key, fields))),
    remove: (key) =>
      inTransaction(db, async (tx) => {
        const { libraryId, endpointId } = key;
        const gone = await tx
          .deleteFrom('webhook_endpoint')
          .where('library_id', '=', libraryId)
          .where('id', '=', endpointId)
          .returningAll()
          .executeTakeFirst();
        if (gone === undefined) unknownEndpoint(key);
        noteChange({ kind: 'fields', before: auditedFields(gone), after: null });
        for (const table of ['webhook_line', 'webhook_event'] as const) {
          await tx
            .deleteFrom(table)
            .where('library_id', '=', libraryId)
            .where('endpoint_id', '=', endpointId)
            .execute();
        }
      }),
  };
}

type NewEndpoint = EndpointFields & { libraryId: number; secret: Buffer };

async function insertEndpoint(tx: Tx, { libraryId, name, url, events, isEnabled, secret }: NewEndpoint) {
  // The lock keeps the count correct until the new endpoint is written.
  await tx.selectFrom('library').select('id').where('id', '=', libraryId).forNoKeyUpdate().execute();
  const stored = await tx.selectFrom('webhook_endpoint').select('id').where('library_id', '=', libraryId).execute();
  if (stored.length >= MAX_ENDPOINTS) {
    throw new Refused('invalid', `The library already has ${MAX_ENDPOINTS} endpoints. Delete one first.`);
  }
  const row = { id: newGuid(), library_id: libraryId, name, url, events, is_enabled: isEnabled, secret_sealed: secret };
  const made = await tx.insertInto('webhook_endpoint').values(row).returningAll().executeTakeFirstOrThrow();
  noteChange({ kind: 'fields', before: null, after: auditedFields(made) });
  return made;
}

async function updateEndpoint(tx: Tx, key: EndpointKey, { name, url, events, isEnabled }: Partial<EndpointFields>) {
  const isIt = { library_id: key.libraryId, id: key.endpointId };
  const before = await tx
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where((eb) => eb.and(isIt))
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined) return unknownEndpoint(key);
  const after = await tx
    .updateTable('webhook_endpoint')
    .set({
      id: key.endpointId,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events }),
      ...(isEnabled !== undefined && { is_enabled: isEnabled }),
    })
    .where((eb) => eb.and(isIt))
    .returningAll()
    .executeTakeFirstOrThrow();
  noteChange({ kind: 'fields', before: auditedFields(before), after: auditedFields(after) });
  return after;
}

function auditedFields({ name, url, events, is_enabled: enabled }: Selectable<WebhookEndpointTable>) {
  return { name, url, events, enabled };
}

function unknownEndpoint({ libraryId, endpointId }: EndpointKey): never {
  throw new Refused('not-found', `Webhook endpoint ${endpointId} in library ${libraryId} not found. Check the id.`);
}
