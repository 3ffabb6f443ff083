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

/** Bounds of everything that could grow; each has a default. */
export type EdgeLimits = {
  connections: number;
  /** Of them, those of one client: an IPv4 address, or the /64 network of an IPv6 address. */
  connectionsPerClient: number;
  /** Requests of one client, answered or refused. */
  clientRate: Rate;
  publicationCacheBytes: number;
  /** Written playlists and manifests. */
  textCacheBytes: number;
  /** Stored bytes in memory: kept ones and those that answers under way hold; of them, what is kept. */
  lentBytes: number;
  objectCacheBytes: number;
  /** Of `lentBytes`, what waits for one client. */
  lentBytesPerClient: number;
  /** Encrypted segments, kept ones and those that answers under way hold; and of them, what is kept. */
  protectedBytes: number;
  protectedCacheBytes: number;
  /** Heads of MP4 files and where their bytes lie. */
  moviePlanBytes: number;
  /** Look-ups in the database that one client may cause at once, and answers that may wait for segments to be made. */
  lookUpsPerClient: number;
  waitsPerClient: number;
  /** Answers that are encrypted for one client and not yet sent. */
  encryptionsPerClient: number;
  /** Loads of different publications under way at once; more are answered 503. */
  publicationLoads: number;
  segmentWaiters: number;
  /** Below the 10 s after which players take a segment for lost: they get an answer to retry instead. */
  segmentWaitMs: number;
  openFiles: number;
  /** The head of a request may take so long from its connection's or its own first byte on. */
  headMs: number;
  /** A connection on which nothing moves for so long is closed, whoever waits on it. */
  idleMs: number;
  /** Answers under way when the edge closes may take so long to finish. */
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

/** Where addresses are, without waiting; empty where it is not known. */
export type Places = { locate(address: string): Pick<Client, 'country' | 'asn'> };

/** How visits are counted, and the secret of player pages' tickets. */
export type EdgeViewing = {
  /** The edge closes it. */
  visits: Visits;
  /** What is played most of a video, 0 to 100 for each stretch of equal length; null below five visits. */
  heatCurve(key: MediaKey): Promise<number[] | null>;
  /** Visits with a moving picture now, at all edges; null where that is not known. */
  viewersNow(key: MediaKey): Promise<number | null>;
  ticketSecret: KeyObject;
  /** Keeps how many bytes were sent so far; what is kept of an hour of this process is replaced. */
  keepDelivered(totals: readonly DeliveredTotal[]): Promise<void>;
};

/** What the edge stands on. `watch` subscribes to publications; the edge closes it. */
export type EdgeDeps = {
  host: string;
  port: number;
  publications: PublicationStore;
  /** What decides about the viewers of a pull zone; null when there is none. */
  loadPolicy(ref: ZoneRef): Promise<ZonePolicy | null>;
  watch(listener: PublicationListener): PublicationWatch;
  /** Where it registers what viewers want of renditions that are encoded on demand. */
  requests: SegmentRequestStore;
  /** Where live streams come from; without it they are not served. */
  live?: LiveSource;
  storage: EdgeStorage;
  /** Null where sendfile cannot be called: bytes then go through memory. */
  sendFile: SendFile | null;
  player: PlayerAssets;
  /** Opens the keys of protected videos. */
  secretBox: SecretBox;
  /** Makes the keys of play sessions; the same at each edge. */
  sessionSecret: Uint8Array;
  viewing: EdgeViewing;
  /** The way to licence servers of other systems; null where none is set. */
  licences: LicenceProxy | null;
  /** Where viewers find the edge, without a final slash; null: by the name that each request gives. */
  edgeUrl: string | null;
  /** Hosts where our player lives, `*.` for all below: their pages are always let in. */
  ownHosts: readonly string[];
  /** Networks of proxies before the edge, whose `X-Forwarded-For` counts. */
  trustedProxies: readonly string[];
  places: Places;
  /** Where refusals are recorded, and the name that this edge has there. */
  events: ShieldEventStore;
  serverZone: string;
  /** What inspects requests that are none of ours, and how it does so where they are for no zone. */
  firewall: FirewallSource;
  loadWaf(): Promise<WafSettings>;
  log: EdgeLog;
  limits?: Partial<EdgeLimits>;
};
