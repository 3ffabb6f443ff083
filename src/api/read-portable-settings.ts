import { type Feed, MAX_LISTED_FEEDS } from '../catalog/feeds/feed.ts';
import type { FeedStore } from '../catalog/feeds/feed-store.ts';
import type { Library } from '../catalog/libraries/library.ts';
import { imageKey, LIBRARY_IMAGES, type LibraryImage } from '../catalog/libraries/library-image.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import { unknownLibrary } from '../catalog/libraries/read-library-store.ts';
import { QUOTA_RESOURCES } from '../catalog/quotas/quota.ts';
import type { QuotaStore } from '../catalog/quotas/quota-store.ts';
import type { EndpointStore } from '../catalog/webhooks/endpoint-store.ts';
import type { Storage } from '../ports/storage.ts';
import type {
  PortableFeedModel,
  PortableImagesModel,
  PortableSettingsModel,
  SettingOmissionModel,
} from './models/portable-settings.ts';
import { VideoLibraryUpdateModel } from './models/video-library.ts';
import { zoneRules } from './pull-zones/pull-zone-model.ts';
import { toShieldZone } from './shield/shield-zone.ts';
import { toLibraryModel } from './video-libraries/library-model.ts';
import { toSoundModel } from './video-libraries/library-sound.ts';

export type PortableDeps = {
  libraries: LibraryStore;
  quotas: QuotaStore;
  webhookEndpoints: EndpointStore;
  feeds: FeedStore;
  storage: Storage;
};

/** Fields of an update that are not settings, or belong to the pull zone. */
const NOT_OF_LIBRARY = [
  ...['ResetToken', 'EnableTokenAuthentication', 'EnableTokenIPVerification'],
  ...['AllowedReferrers', 'BlockedReferrers', 'BlockNoneReferrer'],
];
const LIBRARY_FIELDS = Object.keys(VideoLibraryUpdateModel.properties).filter((name) => !NOT_OF_LIBRARY.includes(name));

const SECRET = 'Secrets stay with their service. The target makes its own.';
const WITH_CREDENTIALS = 'The URL contains a user name or password.';
const NOT_CARRIED: SettingOmissionModel[] = [
  { field: 'library.ApiKey', reason: SECRET },
  { field: 'library.ReadOnlyApiKey', reason: SECRET },
  { field: 'library.ReplicationRegions', reason: 'Regions belong to an installation.' },
  { field: 'pullZone.Name', reason: 'The name is a part of the host name of the pull zone.' },
  { field: 'pullZone.ZoneSecurityKey', reason: SECRET },
  { field: 'pullZone.Hostnames', reason: 'The DNS entry of a host name leads to one service.' },
  { field: 'viewers.secret', reason: SECRET },
  { field: 'webhooks.secret', reason: SECRET },
  { field: 'feeds.token', reason: SECRET },
  { field: 'chatWebhook', reason: 'The URL of a chat webhook is a secret.' },
  { field: 'shares', reason: 'Links and passwords of share pages are secrets.' },
  { field: 'accessKeys', reason: SECRET },
];

const MORE_FEEDS = { field: 'feeds', reason: `A file has at most ${MAX_LISTED_FEEDS.toLocaleString('en')} feeds.` };

/** Reads the settings of an export: those of `readPortableSettings` without URLs that contain credentials. */
export async function exportSettings(
  libraryId: number,
  deps: PortableDeps,
  signal: AbortSignal,
): Promise<PortableSettingsModel> {
  const { library, viewers, webhooks = [], ...others } = await readPortableSettings(libraryId, deps, signal);
  const withheld = [
    ...fieldsWithCredentials('library', library),
    ...fieldsWithCredentials('viewers', viewers),
    ...webhooks.filter(({ url }) => hasCredentials(url)).map(() => 'webhooks.url'),
  ];
  const notCarried = withheld.map((field) => ({ field, reason: WITH_CREDENTIALS }));
  return {
    ...others,
    library: withoutCredentials(library),
    viewers: withoutCredentials(viewers),
    webhooks: webhooks.filter(({ url }) => !hasCredentials(url)),
    notCarried: [...(others.notCarried ?? []), ...notCarried],
  };
}

function fieldsWithCredentials(section: string, fields: object | undefined): string[] {
  const found = Object.entries({ ...fields }).filter(([, value]) => hasCredentials(value));
  return found.map(([name]) => `${section}.${name}`);
}

function withoutCredentials<T extends object>(fields: T | undefined): Partial<T> {
  const kept = Object.entries({ ...fields }).filter(([, value]) => !hasCredentials(value));
  return Object.fromEntries(kept) as Partial<T>; // The fields of `T`, without some.
}

/** Returns whether a value is a URL with a user name or password. */
function hasCredentials(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:/i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
}

/** Reads the settings of a library that another service can use. Throws `Refused` (`not-found`) for an unknown one. */
export async function readPortableSettings(
  libraryId: number,
  deps: PortableDeps,
  signal: AbortSignal,
): Promise<PortableSettingsModel> {
  const library = await deps.libraries.findLibrary(libraryId);
  if (library === null) throw unknownLibrary(libraryId);
  const { settings, pullZone } = library;
  const view = { ...library, keys: { libraryKey: '', readOnlyKey: '' }, storageBytes: 0, trafficBytes: 0 };
  const fields: Readonly<Record<string, unknown>> = toLibraryModel(view);
  const { shieldZoneId, pullZoneId, ...firewall } = toShieldZone(pullZone.id, pullZone.settings.waf);
  const { secretVersion: _, ...viewers } = settings.viewers;
  const quotas = await deps.quotas.load(libraryId);
  const endpoints = await deps.webhookEndpoints.list(libraryId);
  const feeds = await deps.feeds.list(libraryId);
  return {
    version: 1,
    library: Object.fromEntries(LIBRARY_FIELDS.map((name) => [name, fields[name]])),
    sound: toSoundModel(settings),
    pullZone: zoneRules(pullZone.settings, settings.access),
    firewall,
    viewers,
    quotas: Object.fromEntries(QUOTA_RESOURCES.map((resource) => [resource, quotas[resource].quota])),
    webhooks: endpoints.map(({ url, name, events, isEnabled }) => ({ url, name, events, enabled: isEnabled })),
    feeds: feeds.map(toPortableFeed),
    images: await readImages(library, deps.storage, signal),
    notCarried: feeds.length < MAX_LISTED_FEEDS ? NOT_CARRIED : [...NOT_CARRIED, MORE_FEEDS],
  };
}

export function toPortableFeed(feed: Feed): PortableFeedModel {
  const { collectionId, access, title, description, author, language, category, isExplicit } = feed;
  return { collectionId, access, title, description, author, language, category, explicit: isExplicit };
}

async function readImages(library: Library, storage: Storage, signal: AbortSignal): Promise<PortableImagesModel> {
  const read = async (image: LibraryImage) => {
    const { present, version } = library.settings[image];
    if (!present) return null;
    const bytes = await storage.readBytes(imageKey(library.id, image, version), null, signal);
    return `data:image/${image === 'liveThumbnail' ? 'jpeg' : 'png'};base64,${bytes.toString('base64')}`;
  };
  const entries = LIBRARY_IMAGES.map(async (image) => [image, await read(image)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
