import type { IncomingMessage } from 'node:http';
import type { Client } from '../../catalog/shield/admission/admit.ts';
import { type AddressSet, clientAddress } from '../../lib/client-address.ts';
import { clientKey } from '../../lib/client-key.ts';
import { remember } from '../../lib/remember.ts';
import type { AddressLocator } from '../edge-deps.ts';

/** Parts of a request that identify its sender. */
export type Sender = { socket: { remoteAddress?: string | undefined }; headers: IncomingMessage['headers'] };

type Known = { client: Client; untilMs: number };

const MAX_CLIENTS = 8_192;
const MAX_CHARS = 200;
/**
 * Time for which a client is cached, in ms. The location databases are opened after the first lookup, so clients must
 * be looked up again.
 */
const KNOWN_MS = 10_000;

/**
 * Determines the address and location of the client of a request. Recent results are cached, because a player sends a
 * request every few seconds.
 */
export class KnownClients {
  readonly #trusted: AddressSet;
  readonly #locator: AddressLocator;
  readonly #known = new Map<string, Known>();

  constructor(trusted: AddressSet, locator: AddressLocator) {
    this.#trusted = trusted;
    this.#locator = locator;
  }

  /** Returns the client of a request. Behind a trusted proxy, this is the client that the proxy reports. */
  findClient({ socket: { remoteAddress }, headers }: Sender): Client {
    const forwarded = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    const nowMs = performance.now();
    const key = `${remoteAddress} ${forwardedFor ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined && nowMs < known.untilMs) return known.client;
    const address = clientAddress({ remoteAddress, forwardedFor }, this.#trusted);
    const client = { address, key: clientKey(address), ...this.#locator.locate(address) };
    if (key.length > MAX_CHARS) return client;
    remember(this.#known, [key, { client, untilMs: nowMs + KNOWN_MS }], MAX_CLIENTS);
    return client;
  }
}
