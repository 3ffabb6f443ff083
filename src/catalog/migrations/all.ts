import type { Migration } from 'kysely/migration';
import * as start from './001-start.ts';
import * as webhooks from './003-webhooks.ts';
import * as keysAndAudit from './004-keys-and-audit.ts';
import * as uploads from './004-uploads.ts';
import * as videoParts from './005-video-parts.ts';
import * as titleSearch from './006-title-search.ts';

/** Every migration in its order; a new one is one line here. None is ever changed once released. */
export const migrations: Record<string, Migration> = {
  '001-start': start,
  '003-webhooks': webhooks,
  '004-keys-and-audit': keysAndAudit,
  '004-uploads': uploads,
  '005-video-parts': videoParts,
  '006-title-search': titleSearch,
};
