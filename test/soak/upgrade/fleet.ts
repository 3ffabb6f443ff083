import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestDatabase } from '../../support/database.ts';
import { ACCOUNT_KEY, freePort, LIBRARY_KEY } from '../../support/service.ts';

export type Release = 'old' | 'new';
export const FLEET_ROLES = ['api', 'edge', 'worker', 'ingest'] as const;
export type FleetRole = (typeof FLEET_ROLES)[number];

/** One running process. `isReady` is the last response of `/readyz`, as a balancer sees it. */
export type Member = {
  release: Release;
  role: FleetRole;
  id: string;
  url: string;
  health: string;
  folder: string;
  child: ChildProcess;
  ended: Promise<number | null>;
  isReady: boolean;
  log(): string;
};

/** `folders`: the code of each release. `place`: an empty folder for data. */
type FleetDeps = { database: TestDatabase; folders: Record<Release, string>; place: string };

const LIMIT_MS = 120_000;
const LOOK_MS = 100;
const MAX_LOAD_BALANCER_FAULTS = 50;

/** Processes of two releases on one database and one store, behind a load balancer that polls `/readyz`. */
export class Fleet {
  readonly members: Member[] = [];
  /** Requests that failed, and streams that could not be published. */
  readonly faults: string[] = [];
  readonly #deps: FleetDeps;
  readonly #watching = new AbortController();
  #count = 0;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
  }

  /** Starts a role and waits until it is ready. `folder` is the data folder of an earlier process. */
  async start(release: Release, role: FleetRole, folder: string | null = null): Promise<Member> {
    this.#count += 1;
    const [port, healthPort] = await Promise.all([freePort(), freePort()]);
    const data = folder ?? path.join(this.#deps.place, `${this.#count}-${release}-${role}`);
    await mkdir(data, { recursive: true });
    const child = this.#spawn(release, ['serve', '--role', role], {
      MILLRACE_DATA_DIR: data,
      MILLRACE_PORT: role === 'api' ? `${port}` : '0',
      MILLRACE_EDGE_PORT: role === 'edge' ? `${port}` : '7',
      MILLRACE_HEALTH_PORT: `${healthPort}`,
    });
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => chunks.push(`${data}`));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [url = '', health = ''] = [port, healthPort].map((at) => `http://127.0.0.1:${at}`);
    const known = this.members.map(({ id }) => id);
    const made = { release, role, url, health, folder: data, child, ended, log: () => chunks.join('') };
    const member: Member = { ...made, id: '', isReady: false };
    this.members.push(member);
    await this.#untilReady(member);
    member.id = await this.#findId(role, known);
    void this.#watch(member);
    return member;
  }

  /** Returns a ready process of a role. Throws if there is none, as a balancer would respond with 503. */
  pick(role: FleetRole): Member {
    const ready = this.members.filter((member) => member.role === role && member.isReady);
    const member = ready[Math.floor(Math.random() * ready.length)];
    if (member === undefined) throw new Error(`Expected a ready ${role}, got none.`);
    return member;
  }

  /** Sends a request through the load balancer. A response of 5xx and a broken connection are faults. */
  async ask(role: 'api' | 'edge', at: string, init: RequestInit = {}): Promise<Response> {
    const member = this.pick(role);
    const keyed = role === 'api' ? { AccessKey: LIBRARY_KEY } : {};
    const label = `${init.method ?? 'GET'} ${at} of the ${member.release} ${role}`;
    try {
      const response = await fetch(`${member.url}${at}`, { ...init, headers: { ...keyed, ...init.headers } });
      const body = await response.arrayBuffer();
      if (response.status >= 500) this.addFault(`${label}: ${response.status} ${Buffer.from(body).toString()}`);
      return new Response(body.byteLength === 0 ? null : body, response);
    } catch (error) {
      this.addFault(`${label}: ${String(error)} ${String(Object(error).cause ?? '')}`);
      throw error;
    }
  }

  /** Like `ask`, for requests that must succeed. Any status other than 2xx is a fault. */
  async need(role: 'api' | 'edge', at: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.ask(role, at, init);
    if (response.status >= 300 && response.status < 500) {
      this.addFault(`${init.method ?? 'GET'} ${at}: ${response.status} ${await response.clone().text()}`);
    }
    if (!response.ok) throw new Error(`Expected 2xx for ${at}, got ${response.status}.`);
    return response;
  }

  addFault(fault: string): void {
    if (this.faults.length < MAX_LOAD_BALANCER_FAULTS) this.faults.push(`${new Date().toISOString()} ${fault}`);
  }

  /** Stops a process: by `millrace drain` of a release, or by SIGTERM. It must exit with 0. */
  async leave(member: Member, by: Release | 'SIGTERM'): Promise<void> {
    if (by === 'SIGTERM') {
      member.isReady = false;
      member.child.kill('SIGTERM');
    } else {
      const data = path.join(this.#deps.place, 'cli');
      const child = this.#spawn(by, ['drain', member.id, '--force'], { MILLRACE_DATA_DIR: data });
      const chunks: string[] = [];
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => chunks.push(`${part}`));
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      expect([code, chunks.join('')]).toEqual([0, expect.stringContaining('has exited')]);
    }
    expect(await member.ended, member.log()).toBe(0);
  }

  /** Returns the lines of level `error` in all logs. */
  loggedErrors(): string[] {
    return this.members.flatMap(({ release, role, log }) =>
      log()
        .split('\n')
        .filter((line) => line.includes('"level":"error"'))
        .map((line) => `${release} ${role}: ${line}`),
    );
  }

  /** Kills everything that still runs. */
  async close(): Promise<void> {
    this.#watching.abort();
    for (const { child } of this.members) if (child.exitCode === null) child.kill('SIGKILL');
    await Promise.all(this.members.map(({ ended }) => ended));
  }

  #spawn(release: Release, args: readonly string[], more: Record<string, string>): ChildProcess {
    const { database, folders, place } = this.#deps;
    const script = path.join(folders[release], 'bin/millrace.js');
    const host = encodeURIComponent(`${database.config.host}`);
    return spawn(process.execPath, [script, ...args], {
      env: {
        ...process.env,
        MILLRACE_DATABASE_URL: `postgres:///postgres?host=${host}&user=millrace`,
        MILLRACE_STORAGE: `file:${path.join(place, 'objects')}`,
        MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
        MILLRACE_HOST: '127.0.0.1',
        MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
        MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
        MILLRACE_PREVIEWS: 'off',
        MILLRACE_LOG_FORMAT: 'json',
        ...Object.fromEntries(['RTMP', 'SRT', 'WHIP'].map((name) => [`MILLRACE_${name}_PORT`, '0'])),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async #untilReady(member: Member): Promise<void> {
    const limitMs = performance.now() + LIMIT_MS;
    while (!(await isReady(member))) {
      if (member.child.exitCode !== null || performance.now() > limitMs) {
        throw new Error(`Expected the ${member.release} ${member.role} to become ready, got: ${member.log()}`);
      }
      await sleep(LOOK_MS);
    }
    member.isReady = true;
  }

  async #findId(role: FleetRole, known: readonly string[]): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      select id from millrace_node where role = ${role} order by started_at desc`.execute(this.#deps.database.db);
    // A restarted ingest keeps its id.
    return (rows.find(({ id }) => !known.includes(id)) ?? rows[0])?.id ?? '';
  }

  async #watch(member: Member): Promise<void> {
    while (!this.#watching.signal.aborted && member.child.exitCode === null) {
      member.isReady = await isReady(member);
      await sleep(LOOK_MS);
    }
    member.isReady = false;
  }
}

async function isReady({ health }: Member): Promise<boolean> {
  return (await fetch(`${health}/readyz`).catch(() => null))?.status === 200;
}
