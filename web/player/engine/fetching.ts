import type Hls from 'hls.js';

/** States of hls.js with nothing under way: what is parsed is there, and may wait for the other track for ever. */
const AT_REST: readonly string[] = ['IDLE', 'PARSED', 'STOPPED', 'ENDED', 'ERROR'];

/** Where media begins that is being fetched; null for none. */
export function fetchingSec({ inFlightFragments }: Hls): number | null {
  const fetches = Object.values(inFlightFragments).filter(({ state }) => !AT_REST.includes(state));
  const starts = fetches.flatMap(({ frag }) => (frag === null ? [] : [frag.start]));
  return starts.length === 0 ? null : Math.min(...starts);
}
