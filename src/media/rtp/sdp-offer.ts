import { BrokenMedia } from '../bmff/broken-media.ts';

/** One accepted track of an offer. */
export type OfferedTrack = { mid: string; kind: 'video' | 'audio'; payloadType: number };

/** An offer reduced to the accepted tracks: at most one H.264 video track and one Opus audio track. */
export type Offer = { sdp: string; tracks: OfferedTrack[]; leftOut: LeftOutMedia[] };

/** A media section of an offer without a supported codec. `reason` is a human-readable message. */
export type LeftOutMedia = { mid: string; reason: string };

const MAX_LINE_LENGTH = 4_096;
const MAX_SECTIONS = 8;
const H264_MODE_1 = /packetization-mode=1/;
const BASELINE = /profile-level-id=42/i;

/**
 * Parses an offer (RFC 8866) and keeps one codec per medium: H.264 in packetization mode 1, baseline if offered, and
 * Opus. Rejects media without such a codec. Throws BrokenMedia if no medium remains, or if the text is not an offer.
 */
export function readOffer(sdp: string): Offer {
  const lines = sdp.split(/\r?\n/).filter((line) => line !== '');
  if (!sdp.startsWith('v=0') || lines.some((line) => line.length > MAX_LINE_LENGTH))
    throw new BrokenMedia('Expected an SDP offer, got other text.');
  const sections = splitSections(lines);
  const [session = [], ...media] = sections;
  if (media.length === 0 || media.length > MAX_SECTIONS)
    throw new BrokenMedia(`Expected 1 to ${MAX_SECTIONS} media sections in the offer, got ${media.length}.`);
  const taken = new Set<string>();
  const reduced = media.map((section) => reduce(section, taken));
  const tracks = reduced.flatMap(({ track }) => (track === null ? [] : [track]));
  const leftOut = media.flatMap((section, index) => (reduced[index]?.track == null ? [describeLeftOut(section)] : []));
  if (tracks.length === 0) throw new BrokenMedia(leftOut.map(({ reason }) => reason).join(' '));
  const kept = reduced.map(({ lines: one }) => one);
  return { sdp: `${[session, ...kept].flat().join('\r\n')}\r\n`, tracks, leftOut };
}

function describeLeftOut(section: readonly string[]): LeftOutMedia {
  const mid = section.find((line) => line.startsWith('a=mid:'))?.slice(6) ?? '';
  const medium = /^m=(\w+)/.exec(section[0] ?? '')?.[1] ?? 'medium';
  const names = section.flatMap((line) => /^a=rtpmap:\d+ ([\w.-]+)/.exec(line)?.[1] ?? []);
  const codecs = [...new Set(names)].filter((name) => !/^(rtx|red|ulpfec|flexfec.*)$/i.test(name)).join(', ');
  const expected = 'expected one track of H.264 (packetization-mode=1) and one of Opus over WHIP';
  return { mid, reason: `A track (${medium}) is left out: ${expected}, got ${codecs || 'no codec'}.` };
}

function splitSections(lines: readonly string[]): string[][] {
  const sections: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

function reduce(section: readonly string[], taken: Set<string>): { lines: string[]; track: OfferedTrack | null } {
  const [head = ''] = section;
  const [medium = '', port = '', protocol = '', ...types] = head.slice(2).split(' ');
  const mid = section.find((line) => line.startsWith('a=mid:'))?.slice(6) ?? '';
  const kind = medium === 'video' || medium === 'audio' ? medium : null;
  const payloadType = kind === null || taken.has(kind) ? null : choose(section, kind, types);
  // Port 0 rejects a medium (RFC 3264 section 6), so the answer shows that it is not accepted.
  const rejected = [`m=${medium} 0 ${protocol} ${types.join(' ')}`, ...section.slice(1)];
  if (kind === null || payloadType === null) return { lines: rejected, track: null };
  taken.add(kind);
  const lines = section.slice(1).filter((line) => {
    const [, type] = /^a=(?:rtpmap|fmtp|rtcp-fb):(\d+|\*)/.exec(line) ?? [];
    const isOther = type !== undefined && type !== '*' && Number(type) !== payloadType;
    // Retransmission and simulcast sources would be separate tracks.
    return !isOther && !/^a=(simulcast|rid|ssrc-group|extmap)/.test(line);
  });
  return { lines: [`m=${medium} ${port} ${protocol} ${payloadType}`, ...lines], track: { mid, kind, payloadType } };
}

function choose(section: readonly string[], kind: 'video' | 'audio', types: readonly string[]): number | null {
  const name = kind === 'video' ? /^H264\/90000/i : /^opus\/48000\/2/i;
  const offered = types.filter((type) =>
    section.some((line) => line.startsWith(`a=rtpmap:${type} `) && name.test(line.slice(line.indexOf(' ') + 1))),
  );
  const formatOf = (type: string) => section.find((line) => line.startsWith(`a=fmtp:${type} `)) ?? '';
  const usable = kind === 'audio' ? offered : offered.filter((type) => H264_MODE_1.test(formatOf(type)));
  const chosen = usable.find((type) => BASELINE.test(formatOf(type))) ?? usable[0];
  return chosen === undefined ? null : Number(chosen);
}

/** Returns the ICE candidates of an SDP fragment that is sent after the offer (RFC 8840), each with its track. */
export function readCandidates(fragment: string): { mid: string; candidate: string }[] {
  let mid = '';
  return fragment
    .split(/\r?\n/)
    .slice(0, 256)
    .flatMap((line) => {
      if (line.startsWith('a=mid:')) mid = line.slice(6);
      return line.startsWith('a=candidate:') && line.length <= MAX_LINE_LENGTH
        ? [{ mid, candidate: line.slice(2) }]
        : [];
    });
}
