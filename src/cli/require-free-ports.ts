import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../config/settings.ts';
import { hasCode } from '../lib/has-code.ts';
import { bindOnce } from '../lib/listen.ts';
import { Refused } from '../lib/refused.ts';
import { portInUse } from './explain-start.ts';

/**
 * Throws `Refused` with one line per port of the service that another program uses. Must be called before the first
 * start creates anything. Later starts wait for their ports instead, because an earlier service may still be stopping.
 */
export async function requireFreePorts(settings: Settings): Promise<void> {
  const { host, port, edgePort, rtmpPort, whipPort, whipUdpPort, srtPort, metricsPort } = settings;
  const tcp = {
    MILLRACE_PORT: port,
    MILLRACE_EDGE_PORT: edgePort,
    MILLRACE_RTMP_PORT: rtmpPort,
    ...(settings.ingestCertificate !== null && { MILLRACE_RTMPS_PORT: settings.rtmpsPort }),
    MILLRACE_WHIP_PORT: whipPort,
    ...(metricsPort !== null && { MILLRACE_METRICS_PORT: metricsPort }),
  };
  const problems: string[] = [];
  const check = async (name: string, wanted: number, listen: () => Promise<void>) => {
    try {
      await listen();
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE')) throw error;
      problems.push(portInUse(name, wanted, error).message);
    }
  };
  for (const [name, wanted] of Object.entries(tcp)) await check(name, wanted, () => listenOnce(wanted, host));
  for (const [name, wanted] of Object.entries({ MILLRACE_SRT_PORT: srtPort, MILLRACE_WHIP_UDP_PORT: whipUdpPort }))
    await check(name, wanted, () => bindOnce(wanted, host));
  if (problems.length > 0) throw new Refused('conflict', problems.join('\n'));
}

async function listenOnce(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
