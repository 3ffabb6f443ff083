/** A group of operations: the tag of its operations, and its title in a reference. */
type Tag = { name: string; title: string };

/** Groups of operations in the order in which a new reader needs them. Several tags can share a title. */
export const TAGS: readonly Tag[] = [
  { name: 'videos', title: 'Videos' },
  { name: 'Resumable uploads', title: 'Resumable uploads' },
  { name: 'collections', title: 'Collections' },
  { name: 'search', title: 'Search' },
  { name: 'trash', title: 'Trash' },
  { name: 'live', title: 'Live streams' },
  { name: 'statistics', title: 'Statistics' },
  { name: 'webhook-endpoints', title: 'Webhooks' },
  { name: 'webhooks', title: 'Webhooks' },
  { name: 'chat-webhook', title: 'Webhooks' },
  { name: 'progress', title: 'Progress' },
  { name: 'bulk', title: 'Bulk changes' },
  { name: 'imports', title: 'Imports' },
  { name: 'exports', title: 'Exports' },
  { name: 'settings', title: 'Exports' },
  { name: 'feeds', title: 'Feeds' },
  { name: 'OEmbed', title: 'oEmbed' },
  { name: 'viewers', title: 'Viewer access' },
  { name: 'quotas', title: 'Quotas' },
  { name: 'videolibrary', title: 'Libraries and keys' },
  { name: 'pullzone', title: 'Pull zones' },
  { name: 'shield', title: 'Shield and event logs' },
  { name: 'storagezone', title: 'Storage zones' },
  { name: 'people', title: 'People' },
  { name: 'sign-in-providers', title: 'Sign-in providers' },
  { name: 'audit', title: 'Account' },
  { name: 'user', title: 'Account' },
  { name: 'billing', title: 'Account' },
  { name: 'country', title: 'Countries and regions' },
  { name: 'region', title: 'Countries and regions' },
  { name: 'FairPlay', title: 'DRM licences' },
  { name: 'FairPlayLicense', title: 'DRM licences' },
  { name: 'WidevineLicense', title: 'DRM licences' },
  { name: 'system', title: 'Service' },
  { name: 'Service', title: 'Service' },
];

/** Methods of a list, which creates its items, and of a single item. */
const LIST_METHODS = ['post', 'get', 'head', 'put', 'patch', 'delete', 'options'];
const ITEM_METHODS = ['get', 'head', 'put', 'post', 'patch', 'delete'];

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Sorts paths by their tags. Within a tag, lists and items precede what belongs to them. */
export function sortPaths(paths: Paths): Record<string, Record<string, unknown>> {
  const keyed = Object.entries(paths).map(([path, item]) => ({ path, item, key: keyOf(path, item) }));
  const sorted = keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return Object.fromEntries(sorted.map(({ path, item }) => [path, sortMethods(path, item)]));
}

function keyOf(path: string, item: Readonly<Record<string, unknown>>): string {
  const tags: { tags?: string[] }[] = Object.values(item).map((operation) => Object(operation));
  const tag = tags.find(({ tags: found }) => found !== undefined)?.tags?.[0];
  const place = TAGS.findIndex(({ name }) => name === tag);
  const group = place === -1 ? TAGS.length : place;
  // An item's path, which ends with a parameter, precedes its siblings.
  return [group, path.split('/').length].map((each) => `${each}`.padStart(3, '0')).join() + path.replaceAll('{', ' ');
}

function sortMethods(path: string, item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const order = path.endsWith('}') ? ITEM_METHODS : LIST_METHODS;
  return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}
