import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended } from '../../live/live-service.ts';
import { segmentsOf } from '../../live/read-recording.ts';
import type { Fleet } from './fleet.ts';

const PAUSE_MS = 300;
/** Maximum number of uploads. Both releases encode some of them on any machine. */
const MAX_UPLOADS = 12;
const UPLOAD_PAUSE_MS = 3_000;
const FINISHED = 4;
const FAILED = 5;

/** `clip`: the file to upload and the one to publish in a loop. */
type Sources = { upload: string; live: string };

/** Uploads, plays and publishes through the balancer until it is stopped. Each failure is a fault of the fleet. */
export class Workload {
  readonly uploaded: string[] = [];
  readonly finished = new Set<string>();
  /** Lengths of the live segments that a viewer saw, by path. */
  readonly liveSegments = new Map<string, number>();
  streamId = '';
  /** Number of publishers that connected, each after the last was disconnected. */
  publishers = 0;
  readonly #fleet: Fleet;
  readonly #sources: Sources;
  #isStopping = false;
  #publisher: ChildProcess | null = null;
  #loops: Promise<unknown>[] = [];

  constructor(fleet: Fleet, sources: Sources) {
    this.#fleet = fleet;
    this.#sources = sources;
  }

  async start(): Promise<void> {
    const settings = json('POST', { title: 'Live', recordVod: true });
    const { guid, streamKey } = Object(await (await this.#fleet.need('api', '/library/1/live', settings)).json());
    this.streamId = guid;
    await this.#fleet.need('api', `${this.#livePath()}/start`, { method: 'PUT' });
    this.#loops = [
      this.#publish(String(streamKey)),
      this.#repeat(() => this.#upload(), UPLOAD_PAUSE_MS),
      this.#repeat(() => this.#play(), PAUSE_MS),
      this.#repeat(() => this.#watch(), PAUSE_MS),
    ];
  }

  /** Ends the stream, and everything that runs in a loop. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#fleet.need('api', `${this.#livePath()}/stop`, { method: 'PUT' });
    await Promise.all(this.#loops);
  }

  abandon(): void {
    this.#isStopping = true;
    this.#publisher?.kill('SIGKILL');
  }

  #livePath(): string {
    return `/library/1/live/${this.streamId}`;
  }

  /** Repeats an action. Its requests report their own faults; everything else that it throws is one too. */
  async #repeat(action: () => Promise<void>, pauseMs: number): Promise<void> {
    while (!this.#isStopping) {
      await action().catch((error: unknown) => this.#fleet.addFault(String(error)));
      await sleep(pauseMs);
    }
  }

  /** Publishes in a loop. A disconnected publisher connects again, to any ready ingest. */
  async #publish(streamKey: string): Promise<void> {
    while (!this.#isStopping) {
      const member = this.#fleet.pick('ingest');
      const { listeners } = Object(await (await fetch(`${member.health}/healthz`)).json());
      const input = ['-re', '-stream_loop', '-1', '-i', this.#sources.live];
      const url = `rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`;
      const argv = ['-nostdin', '-v', 'error', ...input, '-c', 'copy', '-f', 'flv', url];
      this.#publisher = spawn('ffmpeg', argv, { stdio: 'ignore' });
      this.publishers += 1;
      await ended(this.#publisher);
      await sleep(PAUSE_MS);
    }
  }

  async #upload(): Promise<void> {
    if (this.uploaded.length < MAX_UPLOADS) {
      const title = `clip ${this.uploaded.length}`;
      const made = await this.#fleet.need('api', '/library/1/videos', json('POST', { title }));
      const { guid } = Object(await made.json());
      const body = new Uint8Array(await readFile(this.#sources.upload));
      await this.#fleet.need('api', `/library/1/videos/${guid}`, { method: 'PUT', body });
      this.uploaded.push(guid);
    }
    for (const guid of this.uploaded.filter((each) => !this.finished.has(each))) {
      const { status } = Object(await (await this.#fleet.need('api', `/library/1/videos/${guid}`)).json());
      if (status === FAILED) this.#fleet.addFault(`Video ${guid} failed.`);
      if (status === FINISHED) this.finished.add(guid);
    }
  }

  /** Plays a finished video from its playlist to its last segment. */
  async #play(): Promise<void> {
    const videos = [...this.finished];
    const guid = videos[Math.floor(Math.random() * videos.length)];
    if (guid === undefined) return;
    const base = `/vz-1/${guid}`;
    const multivariant = await (await this.#fleet.need('edge', `${base}/playlist.m3u8`)).text();
    for (const [address] of multivariant.matchAll(/^r\/.*\.m3u8$/gm)) {
      const text = await (await this.#fleet.need('edge', `${base}/${address}`)).text();
      for (const { uri } of segmentsOf(text)) await this.#fleet.need('edge', resolvePath(`${base}/${address}`, uri));
    }
  }

  /** Watches the live stream: its playlist, and each segment when it is listed first. */
  async #watch(): Promise<void> {
    const base = `/vz-1/${this.streamId}`;
    const response = await this.#fleet.ask('edge', `${base}/playlist.m3u8`);
    const address = /^r\/.*\.m3u8$/m.exec(await response.text())?.[0];
    if (!response.ok || address === undefined) {
      if (this.liveSegments.size > 0) this.#fleet.addFault(`GET ${base}/playlist.m3u8: ${response.status}`);
      return;
    }
    const text = await (await this.#fleet.need('edge', `${base}/${address}`)).text();
    for (const { uri, durationSec } of segmentsOf(text)) {
      const at = resolvePath(`${base}/${address}`, uri);
      if (this.liveSegments.has(at)) continue;
      await this.#fleet.need('edge', at);
      this.liveSegments.set(at, durationSec ?? 0);
    }
  }
}

function json(method: string, body: unknown): RequestInit {
  return { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

function resolvePath(base: string, uri: string | null): string {
  return new URL(uri ?? '', `http://edge${base}`).pathname;
}
