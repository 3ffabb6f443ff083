import type Hls from 'hls.js';

/**
 * States of hls.js in which it does not fetch. In `PARSED`, the media is loaded, but hls.js may wait for the other
 * track forever.
 */
const AT_REST: readonly string[] = ['IDLE', 'PARSED', 'STOPPED', 'ENDED', 'ERROR'];

/** Returns the start of the media that is being fetched, in seconds, or null if nothing is being fetched. */
export function fetchingSec({ inFlightFragments }: Hls): number | null {
  const fetches = Object.values(inFlightFragments).filter(({ state }) => !AT_REST.includes(state));
  const starts = fetches.flatMap(({ frag }) => (frag === null ? [] : [frag.start]));
  return starts.length === 0 ? null : Math.min(...starts);
}
