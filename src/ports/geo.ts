/** Where addresses are: answers from a file that the operator may replace, never from another host. */
export type Geo = {
  /**
   * The country of an IPv4 or IPv6 address as ISO 3166-1 alpha-2 in capitals; null where it is unknown or no public
   * address.
   */
  countryOf(address: string): string | null;
};
