import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { PublishStore } from '../catalog/live/publishing/publish-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import { startRtmp } from '../ingest/rtmp/start-rtmp.ts';
import { SrtMissing } from '../ingest/srt/srt-listener.ts';
import { startSrt } from '../ingest/srt/start-srt.ts';
import { startWhip, WhipMissing } from '../ingest/whip/start-whip.ts';
import { readTrustedProxies } from '../lib/client-address.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { Refused } from '../lib/refused.ts';
import type { Publish } from '../media/live/publishing/publisher.ts';
import { EncoderBudget } from '../media/live/publishing/run-publisher-media.ts';

/** Maximum processes per core that encode publishers' audio. Each process takes one or two percent. */
const AUDIO_ENCODERS_PER_CORE = 16;

type Deps = { settings: RoleSettings; publish: Publish; publishing: PublishStore; report(error: Error): void };

type Listener = { port: number; close(): Promise<void> };

/**
 * Opens one listener per protocol. A listener whose library is missing is reported and omitted. `listeners`: the ports.
 */
export async function openListeners(deps: Deps) {
  const { settings, publish, report } = deps;
  const { host } = settings;
  const budget = new EncoderBudget(AUDIO_ENCODERS_PER_CORE * availableParallelism());
  const trusted = readTrustedProxies(settings.trustedProxies);
  const shared = { host, trusted, takesProxyHeaders: settings.takesRtmpProxyHeaders, publish, report };
  const rtmp = await startRtmp({ ...shared, port: settings.rtmpPort });
  const srt = await openSrt(deps, budget);
  const certificate = await readCertificate(settings);
  const rtmps = certificate === null ? null : await startRtmp({ ...shared, port: settings.rtmpsPort, certificate });
  const whip = await openWhip(deps, budget, certificate);
  const open: Record<string, Listener | null> = { rtmp, rtmps, srt, whip };
  const there = Object.entries(open).flatMap(([name, listener]) => (listener === null ? [] : [{ name, listener }]));
  return {
    listeners: Object.fromEntries(there.map(({ name, listener }) => [name, listener.port])),
    async close() {
      await Promise.all(there.map(({ listener }) => listener.close()));
    },
  };
}

/** URLs for publishers by protocol. */
export function endpointsOf(
  host: string,
  listeners: Readonly<Record<string, number>>,
  isSecure: boolean,
): Record<string, string> {
  const name = host.includes(':') ? `[${host}]` : host;
  const places: Readonly<Record<string, (port: number) => string>> = {
    rtmp: (port) => `rtmp://${name}:${port}/live`,
    rtmps: (port) => `rtmps://${name}:${port}/live`,
    srt: (port) => `srt://${name}:${port}`,
    whip: (port) => `${isSecure ? 'https' : 'http'}://${name}:${port}/whip`,
  };
  return Object.fromEntries(
    Object.entries(listeners).flatMap(([protocol, port]) => {
      const place = places[protocol];
      return place === undefined ? [] : [[protocol, place(port)]];
    }),
  );
}

/** Replaces an unspecified address, which is for listening and not for connecting. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

async function openSrt(
  { settings, publish, publishing, report }: Deps,
  budget: EncoderBudget,
): Promise<Listener | null> {
  try {
    return await startSrt({
      host: settings.host,
      port: settings.srtPort,
      passphrase: settings.srtPassphrase,
      check: (name) => publishing.check(name),
      noteRefusal: (streamKey, reason) => publishing.noteRefusal(streamKey, reason),
      publish,
      budget,
      report,
    });
  } catch (error) {
    if (!(error instanceof SrtMissing)) throw error;
    logEvent('live.listener-missing', { protocol: 'srt', reason: error.message });
    return null;
  }
}

async function openWhip(
  { settings, publish, publishing, report }: Deps,
  budget: EncoderBudget,
  certificate: Certificate | null,
): Promise<Listener | null> {
  try {
    return await startWhip({
      trusted: readTrustedProxies(settings.trustedProxies),
      host: settings.host,
      port: settings.whipPort,
      certificate,
      tls: settings.tls,
      iceServers: settings.iceServers,
      udpPort: settings.whipUdpPort,
      publicHost: settings.ingestHost,
      // A stream's public id is not a key: only SRT, by its passphrase, proves knowledge of the key.
      check: async (streamKey) => {
        if ((await publishing.check(streamKey)).isSecret) throw new Refused('not-found', 'No stream has this key.');
      },
      noteRefusal: (streamKey, reason) => publishing.noteRefusal(streamKey, reason),
      publish,
      budget,
      report,
    });
  } catch (error) {
    if (!(error instanceof WhipMissing)) throw error;
    logEvent('live.listener-missing', { protocol: 'whip', reason: error.message });
    return null;
  }
}

type Certificate = { cert: Buffer; key: Buffer };

async function readCertificate({ ingestCertificate: paths }: RoleSettings): Promise<Certificate | null> {
  if (paths === null) return null;
  const [cert, key] = await Promise.all([readFile(paths.certificatePath), readFile(paths.keyPath)]);
  return { cert, key };
}
