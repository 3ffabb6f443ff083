import type { KeyObject } from 'node:crypto';
import type { MediaKey } from '../catalog/db.ts';
import type { WafSettings } from '../catalog/libraries/library-settings.ts';
import type { SegmentRequestStore } from '../catalog/on-demand/segment-request-store.ts';
import type { PublicationStore } from '../catalog/publications/publication-store.ts';
import type { PublicationListener, PublicationWatch } from '../catalog/publications/publication-watch-store.ts';
import type { ZonePolicy } from '../catalog/pull-zones/zone-policy.ts';
import type { ZoneRef } from '../catalog/pull-zones/zone-policy-store.ts';
import type { Client } from '../catalog/shield/admission/admit.ts';
import { CLIENT_RATE, type Rate } from '../catalog/shield/admission/rate-buckets.ts';
import type { ShieldEventStore } from '../catalog/shield/events/shield-event-store.ts';
import type { FirewallSource } from '../catalog/shield/firewall/open-firewall.ts';
import type { DeliveredTotal } from '../catalog/statistics/sums/delivered-store.ts';
import type { Visits } from '../catalog/statistics/visits/visits.ts';
import { MAX_CONNECTIONS_PER_CLIENT } from '../lib/client-connections.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { SendFile } from '../lib/send-file.ts';
import type { LicenceProxy } from '../ports/licence-proxy.ts';
import type { Storage } from '../ports/storage.ts';
import type { LiveSource } from './live/live-streams.ts';
import type { PlayerAssets } from './player/load-player-assets.ts';

export type EdgeStorage = Pick<Storage, 'read' | 'readBytes' | 'head' | 'localPath'>;

export type EdgeLog = { warn(fields: object, message: string): void; error(fields: object, message: string): void };

/** Limits of everything that could grow; each has a default. */
export type EdgeLimits = {
  connections: number;
  /** Limit per client: an IPv4 address, or the /64 network of an IPv6 address. */
  connectionsPerClient: number;
  /** Requests of one client, answered or refused. */
  clientRate: Rate;
  publicationCacheBytes: number;
  /** Written playlists and manifests, in bytes. */
  textCacheBytes: number;
  /** Stored bytes in memory, cached and in use; and of them, the cached ones. */
  lentBytes: number;
  objectCacheBytes: number;
  /** Part of `lentBytes` that may wait for one client. */
  lentBytesPerClient: number;
  /** Encrypted segments, cached and in use; and of them, the cached ones. */
  protectedBytes: number;
  protectedCacheBytes: number;
  /** Heads of MP4 files and the locations of their bytes. */
  moviePlanBytes: number;
  /** Concurrent database look-ups of one client, and responses that may wait for segments. */
  lookUpsPerClient: number;
  waitsPerClient: number;
  /** Responses that are encrypted for one client and not yet sent. */
  encryptionsPerClient: number;
  /** Concurrent loads of different publications; more are refused with 503. */
  publicationLoads: number;
  segmentWaiters: number;
  /** Less than the 10 s after which players treat a segment as lost: they get a response to retry instead. */
  segmentWaitMs: number;
  openFiles: number;
  /** Maximum time for a request head, from the first byte of its connection or its own, in ms. */
  headMs: number;
  /** Time after which a connection without any traffic is closed, in ms. */
  idleMs: number;
  /** Maximum time for running responses when the edge closes, in ms. */
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

/** Locates addresses without waiting; empty if unknown. */
export type Places = { locate(address: string): Pick<Client, 'country' | 'asn'> };

/** Counting of visits, and the secret of player pages' tickets. */
export type EdgeViewing = {
  /** The edge closes it. */
  visits: Visits;
  /**
   * Returns the relative number of plays of a video, 0 to 100 for each part of equal length; null below five visits.
   */
  heatCurve(key: MediaKey): Promise<number[] | null>;
  /** Returns the visits with a moving picture now, at all edges; null if unknown. */
  viewersNow(key: MediaKey): Promise<number | null>;
  ticketSecret: KeyObject;
  /** Stores the bytes sent so far; replaces the stored values of an hour of this process. */
  keepDelivered(totals: readonly DeliveredTotal[]): Promise<void>;
};

/** Dependencies of the edge. `watch` subscribes to publications; the edge closes it. */
export type EdgeDeps = {
  host: string;
  port: number;
  publications: PublicationStore;
  /** Loads the rules for the viewers of a pull zone; null if there is none. */
  loadPolicy(ref: ZoneRef): Promise<ZonePolicy | null>;
  watch(listener: PublicationListener): PublicationWatch;
  /** Store for the segments that viewers request from on-demand renditions. */
  requests: SegmentRequestStore;
  /** Source of live streams; without it they are not served. */
  live?: LiveSource;
  storage: EdgeStorage;
  /** Null if sendfile is unavailable: bytes then go through memory. */
  sendFile: SendFile | null;
  player: PlayerAssets;
  /** Opens the keys of protected videos. */
  secretBox: SecretBox;
  /** Makes the keys of play sessions; the same at each edge. */
  sessionSecret: Uint8Array;
  viewing: EdgeViewing;
  /** Connection to licence servers of other systems; null if none is configured. */
  licences: LicenceProxy | null;
  /** URL of the edge for viewers, without a final slash; null: the host name of each request. */
  edgeUrl: string | null;
  /** Hosts of our player, `*.` for all subdomains. Their pages are always admitted. */
  ownHosts: readonly string[];
  /** Networks of proxies in front of the edge, whose `X-Forwarded-For` counts. */
  trustedProxies: readonly string[];
  places: Places;
  /** Store for refusals, and the name of this edge in it. */
  events: ShieldEventStore;
  serverZone: string;
  /** Rules for requests that are not ours, and settings for those without a zone. */
  firewall: FirewallSource;
  loadWaf(): Promise<WafSettings>;
  log: EdgeLog;
  limits?: Partial<EdgeLimits>;
};
