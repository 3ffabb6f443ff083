/** Formats of a redirect map. */
export const REDIRECT_FORMATS = ['csv', 'nginx', 'caddy'] as const;
export type RedirectFormat = (typeof REDIRECT_FORMATS)[number];

/**
 * Writes a redirect for each old URL, without query, by host and path. nginx and Caddy get a `map` whose value is
 * the new URL, or empty for other URLs.
 */
export function writeRedirectMap(format: RedirectFormat, redirects: ReadonlyMap<string, string>): string {
  const pairs = [...redirects].toSorted(([one], [other]) => (one < other ? -1 : 1));
  switch (format) {
    case 'csv':
      return `from,to\n${pairs.map(([from, to]) => `https://${from},${to}\n`).join('')}`;
    case 'nginx':
      return (
        hashSizes(pairs.map(([from]) => from)) +
        `map "$host$uri" $millrace_address {\n  default "";\n${lines(pairs)}}\n`
      );
    case 'caddy':
      return `map "{host}{path}" {millrace_address} {\n${lines(pairs, '')}  default ""\n}\n`;
  }
}

/** Returns the directives without which nginx refuses a map with long or many URLs. */
function hashSizes(addresses: readonly string[]): string {
  const longest = Math.max(0, ...addresses.map((address) => address.length));
  const powerOfTwo = (least: number) => 2 ** Math.ceil(Math.log2(least));
  // A bucket must have room for several entries with the same hash. Each has a pointer and a length.
  const bucketSize = powerOfTwo(6 * (longest + 32));
  const maxSize = powerOfTwo(Math.max(2_048, 4 * addresses.length));
  return `map_hash_bucket_size ${bucketSize};\nmap_hash_max_size ${maxSize};\n`;
}

function lines(pairs: readonly (readonly [string, string])[], end = ';'): string {
  return pairs.map(([from, to]) => `  "${from}" "${to}"${end}\n`).join('');
}
