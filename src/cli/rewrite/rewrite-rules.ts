import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';

/** Replacements for the URLs of the hosted service. */
export type RewriteRules = {
  /** New base URL of the API, without a trailing slash, or null. */
  api: string | null;
  /** New base URL of players and their files, without a trailing slash, or null. */
  edge: string | null;
  /** New base URL by host name, for hosts of pull zones. */
  hosts: ReadonlyMap<string, string>;
  /** New library id by old library id. */
  libraries: ReadonlyMap<string, string>;
};

export type RewriteOptions = { api?: string; edge?: string; host: readonly string[]; library: readonly string[] };

/** Hosts whose URLs are replaced by `RewriteRules.edge`. */
export const PLAYER_HOSTS = ['iframe.mediadelivery.net', 'player.mediadelivery.net', 'assets.mediadelivery.net'];
/** Hosts whose URLs are replaced by `RewriteRules.api`, except for player pages. */
export const API_HOSTS = ['video.bunnycdn.com', 'api.bunny.net'];

const PLAYER_PAGES = ['embed', 'play'];

/**
 * Reads the options of `millrace rewrite`. Throws `Refused` (`invalid`) if an option is malformed, or if none of them
 * replaces anything.
 */
export function readRules({ api, edge, host, library }: RewriteOptions): RewriteRules {
  const hosts = new Map(
    host.map((pair) => {
      const [name, base] = splitPair(pair, '--host', 'vz-1234.b-cdn.net=https://media.example.com/vz-1');
      if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name)) throw wrong('--host', 'a host name before the =', name);
      return [name.toLowerCase(), readBase('--host', base)];
    }),
  );
  const libraries = new Map(
    library.map((pair) => {
      const [from, to] = splitPair(pair, '--library', '12345=1');
      for (const id of [from, to]) if (!/^\d{1,12}$/.test(id)) throw wrong('--library', 'two whole numbers', pair);
      return [from, to];
    }),
  );
  const rules = { api: readOptional('--api', api), edge: readOptional('--edge', edge), hosts, libraries };
  if (rules.api === null && rules.edge === null && hosts.size === 0) {
    throw new Refused('invalid', 'expected --api URL, --edge URL or --host OLD=URL, got none of them.');
  }
  return rules;
}

/** Returns the new base URL for a URL of `host`. `page` is the first segment of its path. Null if none. */
export function baseFor(rules: RewriteRules, host: string, page: string): string | null {
  const name = host.toLowerCase();
  const mapped = rules.hosts.get(name);
  if (mapped !== undefined) return mapped;
  if (PLAYER_HOSTS.includes(name)) return rules.edge;
  if (!API_HOSTS.includes(name)) return null;
  return PLAYER_PAGES.includes(page.toLowerCase()) ? rules.edge : rules.api;
}

function splitPair(pair: string, option: string, example: string): [string, string] {
  const index = pair.indexOf('=');
  if (index <= 0 || index === pair.length - 1) throw wrong(option, `OLD=NEW, such as ${example}`, pair);
  return [pair.slice(0, index), pair.slice(index + 1)];
}

function readOptional(option: string, text: string | undefined): string | null {
  return text === undefined ? null : readBase(option, text);
}

function readBase(option: string, text: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw wrong(option, 'an http or https URL without user, query or fragment', text);
  }
  return url.href.replace(/\/+$/, '');
}

function wrong(option: string, wanted: string, got: string): Refused {
  return new Refused('invalid', `${option}: expected ${wanted}, got ${quote(got)}.`);
}
