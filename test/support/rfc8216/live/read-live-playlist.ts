import { type AttributeRules, readAttributes } from '../attribute-list.ts';

export type ListedPart = { uri: string; durationSec: number; isIndependent: boolean; isGap: boolean };

/** A segment with all data from the tags before it. For the open segment, only the parts are known. */
export type ListedMedia = {
  sequence: number;
  discontinuity: number;
  uri: string | null;
  durationSec: number | null;
  isGap: boolean;
  map: string | null;
  keys: readonly string[];
  dateTimeMs: number | null;
  parts: ListedPart[];
};

export type Attributes = ReadonlyMap<string, string>;

/** A live media playlist as its tags describe it (RFC 8216bis section 4.4). `faults` lists grammar violations. */
export type LivePlaylist = {
  version: number;
  targetSec: number;
  control: Attributes | null;
  partTargetSec: number | null;
  sequence: number;
  discontinuitySequence: number;
  skipped: number;
  media: ListedMedia[];
  hints: Attributes[];
  reports: Attributes[];
  hasEnded: boolean;
  faults: string[];
};

const YES_NO = 'enumerated';
const RULES: Record<string, AttributeRules> = {
  'EXT-X-SERVER-CONTROL': {
    forms: {
      'CAN-SKIP-UNTIL': 'decimal',
      'CAN-SKIP-DATERANGES': YES_NO,
      'HOLD-BACK': 'decimal',
      'PART-HOLD-BACK': 'decimal',
      'CAN-BLOCK-RELOAD': YES_NO,
    },
    required: [],
  },
  'EXT-X-PART-INF': { forms: { 'PART-TARGET': 'decimal' }, required: ['PART-TARGET'] },
  'EXT-X-PART': {
    forms: { URI: 'quoted', DURATION: 'decimal', INDEPENDENT: YES_NO, BYTERANGE: 'quoted', GAP: YES_NO },
    required: ['URI', 'DURATION'],
  },
  'EXT-X-SKIP': {
    forms: { 'SKIPPED-SEGMENTS': 'integer', 'RECENTLY-REMOVED-DATERANGES': 'quoted' },
    required: ['SKIPPED-SEGMENTS'],
  },
  'EXT-X-PRELOAD-HINT': {
    forms: { TYPE: 'enumerated', URI: 'quoted', 'BYTERANGE-START': 'integer', 'BYTERANGE-LENGTH': 'integer' },
    required: ['TYPE', 'URI'],
  },
  'EXT-X-RENDITION-REPORT': {
    forms: { URI: 'quoted', 'LAST-MSN': 'integer', 'LAST-PART': 'integer' },
    required: ['URI', 'LAST-MSN'],
  },
  'EXT-X-MAP': { forms: { URI: 'quoted', BYTERANGE: 'quoted' }, required: ['URI'] },
  'EXT-X-KEY': {
    forms: {
      METHOD: 'enumerated',
      URI: 'quoted',
      IV: 'hex',
      KEYFORMAT: 'quoted',
      KEYFORMATVERSIONS: 'quoted',
      KEYID: 'hex',
    },
    required: ['METHOD'],
  },
};
/** Tags that occur at most once in a playlist. */
const SINGLE = new Set([
  'EXT-X-VERSION',
  'EXT-X-TARGETDURATION',
  'EXT-X-SERVER-CONTROL',
  'EXT-X-PART-INF',
  'EXT-X-MEDIA-SEQUENCE',
  'EXT-X-DISCONTINUITY-SEQUENCE',
  'EXT-X-INDEPENDENT-SEGMENTS',
  'EXT-X-SKIP',
  'EXT-X-ENDLIST',
]);
/** Tags that must precede the first segment. */
const HEADERS = new Set(['EXT-X-MEDIA-SEQUENCE', 'EXT-X-DISCONTINUITY-SEQUENCE', 'EXT-X-SKIP']);

export function readLivePlaylist(text: string): LivePlaylist {
  const reader = new Reader();
  if (!text.startsWith('#EXTM3U\n')) reader.fault('the first line is not #EXTM3U');
  if (!text.endsWith('\n')) reader.fault('the last line is not ended');
  for (const line of text.split('\n').slice(1, -1)) reader.line(line);
  return reader.finish();
}

class Reader {
  readonly #seen = new Set<string>();
  readonly #list: LivePlaylist = {
    version: 1,
    targetSec: 0,
    control: null,
    partTargetSec: null,
    sequence: 0,
    discontinuitySequence: 0,
    skipped: 0,
    media: [],
    hints: [],
    reports: [],
    hasEnded: false,
    faults: [],
  };
  #open: ListedMedia | null = null;
  #discontinuities = 0;
  #map: string | null = null;
  #keys: string[] = [];

  fault(message: string): void {
    this.#list.faults.push(message);
  }

  line(line: string): void {
    if (line === '' || (line.startsWith('#') && !line.startsWith('#EXT'))) return;
    if (!line.startsWith('#')) {
      this.#address(line);
      return;
    }
    const [, tag = '', value = ''] = /^#(EXT[A-Z0-9-]*):?(.*)$/.exec(line) ?? [];
    if (SINGLE.has(tag) && this.#seen.has(tag)) this.fault(`${tag} appears twice`);
    if (HEADERS.has(tag) && (this.#list.media.length > 0 || this.#discontinuities > 0)) {
      this.fault(`${tag} comes after a segment`);
    }
    this.#seen.add(tag);
    this.#tag(tag, value);
  }

  finish(): LivePlaylist {
    if (!this.#seen.has('EXT-X-TARGETDURATION')) this.fault('EXT-X-TARGETDURATION is required');
    if (this.#open !== null) this.#list.media.push(this.#open);
    return this.#list;
  }

  #tag(tag: string, value: string): void {
    const rules = RULES[tag];
    const attributes =
      rules === undefined
        ? new Map<string, string>()
        : readAttributes(value, rules, (message) => this.fault(`${tag}: ${message}`));
    switch (tag) {
      case 'EXT-X-VERSION':
        this.#list.version = this.#integer(tag, value);
        return;
      case 'EXT-X-TARGETDURATION':
        this.#list.targetSec = this.#integer(tag, value);
        return;
      case 'EXT-X-MEDIA-SEQUENCE':
        this.#list.sequence = this.#integer(tag, value);
        return;
      case 'EXT-X-DISCONTINUITY-SEQUENCE':
        this.#list.discontinuitySequence = this.#integer(tag, value);
        return;
      case 'EXT-X-SERVER-CONTROL':
        this.#list.control = attributes;
        return;
      case 'EXT-X-PART-INF':
        this.#list.partTargetSec = Number(attributes.get('PART-TARGET'));
        return;
      case 'EXT-X-SKIP':
        this.#list.skipped = Number(attributes.get('SKIPPED-SEGMENTS'));
        return;
      case 'EXT-X-PRELOAD-HINT':
        this.#list.hints.push(attributes);
        return;
      case 'EXT-X-RENDITION-REPORT':
        this.#list.reports.push(attributes);
        return;
      case 'EXT-X-ENDLIST':
        this.#list.hasEnded = true;
        return;
      case 'EXT-X-INDEPENDENT-SEGMENTS':
        return;
      default:
        this.#mediaTag(tag, value, attributes);
    }
  }

  #mediaTag(tag: string, value: string, attributes: Attributes): void {
    switch (tag) {
      case 'EXT-X-DISCONTINUITY':
        this.#discontinuities += 1;
        if (this.#open !== null) this.fault('EXT-X-DISCONTINUITY stands amid the tags of a segment');
        return;
      case 'EXT-X-MAP':
        this.#map = attributes.get('URI') ?? '';
        return;
      case 'EXT-X-KEY':
        this.#keys = attributes.get('METHOD') === 'NONE' ? [] : [...this.#keys, value];
        return;
      case 'EXT-X-GAP':
        this.#segment().isGap = true;
        return;
      case 'EXT-X-PROGRAM-DATE-TIME': {
        const timeMs = Date.parse(value);
        if (Number.isNaN(timeMs)) this.fault(`EXT-X-PROGRAM-DATE-TIME is no date: ${value}`);
        this.#segment().dateTimeMs = timeMs;
        return;
      }
      case 'EXTINF': {
        const sec = /^(\d+(?:\.\d+)?),/.exec(value)?.[1];
        if (sec === undefined) this.fault(`EXTINF is malformed: ${value}`);
        this.#segment().durationSec = Number(sec);
        return;
      }
      case 'EXT-X-PART':
        this.#segment().parts.push({
          uri: attributes.get('URI') ?? '',
          durationSec: Number(attributes.get('DURATION')),
          isIndependent: attributes.get('INDEPENDENT') === 'YES',
          isGap: attributes.get('GAP') === 'YES',
        });
        return;
      default:
        this.fault(`${tag} is not known here`);
    }
  }

  #address(uri: string): void {
    const segment = this.#segment();
    if (segment.durationSec === null) this.fault(`segment ${uri} has no EXTINF`);
    segment.uri = uri;
    this.#list.media.push(segment);
    this.#open = null;
  }

  /** Returns the segment that the current tags apply to. */
  #segment(): ListedMedia {
    const { sequence, skipped, media, discontinuitySequence } = this.#list;
    this.#open ??= {
      sequence: sequence + skipped + media.length,
      discontinuity: discontinuitySequence + this.#discontinuities,
      uri: null,
      durationSec: null,
      isGap: false,
      map: this.#map,
      keys: this.#keys,
      dateTimeMs: null,
      parts: [],
    };
    return this.#open;
  }

  #integer(tag: string, value: string): number {
    if (!/^\d{1,20}$/.test(value)) this.fault(`${tag} is no whole number: ${value}`);
    return Number(value);
  }
}
