import type { Migration } from 'kysely/migration';
import * as start from './001-start.ts';
import * as webhooks from './003-webhooks.ts';
import * as videoParts from './005-video-parts.ts';

/** Every migration in its order; a new one is one line here. None is ever changed once released. */
export const migrations: Record<string, Migration> = {
  '001-start': start,
  '003-webhooks': webhooks,
  '005-video-parts': videoParts,
};
