import { readAttributes } from './rfc8216/attribute-list.ts';
import { PlaylistLines } from './rfc8216/playlist-lines.ts';

/** Codecs of audio, by the start of their names in CODECS. */
const AUDIO_CODEC = /^(mp4a|ac-3|ec-3|opus|fLaC)/;

/**
 * Checks a playlist against Apple's HLS Authoring Specification for Apple Devices, as far as it goes beyond RFC 8216.
 * Returns every fault with the section of its rule; empty if the playlist follows the rules.
 */
export function checkAuthoring(text: string): string[] {
  const lines = new PlaylistLines(text.split('\n').slice(0, -1));
  return lines.places('EXT-X-STREAM-INF').length > 0 ? checkMultivariant(lines) : checkMedia(lines);
}

type Attributes = ReadonlyMap<string, string>;

/** Reads the attributes of each line with this tag. The grammar itself is checked by `checkPlaylist`. */
function attributesOf(lines: PlaylistLines, tag: string): Attributes[] {
  return lines.tags
    .filter((line) => line.tag === tag)
    .map(({ value }) => readAttributes(value, { forms: {}, required: [] }, () => undefined));
}

function checkMultivariant(lines: PlaylistLines): string[] {
  const faults: string[] = [];
  const variants = attributesOf(lines, 'EXT-X-STREAM-INF');
  const isVideo = (variant: Attributes) =>
    (variant.get('CODECS') ?? '').split(',').some((codec) => !AUDIO_CODEC.test(codec));
  const videos = variants.filter(isVideo);
  variants.forEach((variant, index) => {
    const required = [
      'BANDWIDTH',
      'AVERAGE-BANDWIDTH',
      'CODECS',
      ...(isVideo(variant) ? ['RESOLUTION', 'FRAME-RATE'] : []),
    ];
    for (const name of required) if (!variant.has(name)) faults.push(`9: variant ${index} has no ${name}`);
    if (Number(variant.get('AVERAGE-BANDWIDTH')) > Number(variant.get('BANDWIDTH'))) {
      faults.push(`9: variant ${index} has an average above its peak`);
    }
  });
  const ranged = videos.filter((variant) => variant.has('VIDEO-RANGE'));
  if (ranged.length > 0 && ranged.length < videos.length) faults.push('9: some variants have no VIDEO-RANGE');
  if (lines.places('EXT-X-INDEPENDENT-SEGMENTS').length !== 1) faults.push('9: EXT-X-INDEPENDENT-SEGMENTS is missing');
  const media = attributesOf(lines, 'EXT-X-MEDIA');
  const groups = Map.groupBy(media, (one) => `${one.get('TYPE')} ${one.get('GROUP-ID')}`);
  for (const [name, members] of groups) faults.push(...checkGroup(name, members));
  faults.push(...checkSameMembers([...groups].filter(([name]) => name.startsWith('AUDIO ')).map(([, all]) => all)));
  return faults.concat(checkIFrames(lines, videos));
}

/** Section 6: each resolution can be scrubbed. Section 9: I-frame playlists have the same attributes as variants. */
function checkIFrames(lines: PlaylistLines, videos: readonly Attributes[]): string[] {
  const pictures = attributesOf(lines, 'EXT-X-I-FRAME-STREAM-INF');
  if (videos.length > 0 && pictures.length === 0) return ['6: no I-frame playlist'];
  const required = ['BANDWIDTH', 'CODECS', 'RESOLUTION', 'URI'];
  return pictures.flatMap((one, index) =>
    required.filter((name) => !one.has(name)).map((name) => `9: I-frame playlist ${index} has no ${name}`),
  );
}

function checkGroup(name: string, members: readonly Attributes[]): string[] {
  const faults: string[] = [];
  if (members.filter((one) => one.get('DEFAULT') === 'YES').length > 1) faults.push(`8: ${name} has several defaults`);
  for (const one of members) {
    const title = `${name} "${one.get('NAME')}"`;
    if (one.get('DEFAULT') === 'YES' && one.get('AUTOSELECT') !== 'YES') faults.push(`8: ${title} is not selectable`);
    if (one.get('TYPE') === 'AUDIO' && !one.has('CHANNELS')) faults.push(`9: ${title} has no CHANNELS`);
    if (one.get('TYPE') === 'SUBTITLES' && !one.has('LANGUAGE')) faults.push(`5: ${title} has no LANGUAGE`);
    if (one.get('FORCED') === 'YES' && one.get('AUTOSELECT') !== 'YES') faults.push(`5: forced ${title} stays off`);
  }
  const names = members.map((one) => one.get('NAME'));
  if (new Set(names).size < names.length) faults.push(`8: ${name} has two renditions with the same NAME`);
  return faults;
}

/** Section 8: all groups of one kind list the same renditions, so that a switch keeps the chosen one. */
function checkSameMembers(groups: readonly (readonly Attributes[])[]): string[] {
  const lists = groups.map((all) => JSON.stringify(all.map((one) => [one.get('NAME'), one.get('LANGUAGE')])));
  return new Set(lists).size > 1 ? ['8: the audio groups list different renditions'] : [];
}

function checkMedia(lines: PlaylistLines): string[] {
  const faults: string[] = [];
  const targetSec = lines.integer('EXT-X-TARGETDURATION') ?? 0;
  const isPictures = lines.places('EXT-X-I-FRAMES-ONLY').length > 0;
  const isText = lines.addresses.some(({ text }) => /\.(vtt|webvtt)(\?|$)/.test(text));
  for (const { value } of lines.tags.filter(({ tag }) => tag === 'EXTINF')) {
    if (Math.round(Number.parseFloat(value)) > targetSec)
      faults.push(`7: a segment of ${value} s exceeds ${targetSec} s`);
  }
  const isWhole = lines.places('EXT-X-ENDLIST').length > 0;
  const type = lines.value('EXT-X-PLAYLIST-TYPE');
  // A live playlist stays one when its stream ends.
  const isOfStream = lines.places('EXT-X-PROGRAM-DATE-TIME').length > 0;
  if (isWhole && type === null && !isOfStream) faults.push('7: a whole playlist has no type');
  if (!isWhole && type === 'VOD') faults.push('7: a growing playlist is VOD');
  if (!isText && lines.places('EXT-X-MAP').length === 0) faults.push('7: fMP4 segments have no EXT-X-MAP');
  if (!isWhole && type === null && !isOfStream) {
    faults.push('8: a live playlist has no EXT-X-PROGRAM-DATE-TIME');
  }
  const hasGrid = !isPictures && !isText;
  if (hasGrid && lines.places('EXT-X-INDEPENDENT-SEGMENTS').length === 0) {
    faults.push('7: EXT-X-INDEPENDENT-SEGMENTS is missing');
  }
  return faults;
}
