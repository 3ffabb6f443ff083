import { setTimeout as sleep } from 'node:timers/promises';
import type { RoleSettings } from '../config/settings.ts';
import { baseAddresses } from '../service/first-start.ts';
import type { Fleet } from '../service/health.ts';

const EDGE_PORT_WAIT_MS = 60_000;

/**
 * Returns the URL of the edge for viewers. The port is known in advance unless the edge uses any free one; in that
 * case this function waits for it.
 */
export async function findEdgeUrl(settings: RoleSettings, fleet: () => Fleet): Promise<string> {
  const limitMs = performance.now() + EDGE_PORT_WAIT_MS;
  const isOpen = settings.edgeUrl === null && settings.edgePort === 0;
  while (isOpen && fleet().listeners.edge === undefined && performance.now() < limitMs) await sleep(20);
  const edge = fleet().listeners.edge ?? settings.edgePort;
  return baseAddresses(settings, { edge }).edgeUrl;
}
