/** Locates IP addresses with a file that the operator may replace. Never queries another host. */
export type Geo = {
  /**
   * Returns the country of an IPv4 or IPv6 address as upper-case ISO 3166-1 alpha-2, or null if the country is unknown
   * or the address is not public.
   */
  countryOf(address: string): string | null;
};
