import type { ClockRange } from '../../media/hls/clock-range.ts';
import type { PlaylistAddresses } from '../../media/hls/multivariant.ts';
import { type Answer, toProblem } from '../http/answer.ts';

/** Returns URLs of media playlists limited to a time range. I-frame playlists have no ranged URL. */
export function rangedAddresses(addresses: PlaylistAddresses, { query }: ClockRange): PlaylistAddresses {
  return {
    media(id) {
      const address = addresses.media(id);
      return `${address}${address.includes('?') ? '&' : '?'}${query}`;
    },
    iFrames: (id) => addresses.iFrames(id),
  };
}

const MESSAGE = 'Expected from and to as UTC times like 2030-01-31T12:00:00Z, or ms since 1970, with from before to.';
export const BAD_RANGE: Answer = { kind: 'problem', problem: toProblem('invalid', MESSAGE) };
