import type { KeyObject } from 'node:crypto';
import type { CollectionKey } from '../catalog/collections/collection-store.ts';
import type { ShareCommentStore } from '../catalog/comments/share-comment-store.ts';
import type { MediaKey } from '../catalog/db.ts';
import type { WafSettings } from '../catalog/libraries/library-settings.ts';
import type { SegmentRequestStore } from '../catalog/on-demand/segment-request-store.ts';
import type { Playlist } from '../catalog/playlists/playlist.ts';
import type { PublicationStore } from '../catalog/publications/publication-store.ts';
import type { PublicationListener, PublicationWatch } from '../catalog/publications/publication-watch-store.ts';
import type { ZonePolicy } from '../catalog/pull-zones/zone-policy.ts';
import type { ZoneRef } from '../catalog/pull-zones/zone-policy-store.ts';
import type { Share } from '../catalog/shares/share.ts';
import type { ShareCodeStore } from '../catalog/shares/share-code-store.ts';
import type { Client } from '../catalog/shield/admission/admit.ts';
import { CLIENT_RATE, type Rate } from '../catalog/shield/admission/rate-buckets.ts';
import type { ShieldEventStore } from '../catalog/shield/events/shield-event-store.ts';
import type { FirewallSource } from '../catalog/shield/firewall/open-firewall.ts';
import type { DeliveredTotal } from '../catalog/statistics/sums/delivered-store.ts';
import type { Visits } from '../catalog/statistics/visits/visits.ts';
import type { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import { MAX_CONNECTIONS_PER_CLIENT } from '../lib/client-connections.ts';
import type { Guid } from '../lib/guid.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { DerivedSecret } from '../lib/secret-ring.ts';
import type { SendFile } from '../lib/send-file.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import type { LicenceProxy } from '../ports/licence-proxy.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Storage } from '../ports/storage.ts';
import type { LiveSource } from './live/live-streams.ts';
import type { PlayerAssets } from './player/load-player-assets.ts';

export type EdgeStorage = Pick<Storage, 'read' | 'readBytes' | 'head' | 'localPath'>;

/** Limits of all resources whose use could grow. Each has a default in `DEFAULT_LIMITS`. */
export type EdgeLimits = {
  connections: number;
  /** Maximum number of connections per client: an IPv4 address, or the /64 network of an IPv6 address. */
  connectionsPerClient: number;
  /** Rate of requests per client, including refused ones. */
  clientRate: Rate;
  publicationCacheBytes: number;
  /** Maximum size of cached playlists and manifests in bytes. */
  textCacheBytes: number;
  /** Maximum number of stored bytes in memory, cached and in use. `objectCacheBytes` limits the cached ones. */
  lentBytes: number;
  objectCacheBytes: number;
  /** Maximum part of `lentBytes` for responses to one client. */
  lentBytesPerClient: number;
  /** Maximum size of encrypted segments, cached and in use, in bytes. `protectedCacheBytes` limits the cached ones. */
  protectedBytes: number;
  protectedCacheBytes: number;
  /** Maximum size of cached MP4 file headers and the locations of their media bytes, in bytes. */
  moviePlanBytes: number;
  /**
   * Maximum number of concurrent database queries per client. `waitsPerClient` limits the responses that wait for
   * segments.
   */
  lookUpsPerClient: number;
  waitsPerClient: number;
  /** Maximum number of encrypted responses to one client that are not completely sent yet. */
  encryptionsPerClient: number;
  /** Maximum number of concurrent loads of different publications. Further loads are refused with 503. */
  publicationLoads: number;
  segmentWaiters: number;
  /**
   * Maximum wait for a segment, in ms. Players give up on a segment after 10 s. With this limit, they get a response
   * and can retry before that.
   */
  segmentWaitMs: number;
  openFiles: number;
  /** Timeout in ms for the headers of a request, from the start of the connection or of the request. */
  headMs: number;
  /** Timeout for a connection without traffic, in ms. */
  idleMs: number;
  /** Maximum time that a closing edge waits for running responses, in ms. */
  drainMs: number;
};

export const DEFAULT_LIMITS: EdgeLimits = {
  connections: 12_000,
  connectionsPerClient: MAX_CONNECTIONS_PER_CLIENT,
  clientRate: CLIENT_RATE,
  publicationCacheBytes: 64 * 2 ** 20,
  textCacheBytes: 32 * 2 ** 20,
  lentBytes: 128 * 2 ** 20,
  objectCacheBytes: 64 * 2 ** 20,
  lentBytesPerClient: 64 * 2 ** 20,
  protectedBytes: 192 * 2 ** 20,
  protectedCacheBytes: 64 * 2 ** 20,
  moviePlanBytes: 64 * 2 ** 20,
  lookUpsPerClient: 100,
  waitsPerClient: 1_000,
  encryptionsPerClient: 500,
  publicationLoads: 200,
  segmentWaiters: 2_000,
  segmentWaitMs: 9_000,
  openFiles: 512,
  headMs: 10_000,
  idleMs: 30_000,
  drainMs: 8_000,
};

/** Locates IP addresses synchronously. Fields of an unknown address are empty. */
export type AddressLocator = { locate(address: string): Pick<Client, 'country' | 'asn'> };

/** Counting of viewing sessions, and the secret that signs the tickets of player pages. */
export type EdgeViewing = {
  /** Counts viewing sessions. The edge closes it. */
  visits: Visits;
  /**
   * Returns the relative number of plays of a video, 0 to 100, for each part of equal length. Returns null for fewer
   * than five sessions.
   */
  heatCurve(key: MediaKey): Promise<number[] | null>;
  /** Returns the number of sessions that are playing now at all edges, or null if unknown. */
  viewersNow(key: MediaKey): Promise<number | null>;
  ticketSecret: DerivedSecret<KeyObject>;
  /** Stores the bytes sent so far. They replace the values that this process stored for the same hour. */
  keepDelivered(totals: readonly DeliveredTotal[]): Promise<void>;
};

/** Dependencies of the edge. `watch` subscribes to publications. The edge closes the subscription. */
export type EdgeDeps = {
  host: string;
  port: number;
  publications: PublicationStore;
  /** Loads the viewer rules of a pull zone. Returns null if the zone does not exist. */
  loadPolicy(ref: ZoneRef): Promise<ZonePolicy | null>;
  /** Loads the share with this token in its link. Returns null if there is none. */
  loadShare(token: string): Promise<Share | null>;
  /** Loads the share that issued a player token. Returns null if it was deleted. */
  loadShareById(id: Guid): Promise<Share | null>;
  /** Loads the playable videos of a collection. Returns null if it does not exist. */
  loadPlaylist(key: CollectionKey): Promise<Playlist | null>;
  /** Sends codes to viewers of shares. Null if no mail server is configured. */
  mailer: Mailer | null;
  shareCodes: ShareCodeStore;
  /** Comments of viewers of shares. */
  shareComments: ShareCommentStore;
  watch(listener: PublicationListener): PublicationWatch;
  /** Returns the reason to refuse all requests, or null if they are served. */
  refusal?(): string | null;
  /** Store for requests for segments of on-demand renditions. */
  requests: SegmentRequestStore;
  /** Source of live streams. Without it, the edge serves none. */
  live?: LiveSource;
  storage: EdgeStorage;
  /** Null if sendfile is unavailable. The edge then copies bytes through memory. */
  sendFile: SendFile | null;
  player: PlayerAssets;
  /** Decrypts the keys of protected videos. */
  secretBox: SecretBox;
  /** Asks the owners of libraries which viewers may watch. */
  viewers: Pick<ViewerAuthorizer, 'judge'>;
  /** Secret from which play session keys are derived. It must be the same at each edge. */
  sessionSecret: DerivedSecret<KeyObject>;
  viewing: EdgeViewing;
  /** Client for the licence servers of other DRM systems, or null if none is configured. */
  licences: LicenceProxy | null;
  /** URL of the edge for viewers, without a trailing slash. If null, the edge uses the hostname of each request. */
  edgeUrl: string | null;
  /** URL of the API, which describes pages by oEmbed. Null if unknown. */
  apiUrl: string | null;
  /** Hosts of our player pages. `*.` matches all subdomains. Referrer rules always allow them. */
  ownHosts: readonly string[];
  /** Certificate and key of the listener. Absent or null without TLS. */
  tls?: TlsPaths | null;
  /** Networks of proxies in front of the edge whose `X-Forwarded-For` header is trusted. */
  trustedProxies: readonly string[];
  locator: AddressLocator;
  /** Store for events of refused requests. `serverZone` is the name of this edge in these events. */
  events: ShieldEventStore;
  serverZone: string;
  /** Firewall rules, and their settings for requests without a zone. */
  firewall: FirewallSource;
  loadWaf(): Promise<WafSettings>;
  limits?: Partial<EdgeLimits>;
};
