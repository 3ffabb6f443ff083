/** Prices of one hosted service, in US dollars, from its price list of `asOf`. */
export type PriceList = {
  name: string;
  asOf: string;
  storedPerMinuteMonth: number;
  storedPerGigabyteMonth: number;
  encodedPerMinute: number;
  deliveredPerMinute: number;
  deliveredPerGigabyte: number;
};

/** Typical price lists as a starting point. The owner can correct each figure from current lists. */
export const PRICE_LISTS: readonly PriceList[] = [
  {
    name: 'Per minute',
    asOf: '2026-11',
    storedPerMinuteMonth: 0.005,
    storedPerGigabyteMonth: 0,
    encodedPerMinute: 0,
    deliveredPerMinute: 0.001,
    deliveredPerGigabyte: 0,
  },
  {
    name: 'Per gigabyte',
    asOf: '2026-11',
    storedPerMinuteMonth: 0,
    storedPerGigabyteMonth: 0.02,
    encodedPerMinute: 0,
    deliveredPerMinute: 0,
    deliveredPerGigabyte: 0.01,
  },
  {
    name: 'Encoding billed separately',
    asOf: '2026-11',
    storedPerMinuteMonth: 0.0024,
    storedPerGigabyteMonth: 0,
    encodedPerMinute: 0.025,
    deliveredPerMinute: 0.0008,
    deliveredPerGigabyte: 0,
  },
];

/** Storage, encoding and delivery of one month. */
export type Usage = {
  storedMinutes: number;
  storedGigabytes: number;
  encodedMinutes: number;
  deliveredMinutes: number;
  deliveredGigabytes: number;
};

/** Returns dollars per month for a price list. */
export function monthlyCost(usage: Usage, prices: PriceList): number {
  return (
    usage.storedMinutes * prices.storedPerMinuteMonth +
    usage.storedGigabytes * prices.storedPerGigabyteMonth +
    usage.encodedMinutes * prices.encodedPerMinute +
    usage.deliveredMinutes * prices.deliveredPerMinute +
    usage.deliveredGigabytes * prices.deliveredPerGigabyte
  );
}
