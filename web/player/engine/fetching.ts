import type Hls from 'hls.js';

/** States of hls.js in which nothing is under way. */
const AT_REST: readonly string[] = ['IDLE', 'STOPPED', 'ENDED', 'ERROR'];

/** Where media begins that is being fetched; null for none. */
export function fetchingSec({ inFlightFragments }: Hls): number | null {
  const fetches = Object.values(inFlightFragments).filter(({ state }) => !AT_REST.includes(state));
  const starts = fetches.flatMap(({ frag }) => (frag === null ? [] : [frag.start]));
  return starts.length === 0 ? null : Math.min(...starts);
}
