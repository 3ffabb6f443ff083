import { parseFields } from '../../../catalog/imports/sidecars.ts';
import type { SourceRequest } from '../import-source.ts';
import type { SourceSettings } from '../settings-importer.ts';
import type { SourceClient } from '../source-client.ts';
import { signObject } from './sign-object.ts';

/** File of an export with the settings of its library. */
const SETTINGS = 'library.json';
const MAX_SETTINGS_BYTES = 32 * 2 ** 20;

/** Reads the settings of an export. Returns null if there are none, or if the file describes a medium `library.mp4`. */
export async function readBucketSettings(
  request: SourceRequest,
  { prefix, client }: { prefix: string; client: SourceClient },
  signal: AbortSignal,
): Promise<SourceSettings | null> {
  const key = prefix + SETTINGS;
  const file = { ...(await signObject(request, key, {})), maxBytes: MAX_SETTINGS_BYTES };
  const bytes = await client.findFile(file, signal);
  const settings = bytes === null ? null : parseFields(bytes.toString('utf8'), key);
  if (settings === null || typeof settings.version !== 'number') return null;
  return { settings, listsUnknown: true, securityKey: null, hostnames: [] };
}
