/** What one hosted service charges, in US dollars, as its price list said on `asOf`. */
export type PriceList = {
  name: string;
  asOf: string;
  storedPerMinuteMonth: number;
  storedPerGigabyteMonth: number;
  encodedPerMinute: number;
  deliveredPerMinute: number;
  deliveredPerGigabyte: number;
};

/** Usual shapes of price lists to begin with; each figure is for the owner to correct by the list of the day. */
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

/** What is stored, encoded and delivered in a month. */
export type Usage = {
  storedMinutes: number;
  storedGigabytes: number;
  encodedMinutes: number;
  deliveredMinutes: number;
  deliveredGigabytes: number;
};

/** Dollars a month by a price list. */
export function monthlyCost(usage: Usage, prices: PriceList): number {
  return (
    usage.storedMinutes * prices.storedPerMinuteMonth +
    usage.storedGigabytes * prices.storedPerGigabyteMonth +
    usage.encodedMinutes * prices.encodedPerMinute +
    usage.deliveredMinutes * prices.deliveredPerMinute +
    usage.deliveredGigabytes * prices.deliveredPerGigabyte
  );
}
