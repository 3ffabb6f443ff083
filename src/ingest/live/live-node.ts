import { mkdir, rm } from 'node:fs/promises';
import type { Db, MediaKey } from '../../catalog/db.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import type { LiveState, RelayRequest, RelayState } from '../../catalog/live/live-stream.ts';
import { removeNode, reportNode } from '../../catalog/live/publishing/node-store.ts';
import type { PublishGrant, PublishStore } from '../../catalog/live/publishing/publish-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import type { FlvTag } from '../../media/live/flv/flv-tag.ts';
import { writeFeedFrame } from '../../media/live/playlist/feed-message.ts';
import type { MediaInput, PublishRequest } from '../../media/live/publishing/publisher.ts';
import type { LiveEvent } from '../../media/live/tracks/access-unit.ts';
import type { Storage } from '../../ports/storage.ts';
import { BitrateHistory } from './bitrate-history.ts';
import { CoreBudget } from './core-budget.ts';
import { type FeedSecrets, startFeedServer } from './feed-server.ts';
import { FeedSubscribers } from './feed-subscribers.ts';
import { Journal } from './journal.ts';
import { logEnd, streamFields } from './live-lines.ts';
import { LivePublisher } from './live-publisher.ts';
import { Marker } from './marker.ts';
import { collectStreams } from './measure-publishing.ts';
import { OwnedStream } from './owned-stream.ts';
import { readMark } from './read-mark.ts';
import { recoverJournal } from './recover-journal.ts';
import { SegmentCommitter } from './segment-committer.ts';
import { StillMaker } from './still-maker.ts';

export type LiveNodeDeps = {
  db: Db;
  storage: Storage;
  publishing: PublishStore;
  /** Id of this machine. It stays the same across restarts of the process. */
  nodeId: Guid;
  host: string;
  /** Host at which edges reach `host`. Null means `host` itself. */
  feedHost: string;
  feedSecret: FeedSecrets;
  journalFolder: string;
  /** Folder for segments that a takeover by another process kept out of a recording. */
  keptFolder: string;
  /** Folder of watermark files in use. It is emptied at each start. */
  markFolder: string;
  region: string;
  /** Returns the URLs at which publishers reach this process, by protocol. */
  endpoints(): Record<string, string>;
  /** Maximum number of concurrent publishers. */
  capacity: number;
  /** Creates the keys of a stream if its library encrypts delivered media. */
  protect(key: MediaKey, signal: AbortSignal): Promise<boolean>;
  /** Maximum number of cores for encoding the rungs of streams. */
  ladderCores: number;
  /** Starts to relay a publisher's media to the receivers configured for its stream. */
  openRelays(requests: readonly RelayRequest[]): {
    push(tag: FlvTag): void;
    states(): readonly RelayState[];
    close(): void;
  };
  /** Ends a stream that has been without a publisher for too long. */
  stopIdle(lease: LiveLease): Promise<void>;
  /** Subscribes to changes of streams. `close` unsubscribes. */
  listen(handlers: { changed(streamId: string): void; connected(): void }): Promise<{ close(): Promise<void> }>;
  report(error: Error): void;
};

export type LiveNode = {
  publish(request: PublishRequest): Promise<MediaInput>;
  close(handOver?: string): Promise<void>;
};

const [RENEW_EVERY_MS, REPORT_EVERY_MS] = [1_000, 5_000];
const IDLE_MS = 30 * 60 * 1000;
const SETTLE_MS = 5_000;
/** Owns live streams: admits publishers, renews leases, serves feeds, and converts ended streams to videos. */
export async function startLiveNode(deps: LiveNodeDeps): Promise<LiveNode> {
  const node = new Node(deps);
  await node.start();
  return node;
}

class Node implements LiveNode {
  readonly #deps: LiveNodeDeps;
  readonly #streams = new Map<Guid, OwnedStream>();
  readonly #subscribers = new Map<Guid, FeedSubscribers>();
  readonly #finishing = new Map<Guid, Promise<void>>();
  readonly #journal: Journal;
  readonly #committer: SegmentCommitter;
  readonly #history: BitrateHistory;
  readonly #stills: StillMaker;
  readonly #budget: CoreBudget;
  #reportedMs = 0;
  #feedUrl = '';
  #closers: (() => Promise<void>)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> | null = null;
  readonly #closing = new AbortController();
  #isClosing = false;
  constructor(deps: LiveNodeDeps) {
    this.#deps = deps;
    this.#journal = new Journal(deps.journalFolder, deps.report);
    this.#committer = new SegmentCommitter(deps);
    this.#history = new BitrateHistory(deps.db);
    this.#stills = new StillMaker(deps);
    this.#budget = new CoreBudget(deps.ladderCores);
  }

  async start(): Promise<void> {
    const { host, feedHost, feedSecret, markFolder } = this.#deps;
    // Remove watermark files that a killed process left.
    await rm(markFolder, { recursive: true, force: true });
    await mkdir(markFolder, { recursive: true });
    const feeds = await startFeedServer({ host, port: 0, secrets: feedSecret }, (streamId, response) => {
      const stream = this.#streams.get(streamId);
      if (stream === undefined) return false;
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
      return this.#subscribersOf(streamId).add(response, stream.snapshot());
    });
    this.#feedUrl = `http://${feedHost.includes(':') ? `[${feedHost}]` : feedHost}:${feeds.port}`;
    this.#closers.push(() => feeds.close());
    await this.#adopt();
    const listener = await this.#deps.listen({ changed: () => this.#renewSoon(), connected: () => this.#renewSoon() });
    this.#closers.push(() => listener.close());
    this.#closers.push(collectStreams(this.#streams));
    this.#timer = setInterval(() => this.#renewSoon(), RENEW_EVERY_MS);
  }

  async publish(request: PublishRequest): Promise<MediaInput> {
    try {
      return await this.#accept(request);
    } catch (error) {
      if (error instanceof Refused) await this.#noteRefusal(request, error);
      throw error;
    }
  }

  async #accept({ streamKey, slot, protocol, remote, disconnect }: PublishRequest): Promise<MediaInput> {
    if (this.#isClosing || this.#publisherCount() >= this.#deps.capacity) {
      throw new Refused('unavailable', 'The server has reached its maximum number of publishers. Try again later.');
    }
    if (this.#committer.isBehind(Date.now())) {
      const { streamId } = await this.#deps.publishing.check(streamKey);
      if (!this.#streams.has(streamId))
        throw new Refused('unavailable', 'Segments cannot be stored now. Try again later.');
    }
    const grant = await this.#deps.publishing.authorise(streamKey, { id: this.#deps.nodeId, feedUrl: this.#feedUrl });
    if (grant.session > 1) metrics.liveReconnects.inc();
    const marking = await readMark(this.#deps, grant.lease.key.libraryId, this.#closing.signal);
    const stream = await this.#streamOf(grant);
    if (this.#isClosing) throw new Refused('unavailable', 'This process is closing. Connect again.');
    const publisher = new LivePublisher(slot, grant.session, disconnect);
    const line = { ...streamFields(grant.lease.key), session: grant.session, protocol, slot, address: remote };
    logEvent('publisher.connected', line);
    stream.add(publisher);
    // Only the primary is relayed: the backup sends the same media.
    const relays = this.#deps.openRelays(slot === 'primary' ? (grant.stream.relays ?? []) : []);
    publisher.relayStates = relays.states;
    const output = (event: LiveEvent, wireBytes: number) => stream.push(publisher, event, wireBytes);
    const { report, markFolder: folder } = this.#deps;
    const tools = { budget: this.#budget, folder, output, refuse: disconnect, report };
    const marker = marking === null ? null : new Marker(marking, tools);
    if (marker !== null) publisher.finish = () => marker.finish();
    return {
      push(event, wireBytes) {
        publisher.received(event);
        if (marker === null) output(event, wireBytes);
        else marker.push(event, wireBytes);
      },
      expect: (config) => publisher.expect(config),
      relay: (tag) => relays.push(tag),
      leaveOut: (reason) => void publisher.leftOut.add(reason),
      end(reason, by) {
        logEnd(line, publisher, reason);
        relays.close();
        marker?.close();
        stream.remove(publisher, by === 'server' ? reason : null);
      },
    };
  }

  async #noteRefusal({ protocol, remote: address, streamKey }: PublishRequest, refusal: Refused): Promise<void> {
    logEvent('publisher.refused', { protocol, address, reason: refusal.message });
    if (refusal.kind !== 'unavailable' || this.#isClosing) return;
    await this.#deps.publishing.noteRefusal(streamKey, refusal.message);
  }

  async close(handOver?: string): Promise<void> {
    this.#isClosing = true;
    this.#closing.abort();
    if (this.#timer !== null) clearInterval(this.#timer);
    const settled = Promise.all([...this.#streams.values()].map((stream) => stream.finalize(handOver)));
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, SETTLE_MS).unref())]);
    for (const subscribers of this.#subscribers.values()) subscribers.end();
    this.#committer.close();
    this.#stills.close();
    await Promise.all(this.#closers.map((close) => close()));
    await this.#renewal;
    // If the database is down, the row expires.
    await removeNode(this.#deps.db, this.#deps.nodeId).catch((error: Error) => this.#deps.report(error));
  }

  /** Takes over the streams of the previous process on this machine, and the segments in its journal. */
  async #adopt(): Promise<void> {
    const { db, nodeId, journalFolder, keptFolder, publishing, report } = this.#deps;
    const owned = await publishing.adopt(nodeId, this.#feedUrl);
    await recoverJournal({ db, folder: journalFolder, keptFolder, committer: this.#committer, report }, owned);
    for (const { lease, state } of owned) await this.#own(lease, state, { isRecovered: true });
  }

  async #streamOf({ lease, stream: { state } }: PublishGrant): Promise<OwnedStream> {
    const known = this.#streams.get(lease.key.mediaId);
    if (known !== undefined && !known.isLost && known.lease.epoch === lease.epoch) return known;
    known?.lose();
    return this.#own(lease, state, { isRecovered: false });
  }

  async #own(lease: LiveLease, state: LiveState, before: { isRecovered: boolean }): Promise<OwnedStream> {
    const streamId = lease.key.mediaId;
    const subscribers = this.#subscribersOf(streamId);
    const { db, storage, report } = this.#deps;
    const protect = (key: MediaKey) => this.#deps.protect(key, this.#closing.signal);
    const own = { journal: this.#journal, committer: this.#committer, stills: this.#stills, budget: this.#budget };
    const stream = new OwnedStream(lease, state, { db, storage, report, protect, subscribers, ...own });
    this.#streams.set(streamId, stream);
    logEvent('stream.owned', { ...streamFields(lease.key), ...before });
    await stream.load(before);
    return stream;
  }

  #subscribersOf(streamId: Guid): FeedSubscribers {
    const known = this.#subscribers.get(streamId) ?? new FeedSubscribers();
    this.#subscribers.set(streamId, known);
    return known;
  }

  #publisherCount(): number {
    return [...this.#streams.values()].reduce((sum, { publishers }) => sum + publishers.length, 0);
  }

  /** Runs one renewal at a time. The next renewal, a second later, picks up changes made during this one. */
  #renewSoon(): void {
    this.#renewal ??= this.#renew()
      .catch((error: Error) => this.#deps.report(error))
      .finally(() => {
        this.#renewal = null;
      });
  }

  async #renew(): Promise<void> {
    const nowMs = Date.now();
    const streams = [...this.#streams.entries()].filter(([id]) => !this.#finishing.has(id));
    const reports = streams.map(([, stream]) => stream.report(nowMs));
    const renewed = await this.#deps.publishing.renew(this.#deps.nodeId, reports);
    await this.#history.add(reports, nowMs);
    await this.#reportNode(nowMs);
    for (const [id, stream] of streams) {
      // A publisher that connected during the renewal may have replaced the stream object.
      if (this.#streams.get(id) !== stream) continue;
      const answer = renewed.find((one) => one.streamId === id);
      if (answer === undefined) this.#forget(id, stream);
      else if (stream.renewed(answer)) this.#finish(id, stream);
      else if (stream.silentSinceMs !== null && nowMs - stream.silentSinceMs > IDLE_MS)
        await this.#deps.stopIdle(stream.lease);
    }
  }

  async #reportNode(nowMs: number): Promise<void> {
    if (nowMs - this.#reportedMs < REPORT_EVERY_MS) return;
    this.#reportedMs = nowMs;
    // Sends a ping, because edges treat a feed without traffic as broken.
    for (const subscribers of this.#subscribers.values()) subscribers.send(writeFeedFrame({ type: 'ping' }));
    const { db, nodeId: id, region, endpoints, capacity } = this.#deps;
    const publishers = this.#publisherCount();
    await reportNode(db, { id, region, feedUrl: this.#feedUrl, endpoints: endpoints(), capacity, publishers });
  }

  #forget(id: Guid, stream: OwnedStream): void {
    logEvent('stream.moved', streamFields(stream.lease.key));
    stream.lose();
    this.#streams.delete(id);
    this.#subscribers.delete(id);
    this.#stills.forget(id);
  }

  #finish(id: Guid, stream: OwnedStream): void {
    const done = stream
      .finish()
      .then(() => {
        this.#streams.delete(id);
        this.#subscribers.delete(id);
        this.#stills.forget(id);
      })
      // The next renewal tries again.
      .catch((error: Error) => this.#deps.report(error))
      .finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, done);
  }
}
