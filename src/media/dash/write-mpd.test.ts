import { describe, expect, test } from 'vitest';
import type { DashAudio, DashRendition, DashVideo } from './dash-presentation.ts';
import { writeMpd, writePeriods } from './write-mpd.ts';

const film = { num: 24_000, den: 1001 };

function plain(change: Partial<DashRendition> = {}): DashRendition {
  return {
    id: 'v720',
    codecString: 'avc1.64001f',
    timescale: 24_000,
    firstSegment: 0,
    startTick: 0,
    segmentDurationsTicks: [96_096, 96_096, 30_030],
    segmentSizesBytes: [1_000_000, 1_200_000, 500_000],
    segmentFolder: '',
    contentProtection: [],
    ...change,
  };
}

function picture(change: Partial<DashVideo> = {}): DashVideo {
  return {
    ...plain(),
    widthPx: 1280,
    heightPx: 720,
    frameRate: film,
    sampleAspect: { num: 1, den: 1 },
    colours: null,
    ...change,
  };
}

function sound(change: Partial<DashAudio> = {}): DashAudio {
  const segments = { segmentDurationsTicks: [192_512, 60_416], segmentSizesBytes: [65_000, 20_000] };
  const own = plain({ id: 'a-en', codecString: 'mp4a.40.2', timescale: 48_000, ...segments });
  return { ...own, language: 'en', name: '', isDefault: true, channels: 2, sampleRateHz: 48_000, ...change };
}

type Element = { name: string; attributes: Record<string, string>; children: Element[] };

/** Parses the XML of these tests: elements and attributes, with tags closed in order. */
function parseXml(document: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open = [root];
  const body = document.replace(/^<\?xml[^>]*\?>/, '');
  for (const [, closes, name = '', inside = '', isEmpty] of body.matchAll(
    /<(\/?)([\w:]+)((?:\s+[\w:]+="[^"<]*")*)(\/?)>/g,
  )) {
    if (closes) {
      if (open.pop()?.name !== name) throw new Error(`Expected ${name} to be open.`);
      continue;
    }
    const attributes = Object.fromEntries([...inside.matchAll(/([\w:]+)="([^"]*)"/g)].map((it) => [it[1], it[2]]));
    const element = { name, attributes, children: [] };
    open.at(-1)?.children.push(element);
    if (!isEmpty) open.push(element);
  }
  const [first] = root.children;
  if (first === undefined || open.length !== 1) throw new Error('Expected one root element.');
  return first;
}

function all(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

function mpdOf(video: DashVideo[], audio: DashAudio[] = []): Element {
  return parseXml(writeMpd({ video, audio }));
}

test('declares colours other than BT.709 before roles and representations', () => {
  const pq = { primaries: 9, transfer: 16, matrix: 9, isFullRange: false };
  const hdr = picture({ id: 'hdr', codecString: 'hvc1.2.4.L120.90', colours: pq });
  const sdr = picture({ id: 'sdr', colours: { ...pq, primaries: 1, transfer: 1, matrix: 1 } });
  const [first, second] = all(mpdOf([sdr, hdr]), 'AdaptationSet');
  const properties = (set: Element | undefined) =>
    (set?.children ?? []).filter(({ name }) => name === 'SupplementalProperty').map(({ attributes }) => attributes);
  expect(properties(first)).toEqual([]);
  expect(properties(second)).toEqual([
    { schemeIdUri: 'urn:mpeg:mpegB:cicp:ColourPrimaries', value: '9' },
    { schemeIdUri: 'urn:mpeg:mpegB:cicp:TransferCharacteristics', value: '16' },
    { schemeIdUri: 'urn:mpeg:mpegB:cicp:MatrixCoefficients', value: '9' },
  ]);
  const names = second?.children.map(({ name }) => name) ?? [];
  expect(names.lastIndexOf('SupplementalProperty')).toBeLessThan(names.indexOf('Role'));
  const mixed = all(mpdOf([picture(), picture({ id: 'p', colours: { ...pq, transfer: 1 } })]), 'Representation');
  expect(mixed.map((one) => all(one, 'SupplementalProperty').length)).toEqual([0, 3]);
});

describe('an MPD', () => {
  test('is static and as long as its longest rendition, to the microsecond', () => {
    const mpd = mpdOf([picture()], [sound()]);
    expect(mpd.attributes).toMatchObject({
      type: 'static',
      profiles: 'urn:mpeg:dash:profile:isoff-live:2011',
      // 222222 ticks at 24000 per second.
      mediaPresentationDuration: 'PT9.25925S',
      maxSegmentDuration: 'PT4.010667S',
    });
    expect(all(mpd, 'Period')).toHaveLength(1);
  });

  test('has exact ticks and the correct URL of every segment', () => {
    const [template] = all(mpdOf([picture()]), 'SegmentTemplate');
    expect(template?.attributes).toEqual({
      timescale: '24000',
      presentationTimeOffset: '0',
      startNumber: '0',
      initialization: 'r/$RepresentationID$/init.mp4',
      media: 'r/$RepresentationID$/$Number$.m4s',
    });
    expect(template === undefined ? [] : all(template, 'S').map((it) => it.attributes)).toEqual([
      { t: '0', d: '96096', r: '1' },
      { d: '30030' },
    ]);
  });

  test('describes its rungs in one AdaptationSet with one timeline', () => {
    const small = picture({ id: 'v240', widthPx: 426, heightPx: 240, codecString: 'avc1.64000d', frameRate: null });
    const mpd = mpdOf([picture(), small]);
    expect(all(mpd, 'AdaptationSet').map((it) => it.attributes)).toEqual([
      expect.objectContaining({
        id: '0',
        contentType: 'video',
        mimeType: 'video/mp4',
        maxWidth: '1280',
        maxHeight: '720',
      }),
    ]);
    expect(all(mpd, 'SegmentTemplate')).toHaveLength(1);
    expect(all(mpd, 'Representation').map((it) => it.attributes)).toEqual([
      {
        id: 'v720',
        codecs: 'avc1.64001f',
        bandwidth: String(Math.ceil((1_700_000 * 8 * 24_000) / 126_126)),
        width: '1280',
        height: '720',
        frameRate: '24000/1001',
        sar: '1:1',
      },
      expect.not.objectContaining({ frameRate: expect.anything() }),
    ]);
  });

  test('describes renditions with different segments in separate timelines', () => {
    const other = picture({ id: 'v240', segmentDurationsTicks: [96_096, 96_096, 29_029] });
    const mpd = mpdOf([picture(), other]);
    expect(all(mpd, 'Representation').map((it) => all(it, 'S').map((run) => run.attributes.d))).toEqual([
      ['96096', '30030'],
      ['96096', '29029'],
    ]);
  });
});

describe('the sets of an MPD', () => {
  test('are separate per codec and key, and switchable between keys', () => {
    const key = (id: string) =>
      `<ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc" cenc:default_KID="${id}"/>`;
    const mpd = mpdOf([
      picture({ id: 'hd', contentProtection: [key('1')] }),
      picture({ id: 'sd', contentProtection: [key('2')] }),
      picture({ id: 'sd2', contentProtection: [key('2')] }),
      picture({ id: 'hevc', codecString: 'hvc1.1.6.L93.90', contentProtection: [key('1')] }),
    ]);
    const sets = all(mpd, 'AdaptationSet');
    expect(sets.map((set) => all(set, 'Representation').map((it) => it.attributes.id))).toEqual([
      ['hd'],
      ['sd', 'sd2'],
      ['hevc'],
    ]);
    expect(sets.map((set) => all(set, 'ContentProtection').map((it) => it.attributes['cenc:default_KID']))).toEqual([
      ['1'],
      ['2'],
      ['1'],
    ]);
    expect(sets.map((set) => all(set, 'SupplementalProperty').map((it) => it.attributes.value))).toEqual([
      ['1'],
      ['0'],
      [],
    ]);
    expect(sets.map((set) => all(set, 'Role').map((it) => it.attributes.value))).toEqual([
      ['main'],
      ['main'],
      ['alternate'],
    ]);
  });

  test('exist for each language, with the default track as main', () => {
    const mpd = mpdOf(
      [picture()],
      [sound({ isDefault: false }), sound({ id: 'a-de', language: 'de', name: 'Kino & "Ton" <2>' })],
    );
    const sets = all(mpd, 'AdaptationSet').slice(1);
    expect(sets.map((set) => [set.attributes.id, set.attributes.lang, all(set, 'Role')[0]?.attributes.value])).toEqual([
      ['1', 'en', 'alternate'],
      ['2', 'de', 'main'],
    ]);
    expect(writeMpd({ video: [], audio: [sound({ name: 'Kino & "Ton" <2>' })] })).toContain(
      '<Label>Kino &amp; &quot;Ton&quot; &lt;2&gt;</Label>',
    );
    expect(all(mpd, 'AudioChannelConfiguration').map((it) => it.attributes.value)).toEqual(['2', '2']);
    expect(sets[0]?.children.at(-1)?.attributes).toMatchObject({ audioSamplingRate: '48000', codecs: 'mp4a.40.2' });
  });
});

test('prefers the default track without 5.1 to the stereo rendition of a track that has 5.1', () => {
  const other = { language: 'en', isDefault: false };
  const mpd = mpdOf(
    [picture()],
    [sound({ language: 'de' }), sound({ id: 'b', ...other }), sound({ id: 'c', ...other, channels: 6 })],
  );
  const sets = all(mpd, 'AdaptationSet').slice(1);
  expect(sets.map(({ attributes: { lang, selectionPriority } }) => [lang, selectionPriority])).toEqual([
    ['de', '3'],
    ['en', '2'],
    ['en', undefined],
  ]);
});

test('describes the purpose of each track, with the default track as main', () => {
  const tracks = [
    sound({ id: 'film', role: 'description', isDefault: true }),
    sound({ id: 'talk', role: 'commentary', isDefault: false }),
    sound({ id: 'described', name: 'Described', role: 'description', isDefault: false }),
  ];
  const sets = all(mpdOf([picture()], tracks), 'AdaptationSet').slice(1);
  const valuesOf = (name: string) => sets.map((set) => all(set, name).map((it) => it.attributes.value));
  expect(valuesOf('Role')).toEqual([['main'], ['commentary'], ['description']]);
  expect(valuesOf('Accessibility')).toEqual([['1'], [], ['1']]);
  const schemes = sets.flatMap((set) => all(set, 'Accessibility').map((it) => it.attributes.schemeIdUri));
  expect(new Set(schemes)).toEqual(new Set(['urn:tva:metadata:cs:AudioPurposeCS:2007']));
});

describe('an invalid MPD', () => {
  test.each([
    { name: 'nothing', video: [], message: 'at least one rendition' },
    { name: 'an id with a dollar', video: [picture({ id: 'a$b' })], message: 'plain characters' },
    { name: 'no segments', video: [picture({ segmentDurationsTicks: [] })], message: 'at least one segment' },
    { name: 'missing sizes', video: [picture({ segmentSizesBytes: [1] })], message: 'Expected 3 segment sizes' },
    { name: 'an empty segment', video: [picture({ segmentDurationsTicks: [1, 2, 0] })], message: 'whole ticks' },
    { name: 'parts of ticks', video: [picture({ segmentDurationsTicks: [1, 2, 0.5] })], message: 'whole ticks' },
  ])('with $name is rejected', ({ video, message }) => {
    expect(() => writeMpd({ video, audio: [] })).toThrow(message);
  });
});

test('an MPD of several periods ends with its last period', () => {
  const periods = [
    { id: '0', startSec: 0, video: [picture()], audio: [] },
    { id: '1', startSec: 9.25925, video: [], audio: [sound()] },
  ];
  const mpd = parseXml(writePeriods(periods, null));
  // 252,928 ticks of audio at 48,000 per second.
  expect(mpd.attributes.mediaPresentationDuration).toBe('PT14.528584S');
  expect(all(mpd, 'Period').map(({ attributes }) => attributes)).toEqual([
    { id: '0', start: 'PT0S' },
    { id: '1', start: 'PT9.25925S' },
  ]);
});

test('a growing MPD is dynamic and has a clock source and buffer times', () => {
  const growth = { availabilityStartMs: 0, publishedMs: 61_000, windowSec: 600, delaySec: 12, updateSec: 2 };
  const mpd = parseXml(writePeriods([{ id: '0', startSec: 0, video: [picture()], audio: [] }], growth));
  expect(mpd.attributes).toMatchObject({
    ...{ type: 'dynamic', availabilityStartTime: '1970-01-01T00:00:00.000Z' },
    ...{ publishTime: '1970-01-01T00:01:01.000Z', minimumUpdatePeriod: 'PT2S', timeShiftBufferDepth: 'PT600S' },
    ...{ suggestedPresentationDelay: 'PT12S', minBufferTime: 'PT4S' },
  });
  expect(mpd.attributes).not.toHaveProperty('mediaPresentationDuration');
  expect(all(mpd, 'UTCTiming').map(({ attributes }) => attributes)).toEqual([
    { schemeIdUri: 'urn:mpeg:dash:utc:direct:2014', value: '1970-01-01T00:01:01.000Z' },
  ]);
  expect(all(mpdOf([picture()]), 'UTCTiming')).toEqual([]);
});

test('the start buffer is one segment, but at most 4 s', () => {
  const second = plain().timescale;
  const buffered = (ticks: number) =>
    mpdOf([picture({ segmentDurationsTicks: [ticks, ticks, ticks] })]).attributes.minBufferTime;
  expect(buffered(2 * second)).toBe('PT2S');
  expect(buffered(30 * second)).toBe('PT4S');
});
