import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { BASE_CODEC, CODEC_NAMES } from '../../media/encode/codecs/all.ts';
import { MAX_BITRATES_BPS, perRung, RUNGS } from '../../media/encode/ladder.ts';
import { DEFAULT_TARGET_LUFS } from '../../media/encode/loudness.ts';

const flag = (value: boolean) => Type.Boolean({ default: value });
const text = (value: string) => Type.String({ default: value });
const words = (value: string[]) => Type.Array(Type.String(), { default: value });
const whole = (value: number) => Type.Integer({ minimum: 0, default: value });
const orNothing = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()], { default: null });
const oneOf = <const V extends string>(values: readonly V[], value: V) =>
  Type.Unsafe<V>({ type: 'string', enum: values, default: value });
const section = <P extends TProperties>(properties: P) => Type.Object(properties, { default: {} });

/** Time for which a verdict about a viewer is valid, in seconds: a long video with pauses. */
const DEFAULT_VERDICT_SEC = 4 * 3600;

const encoding = section({
  tier: oneOf(['free', 'premium'], 'premium'),
  codecs: Type.Array(oneOf(CODEC_NAMES, BASE_CODEC), { default: [BASE_CODEC] }),
  rungs: Type.Array(Type.Integer(), { default: RUNGS.filter((rung) => rung <= 1080) }),
  videoKbps: section(perRung((rung) => whole(MAX_BITRATES_BPS[rung] / 1000))),
  scaleByBothDimensions: flag(true),
  jitEnabled: flag(false),
  multiAudio: flag(true),
  normaliseLoudness: flag(false),
  loudnessTargetLufs: Type.Number({ default: DEFAULT_TARGET_LUFS }),
  surroundAudio: flag(false),
  separateAudio: flag(true),
  contentTagging: flag(false),
  perTitle: flag(false),
});

const originals = section({ keep: flag(true), expose: flag(false), allowEarlyPlay: flag(false) });

const mp4 = section({ enabled: flag(true), removeMetadata: flag(false) });

const drm = section({
  enabled: flag(false),
  version: oneOf(['basic', 'enterprise', 'basic-v2'], 'basic'),
  fairPlay: section({ enabled: flag(false), certificateId: orNothing(Type.Integer()), provider: orNothing(text('')) }),
  widevine: section({
    enabled: flag(false),
    certificateId: orNothing(Type.Integer()),
    provider: orNothing(text('')),
    sdOnlyForL3: flag(false),
    minClientSecurityLevel: orNothing(Type.Integer({ minimum: 0, maximum: 3 })),
  }),
});

const access = section({
  playerTokenRequired: flag(false),
  allowedReferrers: words([]),
  blockedReferrers: words([]),
  blockNoneReferrer: flag(false),
  allowDirectPlay: flag(true),
});

/** See `ViewerAccess`. `secretVersion` counts the secrets that signed questions about viewers. */
const viewers = section({
  mode: oneOf(['off', 'hook', 'jwt'], 'off'),
  url: orNothing(text('')),
  failOpen: flag(false),
  cacheSec: whole(DEFAULT_VERDICT_SEC),
  secretVersion: whole(0),
  issuer: orNothing(text('')),
  audience: orNothing(text('')),
  jwksUrl: orNothing(text('')),
  videoClaim: orNothing(text('')),
  collectionClaim: orNothing(text('')),
});

const transcription = section({
  enabled: flag(false),
  languages: words([]),
  generateTitle: flag(false),
  generateDescription: flag(false),
  generateChapters: flag(false),
  generateMoments: flag(false),
});

const player = section({
  version: whole(2),
  keyColor: text('#ff5f1f'),
  fontFamily: text('sans-serif'),
  controls: words([
    'play-large',
    'play',
    'progress',
    'current-time',
    'mute',
    'volume',
    'captions',
    'settings',
    'pip',
    'airplay',
    'fullscreen',
  ]),
  playbackSpeeds: Type.Array(Type.Number(), { default: [0.5, 0.75, 1, 1.25, 1.5, 2] }),
  uiLanguage: text('en'),
  captionsFontSizePx: whole(20),
  captionsFontColor: text('#ffffff'),
  captionsBackground: text('#000000'),
  captionsInPlaylist: flag(true),
  showHeatmap: flag(false),
  rememberPosition: flag(false),
  compactControls: flag(false),
  exposeVideoMetadata: flag(false),
  vastTagUrl: orNothing(text('')),
  viAiPublisherId: orNothing(text('')),
  customHtml: orNothing(text('')),
});

/** Positions and sizes are percentages of the frame. `version` counts uploads of the watermark's image. */
const watermark = section({
  present: flag(false),
  leftPercent: whole(0),
  topPercent: whole(0),
  widthPercent: whole(0),
  heightPercent: whole(0),
  version: whole(0),
});

/** `version` counts uploads of the image. */
const image = section({ present: flag(false), version: whole(0) });

const LibrarySettingsSchema = Type.Object({
  encoding,
  originals,
  mp4,
  drm,
  access,
  viewers,
  transcription,
  player,
  watermark,
  liveWatermark: image,
  liveThumbnail: image,
  logo: image,
  webhookUrl: orNothing(text('')),
  replicationRegions: words([]),
});

/**
 * Settings of a library. A setting that is not stored has its default (premium tier, 240p to 1080p, H.264, originals
 * kept, MP4 on, on demand off, tokens off). Rungs are heights in pixels. Bitrates are in kbit/s.
 */
export type LibrarySettings = Static<typeof LibrarySettingsSchema>;

/** A partial change of settings, at any depth. Lists are replaced as a whole. Undefined fields are left unchanged. */
export type LibrarySettingsPatch = Patch<LibrarySettings>;
type Patch<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Patch<T[K]> | undefined } : T;

const waf = section({
  enabled: flag(true),
  /** If false, requests that match the rules are logged but not blocked. */
  blocks: flag(false),
  disabledRules: words([]),
  loggedRules: words([]),
  ignoredHeaders: words([]),
});

const PullZoneSettingsSchema = Type.Object({
  tokenRequired: flag(false),
  tokenHoldsAddress: flag(false),
  /** IP addresses, CIDR ranges, or patterns such as `1.2.3.*`. */
  blockedAddresses: words([]),
  /** ISO 3166-1 alpha-2. */
  blockedCountries: words([]),
  /** Limit per IP address. 0 disables it. A burst may exceed it by `burstRequests`. */
  requestsPerSec: whole(0),
  burstRequests: whole(0),
  answersPerAddress: whole(0),
  /** Kilobytes per second of one response after its first `rateAfterKB` kilobytes. 0 disables the limit. */
  rateKBps: whole(0),
  rateAfterKB: whole(0),
  blocksRoot: flag(false),
  blocksPost: flag(false),
  ignoresQuery: flag(true),
  allowsOrigins: flag(true),
  originExtensions: words([]),
  staleWhileUpdating: flag(true),
  staleWhileOffline: flag(true),
  cachesErrors: flag(false),
  originRetries: whole(0),
  anonymisesAddresses: flag(true),
  waf,
});

/**
 * Access rules of a pull zone. `tokenHoldsAddress` binds a token to the viewer's IP address. The defaults allow
 * everyone.
 */
export type PullZoneSettings = Static<typeof PullZoneSettingsSchema>;

/** Settings of the firewall that inspects requests. */
export type WafSettings = PullZoneSettings['waf'];

const librarySettings = withDefaults(LibrarySettingsSchema, 'library settings');
const pullZoneSettings = withDefaults(PullZoneSettingsSchema, 'pull zone settings');

/** Reads stored settings and fills in defaults. Throws if a stored value has the wrong type. */
export function readLibrarySettings(stored: unknown): LibrarySettings {
  return librarySettings(stored);
}

/** Reads a pull zone's stored settings and fills in defaults. Throws if a stored value has the wrong type. */
export function readPullZoneSettings(stored: unknown): PullZoneSettings {
  return pullZoneSettings(stored);
}

// The edge reads settings with each publication, so the defaults are created once and shared. They must not be
// modified.
function withDefaults<S extends TObject>(schema: S, what: string): (stored: unknown) => Static<S> {
  const validator = Compile(schema);
  const defaults = frozen(Value.Default(schema, {}));
  return (stored) => {
    const filled = mergeSettings({ ...Object(defaults) }, { ...Object(stored) });
    if (validator.Check(filled)) return filled;
    throw new Error(`Expected ${what}, got a stored value with ${faults(validator.Errors(filled))}.`);
  };
}

function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** Reads the firewall settings for requests that match no pull zone. */
export function readWafSettings(stored: unknown): WafSettings {
  return readPullZoneSettings({ waf: stored }).waf;
}

/** Merges settings into stored ones. Only explicitly set values are stored, so that the others follow the defaults. */
export function mergeSettings(stored: Readonly<Record<string, unknown>>, patch: object): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...stored };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[name] = isSection ? mergeSettings({ ...Object(merged[name]) }, value) : value;
  }
  return merged;
}

function faults(errors: readonly { instancePath: string; message: string }[]): string {
  return errors.map(({ instancePath, message }) => `${instancePath} that ${message}`).join('; ');
}
