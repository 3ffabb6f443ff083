import type { CollectionStore } from '../catalog/collections/collection-store.ts';
import type { Db, FollowUp } from '../catalog/db.ts';
import type { Feed } from '../catalog/feeds/feed.ts';
import type { Library, LibraryChange } from '../catalog/libraries/library.ts';
import { LIBRARY_IMAGES, type LibraryImage } from '../catalog/libraries/library-image.ts';
import { mergeSettings } from '../catalog/libraries/library-settings.ts';
import { unknownLibrary } from '../catalog/libraries/read-library-store.ts';
import { drawViewerSecret } from '../catalog/viewers/viewer-access-store.ts';
import { MAX_ENDPOINTS } from '../catalog/webhooks/endpoint-store.ts';
import { type Guid, parseGuid } from '../lib/guid.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { ImageMaker } from '../media/images/run-image-maker.ts';
import { misfit } from './misfit.ts';
import type {
  PortableFeedModel,
  PortableSettingsModel,
  RestoredSettingsModel,
  SettingChangeModel,
  SettingOmissionModel,
} from './models/portable-settings.ts';
import { toZoneChange } from './pull-zones/zone-change.ts';
import { type PortableDeps, readPortableSettings, toPortableFeed } from './read-portable-settings.ts';
import { changeWaf } from './shield/shield-zone.ts';
import { toLibraryChange } from './video-libraries/library-change.ts';
import { toSoundPatch } from './video-libraries/library-sound.ts';
import { changeWithImages } from './video-libraries/stored-image.ts';
import { requireCompleteViewers, withoutEmpty } from './viewers/viewer-access.ts';
import { readEndpointFields } from './webhooks/webhook-endpoints.ts';

export type RestoreDeps = PortableDeps & {
  collections: CollectionStore;
  images: ImageMaker;
  db: Db;
  secretBox: SecretBox;
};

/** Maximum characters of a value in the list of changes. */
const MAX_VALUE_CHARS = 200;
/** Sections whose fields are compared one by one. */
const SECTIONS = ['library', 'sound', 'pullZone', 'firewall', 'viewers', 'quotas', 'images'] as const;
/** Sections in which null leaves a setting unchanged. */
const NULL_IS_ABSENT: readonly string[] = ['library', 'sound', 'pullZone', 'firewall'];
/** Settings of the library that null removes nevertheless. */
const REMOVABLE = ['WebhookUrl', 'VastTagUrl', 'ViAiPublisherId', 'CustomHTML'] as const;
const NO_COLLECTION = 'The library does not have its collection yet. Restore the settings again after the import.';

type Wanted = PortableSettingsModel;
type Fields = Readonly<Record<string, unknown>>;
type Webhook = NonNullable<Wanted['webhooks']>[number];
/** Parts of the wanted settings that differ. */
type Plan = { current: Wanted; changed: Wanted; changes: SettingChangeModel[]; postponed: SettingOmissionModel[] };

/**
 * Gives a library the settings of an export, except sections that the file does not have, and lists the changes.
 * Webhook endpoints and feeds are added or changed, never removed. Throws `Refused` (`invalid`) for a value that an
 * update would refuse. All changes are one transaction: a restore that fails changes nothing.
 */
export async function restoreSettings(
  libraryId: number,
  { wanted, isDryRun }: { wanted: Wanted; isDryRun: boolean },
  deps: RestoreDeps,
  signal: AbortSignal,
): Promise<RestoredSettingsModel> {
  const library = await deps.libraries.findLibrary(libraryId);
  if (library === null) throw unknownLibrary(libraryId);
  const { total } = await deps.collections.list({ libraryId, page: 1, itemsPerPage: 1, search: '', orderBy: 'date' });
  const plan = await makePlan(libraryId, wanted, deps, signal);
  // Checks all values, also those of a dry run.
  toChange(library, wanted);
  wanted.webhooks?.forEach(readEndpointFields);
  requireFreeEndpoints(plan);
  const made = await makeImages(plan.changed, deps.images, signal);
  const isNew = (image: LibraryImage) => !isStored(plan.current.images?.[image], made.get(image));
  const images = new Map([...made].filter(([image]) => isNew(image)));
  if (!isDryRun) await apply(library, { changed: plan.changed, images }, deps, signal);
  const same = LIBRARY_IMAGES.filter((image) => !isNew(image)).map((image) => `images.${image}`);
  const changes = plan.changes.filter(({ field }) => !same.includes(field));
  const { postponed } = plan;
  return { isEmpty: library.videoCount === 0 && total === 0, changes, postponed };
}

async function makePlan(libraryId: number, wanted: Wanted, deps: RestoreDeps, signal: AbortSignal): Promise<Plan> {
  const current = await readPortableSettings(libraryId, deps, signal);
  const changes: SettingChangeModel[] = [];
  const changed: Record<string, object> = {};
  for (const section of SECTIONS) {
    const [before, after] = [fieldsOf(current[section]), fieldsOf(wanted[section])];
    for (const [name, value] of Object.entries(after)) {
      const field = `${section}.${name}`;
      if (!Object.hasOwn(before, name)) throw misfit(field, `Expected no ${field} in a file of settings. Remove it.`);
      if (textOf(before[name]) === textOf(value) || isIgnored(section, name, value)) continue;
      changes.push({ field, from: textOf(before[name]), to: textOf(value) });
      changed[section] = { ...changed[section], [name]: value };
    }
  }
  const webhooks = (wanted.webhooks ?? []).filter((one) => !current.webhooks?.some((each) => isSame(one, each)));
  changes.push(...webhooks.map(({ url }) => ({ field: 'webhooks', from: null, to: url })));
  const { feeds, postponed } = await planFeeds(libraryId, wanted.feeds ?? [], deps);
  changes.push(
    ...feeds.map(({ collectionId, access }) => ({ field: `feeds.${collectionId}`, from: null, to: access })),
  );
  const plan = { changed: { version: 1, ...changed, webhooks, feeds }, changes: changes.map(cut), postponed };
  return { current, ...plan };
}

function isIgnored(section: string, name: string, value: unknown): boolean {
  if (value !== null || !NULL_IS_ABSENT.includes(section)) return false;
  return section !== 'library' || !REMOVABLE.some((one) => one === name);
}

function requireFreeEndpoints({ current, changed }: Plan): void {
  const [known, added] = [current.webhooks?.length ?? 0, changed.webhooks?.length ?? 0];
  if (known + added <= MAX_ENDPOINTS) return;
  throw misfit(
    'webhooks',
    `Expected webhooks that make at most ${MAX_ENDPOINTS} endpoints, got ${added} new ones in addition to ${known}. ` +
      'Delete some first.',
  );
}

function fieldsOf(section: object | undefined): Fields {
  return { ...section };
}

/** An absent text and an empty one mean the same. Objects are compared without the order of their fields. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  const known = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return JSON.stringify(Object.fromEntries(known.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

function isSame(one: Webhook, other: Webhook): boolean {
  const whole = ({ url, name = '', events = null, enabled = true }: Webhook) =>
    JSON.stringify([url, name, events, enabled]);
  return whole(one) === whole(other);
}

function cut({ field, from, to }: SettingChangeModel): SettingChangeModel {
  const short = (text: string | null) =>
    text === null || text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS)}…`;
  return { field, from: short(from), to: short(to) };
}

async function planFeeds(libraryId: number, wanted: readonly PortableFeedModel[], { feeds }: RestoreDeps) {
  const changed: PortableFeedModel[] = [];
  const postponed: SettingOmissionModel[] = [];
  const known = new Map<Guid, Feed>();
  for (const feed of await feeds.findAll(libraryId, wanted.map(idOf))) known.set(feed.collectionId, feed);
  for (const feed of wanted) {
    const collectionId = idOf(feed);
    const before = known.get(collectionId);
    if (before === undefined) postponed.push({ field: fieldOf(feed), reason: NO_COLLECTION });
    else if (textOf({ ...toPortableFeed(before), collectionId }) !== textOf({ ...feed, collectionId })) {
      changed.push(feed);
    }
  }
  return { feeds: changed, postponed };
}

const fieldOf = ({ collectionId }: PortableFeedModel) => `feeds.${collectionId}`;

function idOf(feed: PortableFeedModel): Guid {
  const collectionId = parseGuid(feed.collectionId);
  if (collectionId !== null) return collectionId;
  throw misfit(fieldOf(feed), `Expected the GUID of a collection in ${fieldOf(feed)}. Correct it.`);
}

/** Converts the settings that one transaction changes. */
function toChange({ settings, pullZone }: Library, wanted: Wanted): LibraryChange {
  const { name, settings: ofLibrary = {} } = toLibraryChange(withTexts(wanted.library));
  const { settings: ofZone = {}, zoneSettings } = toZoneChange(wanted.pullZone ?? {});
  const { renewSecret: _, ...sent } = wanted.viewers ?? {};
  const viewers = withoutEmpty(sent);
  requireCompleteViewers({ ...settings.viewers, ...viewers });
  const parts = [ofLibrary, toSoundPatch(wanted.sound ?? {}), ofZone, { viewers }];
  return {
    name,
    settings: parts.reduce((merged: Record<string, unknown>, part) => mergeSettings(merged, part), {}),
    zoneSettings: {
      ...zoneSettings,
      ...(wanted.firewall !== undefined && { waf: changeWaf(pullZone.settings.waf, wanted.firewall) }),
    },
  };
}

/** An update ignores null. An empty text removes a URL, the HTML or an id. */
function withTexts(library: Wanted['library'] = {}): NonNullable<Wanted['library']> {
  const removed = REMOVABLE.filter((name) => library[name] === null);
  return { ...library, ...Object.fromEntries(removed.map((name) => [name, ''])) };
}

type Images = ReadonlyMap<LibraryImage, Buffer | null>;

/** Converts the images that differ, as an upload would. Null for one that is removed. */
async function makeImages({ images = {} }: Wanted, maker: ImageMaker, signal: AbortSignal): Promise<Images> {
  const made = new Map<LibraryImage, Buffer | null>();
  for (const image of LIBRARY_IMAGES) {
    const url = images[image];
    if (url === undefined) continue;
    const [, base64 = null] = /^data:image\/\w+;base64,(.+)$/s.exec(url ?? '') ?? [];
    if (url !== null && base64 === null) {
      throw misfit(`images.${image}`, `Expected a data URL with base64 in images.${image}, got other text.`);
    }
    const bytes = base64 === null ? null : Buffer.from(base64, 'base64');
    if (bytes === null) made.set(image, null);
    else if (image === 'liveThumbnail') made.set(image, (await maker.make(bytes, signal)).jpeg);
    else made.set(image, await maker.makeMark(bytes, signal));
  }
  return made;
}

/** Returns whether a data URL has these bytes. Conversions of the same image have the same bytes. */
function isStored(url: string | null | undefined, bytes: Buffer | null | undefined): boolean {
  return typeof url === 'string' && bytes != null && url.endsWith(`;base64,${bytes.toString('base64')}`);
}

type Changed = { changed: Wanted; images: Images };

/** Changes everything in one transaction. Only the measurement of quotas follows it. */
async function apply(library: Library, { changed, images }: Changed, deps: RestoreDeps, signal: AbortSignal) {
  const { id } = library;
  const { viewers, quotas, webhooks = [], feeds = [] } = changed;
  const drawSecret: FollowUp = (tx) => drawViewerSecret({ ...deps, db: tx }, id, true);
  const endpoints = webhooks.map(({ url, ...webhook }) => {
    const fields = readEndpointFields({ url, ...webhook });
    return deps.webhookEndpoints.creating(id, { name: '', events: null, isEnabled: true, ...fields, url });
  });
  const changedFeeds = feeds.map(({ explicit: isExplicit, ...feed }) => {
    const key = { libraryId: id, collectionId: idOf({ explicit: isExplicit, ...feed }) };
    const { collectionId: _, ...texts } = feed;
    return deps.feeds.changing(key, { ...texts, isExplicit });
  });
  const followUps = [
    ...(viewers?.mode === 'hook' ? [drawSecret] : []),
    ...(quotas === undefined ? [] : [deps.quotas.changing(id, quotas)]),
    ...endpoints,
    ...changedFeeds,
  ];
  const change = (current: Library) => toChange(current, changed);
  await changeWithImages(library, { images, change, followUps }, deps, signal);
  if (quotas !== undefined) await deps.quotas.measure(id);
}
