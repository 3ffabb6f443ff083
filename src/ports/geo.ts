/** Location of addresses, from a file that the operator may replace, never from another host. */
export type Geo = {
  /**
   * Returns the country of an IPv4 or IPv6 address as upper-case ISO 3166-1 alpha-2; null if it is unknown or not a
   * public address.
   */
  countryOf(address: string): string | null;
};
