import { type RawBuilder, sql } from 'kysely';

/** A column with sealed secrets. `read` is the sealed value as bytea, and `write` assigns one to the column. */
export type SealedColumn = {
  table: string;
  column: string;
  read: RawBuilder<Buffer | null>;
  write: (value: RawBuilder<unknown>) => RawBuilder<unknown>;
};

/**
 * Every column that contains a sealed secret. A rotation of the secret key seals all of them again, so a column that is
 * missing here would become unreadable. A test compares this list with the schema.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  plain('access_key', 'signing_key_sealed'),
  plain('chat_webhook', 'url_sealed'),
  plain('collection_feed', 'token_sealed'),
  plain('drm_package', 'keys_sealed'),
  plain('library', 'api_key_sealed'),
  plain('library', 'read_only_key_sealed'),
  plain('library', 'viewer_secret_sealed'),
  plain('library_export', 'destination'),
  plain('library_import', 'request'),
  plain('live_stream', 'key_sealed'),
  plain('live_stream', 'relays_sealed'),
  plain('person', 'totp_sealed'),
  plain('pull_zone', 'previous_key_sealed'),
  plain('pull_zone', 'security_key_sealed'),
  plain('share', 'token_sealed'),
  plain('sign_in_provider', 'client_secret_sealed'),
  {
    table: 'upload',
    column: 'metadata',
    read: sql`case when t.method = 'fetch' then decode(t.metadata->>'sealed', 'base64') end`,
    write: (value) => sql`metadata = jsonb_set(t.metadata, '{sealed}',
      to_jsonb(translate(encode(${value}, 'base64'), E'\n', '')))`,
  },
  plain('webhook_endpoint', 'secret_sealed'),
];

function plain(table: string, column: string): SealedColumn {
  return {
    table,
    column,
    read: sql`${sql.ref(`t.${column}`)}`,
    write: (value) => sql`${sql.ref(column)} = ${value}`,
  };
}
