import { BT709, hasSameColours } from '../probe/colours.ts';
import { reduceRatio } from '../probe/frame-rate.ts';
import type { Rational } from '../probe/source-facts.ts';
import type { DashAudio, DashRendition, DashVideo } from './dash-presentation.ts';
import { haveSameTimeline, peakSegmentBps, writeSegmentTemplate } from './segment-timeline.ts';
import { type Xml, type XmlAttributes, xmlElement, xmlFragment, xmlText } from './xml.ts';

const ROLES = 'urn:mpeg:dash:role:2011';
const CHANNELS = 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011';
const CICP = 'urn:mpeg:mpegB:cicp';
/** DVB-DASH (ETSI TS 103 285 section 7.1.2): audio description for viewers with impaired vision. */
const DESCRIBES_VIDEO = xmlElement('Accessibility', {
  schemeIdUri: 'urn:tva:metadata:cs:AudioPurposeCS:2007',
  value: 1,
});
const SWITCHING = 'urn:mpeg:dash:adaptation-set-switching:2016';

/**
 * Writes the AdaptationSets of all video, with ids from 0 on (ISO 23009-1 section 5.3.3): one per codec and set of
 * keys. Sets of the same codec refer to each other, so that a player may switch between keys.
 */
export function writeVideoSets(renditions: readonly DashVideo[]): Xml[] {
  const groups = [...Map.groupBy(renditions, (it) => `${codecFamily(it)} ${it.contentProtection.join(' ')}`).values()];
  const familyOf = (group: readonly DashVideo[] | undefined) => (group?.[0] === undefined ? '' : codecFamily(group[0]));
  return groups.map((group, id) => {
    const siblings = groups.flatMap((other, number) => {
      return number !== id && familyOf(other) === familyOf(group) ? [number] : [];
    });
    const role = writeRole(familyOf(group) === familyOf(groups[0]) ? 'main' : 'alternate');
    const switching = { schemeIdUri: SWITCHING, value: siblings.join(',') };
    const properties = siblings.length === 0 ? [] : [xmlElement('SupplementalProperty', switching)];
    const common = [...properties, ...(haveSameColours(group) ? writeColours(group[0]) : []), role];
    const attributes = {
      id,
      contentType: 'video',
      maxWidth: Math.max(...group.map((it) => it.widthPx)),
      maxHeight: Math.max(...group.map((it) => it.heightPx)),
      ...equalPart(group.map(pictureAspect), 'par'),
    };
    const describe = (rendition: DashVideo) => {
      const children = haveSameColours(group) ? [] : writeColours(rendition);
      return { attributes: pictureAttributes(rendition), children };
    };
    return writeSet(attributes, group, common, describe);
  });
}

function haveSameColours(group: readonly DashVideo[]): boolean {
  return new Set(group.map(({ colours }) => JSON.stringify(colours))).size === 1;
}

/** Writes the colour description (ISO/IEC 23091-2) unless it is BT.709 in limited range. */
function writeColours(rendition: DashVideo | undefined): Xml[] {
  const colours = rendition?.colours ?? BT709;
  if (hasSameColours(colours, BT709)) return [];
  const codes: readonly (readonly [string, number])[] = [
    ['ColourPrimaries', colours.primaries],
    ['TransferCharacteristics', colours.transfer],
    ['MatrixCoefficients', colours.matrix],
    ...(colours.isFullRange ? ([['VideoFullRangeFlag', 1]] as const) : []),
  ];
  return codes.map(([name, value]) => xmlElement('SupplementalProperty', { schemeIdUri: `${CICP}:${name}`, value }));
}

/**
 * Writes the AdaptationSets of all audio: one per language, name, codec, number of channels and set of keys. The
 * priorities make players prefer the default track and, for each track, the set with the fewest channels, because not
 * every player checks how many channels the device has (ISO 23009-1 section 5.3.3: a higher selectionPriority is
 * preferred, 1 is the default).
 */
export function writeAudioSets(renditions: readonly DashAudio[], firstId: number): Xml[] {
  const chosen = renditions.find((rendition) => rendition.isDefault) ?? renditions[0];
  const groups = Map.groupBy(renditions, (it) => {
    return JSON.stringify([it.language, it.name, it.role, codecFamily(it), it.channels, it.contentProtection]);
  });
  const hasWiderThan = (one: DashAudio) => renditions.some((it) => isSameTrack(it, one) && it.channels > one.channels);
  const isMixed = renditions.some(hasWiderThan);
  return [...groups.values()].map((group, index) => {
    const { language = 'und', name = '', role = 'main' } = group[0] ?? {};
    const isChosen = chosen !== undefined && group.includes(chosen);
    const common = [
      ...(name === '' ? [] : [xmlElement('Label', {}, [xmlText(name)])]),
      ...(role === 'description' ? [DESCRIBES_VIDEO] : []),
      writeRole(isChosen ? 'main' : role === 'main' ? 'alternate' : role),
    ];
    const rank = isChosen && isMixed ? 3 : group.some(hasWiderThan) ? 2 : 1;
    const priority = rank > 1 ? { selectionPriority: rank } : {};
    const attributes = { id: firstId + index, contentType: 'audio', lang: language, ...priority };
    return writeSet(attributes, group, common, writeAudioAttributes);
  });
}

function isSameTrack(one: DashAudio, other: DashAudio | undefined): boolean {
  return one.language === other?.language && one.name === other.name && one.role === other.role;
}

type Described = { attributes: XmlAttributes; children: readonly Xml[] };

function writeSet<Rendition extends DashRendition>(
  attributes: { id: number; contentType: string } & XmlAttributes,
  group: readonly Rendition[],
  common: readonly Xml[],
  describe: (rendition: Rendition) => Described,
): Xml {
  const [first] = group;
  if (first === undefined) throw new Error('Expected at least one rendition in an AdaptationSet, got none.');
  const isShared = group.every((rendition) => haveSameTimeline(rendition, first));
  const representations = group.map((rendition) => {
    const { attributes: own, children } = describe(rendition);
    const template = isShared ? [] : [writeSegmentTemplate(rendition)];
    const bandwidth = peakSegmentBps(rendition);
    const head = { id: rendition.id, codecs: rendition.codecString, bandwidth };
    return xmlElement('Representation', { ...head, ...own }, [...children, ...template]);
  });
  const fixed = { mimeType: `${attributes.contentType}/mp4`, segmentAlignment: 'true', startWithSAP: 1 };
  return xmlElement('AdaptationSet', { ...attributes, ...fixed }, [
    ...first.contentProtection.map(xmlFragment),
    ...common,
    ...(isShared ? [writeSegmentTemplate(first)] : []),
    ...representations,
  ]);
}

function pictureAttributes({ widthPx, heightPx, frameRate, sampleAspect }: DashVideo): XmlAttributes {
  return {
    width: widthPx,
    height: heightPx,
    frameRate: frameRate === null ? null : writeRate(frameRate),
    sar: writeAspect(sampleAspect),
  };
}

function writeAudioAttributes({ sampleRateHz, channels }: DashAudio): Described {
  const configuration = xmlElement('AudioChannelConfiguration', { schemeIdUri: CHANNELS, value: channels });
  return { attributes: { audioSamplingRate: sampleRateHz }, children: [configuration] };
}

function writeRole(value: 'main' | 'alternate' | 'commentary' | 'description'): Xml {
  return xmlElement('Role', { schemeIdUri: ROLES, value });
}

/** Returns the codec, which is the part before the first dot. Players cannot switch between codecs. */
function codecFamily({ codecString }: DashRendition): string {
  return codecString.split('.')[0] ?? codecString;
}

function pictureAspect({ widthPx, heightPx, sampleAspect }: DashVideo): string {
  return writeAspect({ num: widthPx * sampleAspect.num, den: heightPx * sampleAspect.den });
}

function writeAspect(ratio: Rational): string {
  const { num, den } = reduceRatio(ratio.num, ratio.den);
  return `${num}:${den}`;
}

function writeRate(rate: Rational): string {
  const { num, den } = reduceRatio(rate.num, rate.den);
  return den === 1 ? String(num) : `${num}/${den}`;
}

/** Returns the attribute if all values are equal. Rungs rounded to even sizes have slightly different aspect ratios. */
function equalPart(values: readonly string[], name: string): XmlAttributes {
  return values.every((value) => value === values[0]) ? { [name]: values[0] ?? null } : {};
}
