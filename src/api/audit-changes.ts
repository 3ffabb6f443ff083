import type { AuditChange } from '../catalog/audit/audit-line.ts';
import type { Library } from '../catalog/libraries/library.ts';
import type { LiveStream } from '../catalog/live/live-stream.ts';
import type { NotedChange } from '../catalog/note-change.ts';
import type { Person } from '../catalog/people/person.ts';
import type { Video } from '../catalog/videos/video.ts';
import { cleanText } from '../lib/clean-text.ts';
import { redact } from '../lib/log/redact.ts';
import { WIRE_NAMES } from './live/read-live-settings.ts';
import { zoneRules } from './pull-zones/pull-zone-model.ts';
import { toShieldZone } from './shield/shield-zone.ts';
import { toLibraryModel } from './video-libraries/library-model.ts';
import { toSoundModel } from './video-libraries/library-sound.ts';

/** Text shown instead of a secret. */
const MASK = '***';
/** Maximum fields of a line, and characters of a value. Secrets are masked before a value is cut. */
const MAX_FIELDS = 50;
const MAX_VALUE_CHARS = 200;
/** Equal characters that are kept before the first difference of two long values. */
const KEPT_CHARS = 20;

/** Marks that more fields changed than are recorded. */
const MORE: AuditChange = { field: '…', old: null, new: null };

type Fields = Readonly<Record<string, unknown>>;
type ChangedObject = Exclude<NotedChange, { kind: 'secret' }>;
type Texts = ReadonlyMap<string, string>;

/** Returns the changed fields under their names in the API, with masked secrets, or null if no field changed. */
export function toAuditChanges(noted: readonly NotedChange[]): AuditChange[] | null {
  const changes = noted.flatMap((change) => {
    if (change.kind === 'secret') return { field: change.field, old: MASK, new: MASK };
    const { before, after } = fieldsOf(change);
    return compare(new Map(flatten(before ?? {}, '')), new Map(flatten(after ?? {}, '')));
  });
  if (changes.length > MAX_FIELDS) return [...changes.slice(0, MAX_FIELDS - 1), MORE];
  return changes.length === 0 ? null : changes;
}

function fieldsOf(change: ChangedObject): { before: Fields | null; after: Fields | null } {
  switch (change.kind) {
    case 'library':
      return { before: change.before && ofLibrary(change.before), after: change.after && ofLibrary(change.after) };
    case 'video':
      return { before: change.before && ofVideo(change.before), after: change.after && ofVideo(change.after) };
    case 'stream':
      return { before: change.before && ofStream(change.before), after: change.after && ofStream(change.after) };
    case 'person':
      return { before: change.before && ofPerson(change.before), after: change.after && ofPerson(change.after) };
    case 'fields':
      return change;
  }
}

function ofLibrary(library: Library): Fields {
  const { settings, pullZone } = library;
  const keys = { libraryKey: '', readOnlyKey: '' };
  const { VideoCount, DateModified, ...own } = toLibraryModel({ ...library, keys, storageBytes: 0, trafficBytes: 0 });
  const { shieldZoneId, pullZoneId, ...waf } = toShieldZone(pullZone.id, pullZone.settings.waf);
  const images = {
    Logo: versionOf(settings.logo),
    LiveWatermark: versionOf(settings.liveWatermark),
    LiveDefaultThumbnail: versionOf(settings.liveThumbnail),
  };
  const { secretVersion, ...ViewerAccess } = settings.viewers;
  const viewers = { ViewerAccess, ViewerAccessSecret: `version ${secretVersion}` };
  const rules = { ...zoneRules(pullZone.settings, settings.access), ...waf, ...viewers };
  return { ...own, ...toSoundModel(settings), ...images, ...rules };
}

/** Returns the version of an uploaded image, which counts its uploads. Null for none. */
function versionOf({ present, version }: Library['settings']['logo']): string | null {
  return present ? `version ${version}` : null;
}

function ofVideo(video: Video): Fields {
  const { title, description, category, collectionId, visibility, chapters, moments, metaTags } = video;
  return { title, description, category, collectionId, visibility, chapters, moments, metaTags };
}

/** Fields of a stream that are not recorded: its ids, and its state, which the names of the operations describe. */
const STATE_FIELDS = ['libraryId', 'id', 'state', 'startedAt', 'endedAt', 'reason'];

function ofStream(stream: LiveStream): Fields {
  const names: Readonly<Record<string, string>> = WIRE_NAMES;
  return Object.fromEntries(
    Object.entries(stream)
      .filter(([name]) => !STATE_FIELDS.includes(name))
      .map(([name, value]) => [names[name] ?? name, value]),
  );
}

function ofPerson({ email, name, language, status, roles }: Person): Fields {
  const { account: Role, libraries } = roles;
  const LibraryRoles = [...libraries].toSorted(([a], [b]) => a - b).map(([id, role]) => `${id} ${role}`);
  return { Email: email, Name: name, Language: language, Status: status, Role, LibraryRoles };
}

/** Yields each field with its text. Fields of objects get the name of the object as prefix. Null fields are omitted. */
function* flatten(fields: Fields, prefix: string): Generator<[string, string]> {
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    if (typeof value !== 'object') yield [prefix + name, String(value)];
    else if (value instanceof Date) yield [prefix + name, value.toISOString()];
    else if (!Array.isArray(value)) yield* flatten({ ...value }, `${prefix}${name}.`);
    else if (value.some((one) => typeof one === 'object')) yield [prefix + name, JSON.stringify(value, sortNames)];
    else yield [prefix + name, value.join(', ')];
  }
}

/** Sorts the fields of objects, because PostgreSQL returns them in a different order than the request. */
function sortNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function compare(before: Texts, after: Texts): AuditChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [old, now] = [before.get(field) ?? null, after.get(field) ?? null];
    // Ids of imported objects look like keys.
    const shown = (text: string) => (/Ids?$/.test(field) ? cleanText(text) : clean(text));
    return old === now ? [] : [cut({ field, old: old && shown(old), new: now && shown(now) })];
  });
}

function clean(text: string): string {
  return cleanText(redact(text));
}

/** Shortens long values to the part that begins shortly before their first difference. */
function cut({ field, old, new: now }: AuditChange): AuditChange {
  const longest = Math.max(old?.length ?? 0, now?.length ?? 0);
  if (longest <= MAX_VALUE_CHARS) return { field, old, new: now };
  let from = 0;
  while (from < longest && old?.[from] === now?.[from]) from += 1;
  const start = Math.max(0, from - KEPT_CHARS);
  const part = (text: string) => {
    const end = start + MAX_VALUE_CHARS - 2;
    return cleanText(`${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`);
  };
  return { field, old: old && part(old), new: now && part(now) };
}
