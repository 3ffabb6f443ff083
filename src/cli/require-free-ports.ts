import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../config/settings.ts';
import { bindOnce } from '../lib/listen.ts';
import { Refused } from '../lib/refused.ts';
import { explainPort } from './explain-start.ts';

/** Ports of the service by setting. 0 is a free port. */
type Ports = Readonly<Record<string, number>>;

/** Throws `Refused` with one line per port of the service that another setting also has. */
export function requireDistinctPorts(settings: Settings): void {
  const problems = [tcpPorts(settings), udpPorts(settings)].flatMap(findShared);
  if (problems.length > 0) throw new Refused('invalid', problems.join('\n'));
}

/**
 * Throws `Refused` with one line per port of the service that another program uses, or that this user must not open.
 * Must be called before the first start creates anything. Later starts wait for their ports instead, because an earlier
 * service may still be stopping.
 */
export async function requireFreePorts(settings: Settings): Promise<void> {
  const { host } = settings;
  const problems: string[] = [];
  const check = async (ports: Ports, open: (port: number, host: string) => Promise<void>) => {
    for (const [name, port] of Object.entries(ports)) {
      await open(port, host).catch((error: unknown) => {
        const fault = explainPort(name, port, error);
        if (fault === null) throw error;
        problems.push(fault.message);
      });
    }
  };
  await check(tcpPorts(settings), listenOnce);
  await check(udpPorts(settings), bindOnce);
  if (problems.length > 0) throw new Refused('conflict', problems.join('\n'));
}

function tcpPorts(settings: Settings): Ports {
  const { port, edgePort, rtmpPort, rtmpsPort, whipPort, metricsPort, ingestCertificate } = settings;
  return {
    MILLRACE_PORT: port,
    MILLRACE_EDGE_PORT: edgePort,
    MILLRACE_RTMP_PORT: rtmpPort,
    ...(ingestCertificate !== null && { MILLRACE_RTMPS_PORT: rtmpsPort }),
    MILLRACE_WHIP_PORT: whipPort,
    ...(metricsPort !== null && { MILLRACE_METRICS_PORT: metricsPort }),
  };
}

function udpPorts({ srtPort, whipUdpPort }: Settings): Ports {
  return { MILLRACE_SRT_PORT: srtPort, MILLRACE_WHIP_UDP_PORT: whipUdpPort };
}

function findShared(ports: Ports): string[] {
  const entries = Object.entries(ports).filter(([, port]) => port !== 0);
  return entries.flatMap(([name, port], index) => {
    const other = entries.slice(0, index).find(([, taken]) => taken === port);
    return other === undefined ? [] : [`${name}: expected a port of its own, got ${port}, which is also ${other[0]}.`];
  });
}

async function listenOnce(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
