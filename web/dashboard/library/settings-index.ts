/** A section of the settings: its name in the URL, its label, and its blocks. The first block names the section. */
export type Section = {
  label: string;
  blocks: readonly (readonly [name: string, label: string])[];
  /** True if each block is a separate page, because it is a long list. */
  isPaged?: boolean;
};

export const SECTIONS: readonly Section[] = [
  {
    label: 'General',
    blocks: [
      ['general', 'Library'],
      ['storage', 'Storage'],
      ['quotas', 'Quotas'],
    ],
  },
  {
    label: 'Video and sound',
    blocks: [
      ['encoding', 'Encoding'],
      ['sound', 'Sound'],
      ['transcription', 'Transcription'],
      ['watermark', 'Watermark'],
    ],
  },
  { label: 'Player', blocks: [['player', 'Player']] },
  {
    label: 'Access',
    blocks: [
      ['access', 'Viewers'],
      ['drm', 'Encryption (DRM)'],
      ['viewers', 'Viewer access'],
      ['rules', 'Rules'],
    ],
  },
  {
    label: 'Developers',
    blocks: [
      ['webhooks', 'Webhooks'],
      ['chat', 'Chat notifications'],
      ['keys', 'Keys'],
      ['audit', 'Audit log'],
    ],
    isPaged: true,
  },
];

/** Blocks whose operations concern the account. */
export const ACCOUNT_BLOCKS: readonly string[] = ['rules', 'storage'];

/** Returns the section of a block. Unknown names belong to the first section. */
export function sectionOf(block: string): Section {
  // The list is not empty.
  return SECTIONS.find(({ blocks }) => blocks.some(([name]) => name === block)) ?? (SECTIONS[0] as Section);
}

/** A setting that the search finds: its block, its label on the page, and other words for it. */
export type Setting = readonly [block: string, label: string, otherWords?: string];

export const SETTINGS: readonly Setting[] = [
  ['general', 'Name', 'rename, title'],
  ['storage', 'Stored', 'disk, space, size'],
  ['storage', 'Delivered', 'traffic, bandwidth'],
  ['storage', 'Retention', 'how long, delete after'],
  ['storage', 'Largest videos'],
  ['quotas', 'Limits', 'quota, maximum, storage, viewers, bandwidth, encoded minutes'],
  ['general', 'Delete this library…', 'remove'],
  ['encoding', 'Resolutions', 'quality, bitrate, ladder, 1080p, 4K'],
  ['encoding', 'Codecs', 'H.264, HEVC, VP9, AV1'],
  ['encoding', 'Keep original files', 'source, upload'],
  ['encoding', 'Create MP4 files for download', 'fallback'],
  ['encoding', 'Encode on demand, when viewers watch', 'just in time, JIT'],
  ['encoding', 'Per-title encoding: match the bitrate to the content'],
  ['encoding', 'Keep all audio tracks', 'languages, dubbing'],
  ['sound', 'Give all videos the same loudness', 'volume, normalise'],
  ['sound', 'Loudness in LUFS', 'volume, normalise'],
  ['sound', 'Keep surround sound', '5.1'],
  ['transcription', 'Transcribe new videos', 'speech, subtitles, captions'],
  ['transcription', 'Generate title from speech', 'AI'],
  ['transcription', 'Generate description from speech', 'AI'],
  ['transcription', 'Generate chapters from speech', 'AI'],
  ['transcription', 'Generate moments from speech', 'AI, highlights'],
  ['transcription', 'Caption languages', 'translate, subtitles'],
  ['watermark', 'Watermark', 'logo, image, overlay'],
  ['player', 'Colour', 'accent, brand'],
  ['player', 'Font'],
  ['player', 'Language', 'translate, locale'],
  ['player', 'Playback speeds', 'rate'],
  ['player', 'Controls', 'buttons'],
  ['player', 'Logo', 'brand, share page'],
  ['player', 'Text colour', 'captions, subtitles'],
  ['player', 'Background', 'captions, subtitles'],
  ['player', 'Size (px)', 'captions, subtitles, font'],
  ['player', 'Show the most replayed parts as a heatmap', 'engagement'],
  ['player', 'Resume where the viewer left off', 'remember position'],
  ['player', 'Compact controls', 'small'],
  ['player', 'Pre-roll ad (VAST tag URL)', 'advertisement'],
  ['player', 'Custom HTML in the head of the player page', 'script, analytics'],
  ['access', 'Require signed URLs', 'token, private, protect'],
  ['access', 'Block players without a referrer', 'embed'],
  ['access', 'Allow direct playback outside an embed', 'link'],
  ['access', 'Let viewers download the original file'],
  ['drm', 'Protect the videos in this library', 'DRM, encrypt, Widevine, FairPlay'],
  ['drm', 'Type', 'DRM, encrypt'],
  ['viewers', 'Who decides', 'viewer access, paywall, hook, JWT, course, login'],
  ['rules', 'Test a URL', 'why refused, check'],
  ['rules', 'Allowed domains', 'referrer, embed'],
  ['rules', 'Blocked domains', 'referrer, embed'],
  ['rules', 'Blocked IP addresses', 'network, ban'],
  ['rules', 'Blocked countries', 'geo, region'],
  ['rules', 'Signed URLs only', 'token'],
  ['rules', 'Tokens are valid for one IP address'],
  ['rules', 'Block requests without a referrer'],
  ['rules', 'Block POST requests'],
  ['rules', 'Requests per second per IP address', 'rate limit'],
  ['rules', 'Request burst', 'rate limit'],
  ['rules', 'Connections per IP address', 'rate limit'],
  ['webhooks', 'Endpoints', 'webhook, notify, callback, URL'],
  ['webhooks', 'Deliveries', 'webhook, retry, resend'],
  ['chat', 'Webhook URL', 'Slack, Mattermost, Discord, chat, notify'],
  ['chat', 'Language of the messages', 'Slack, chat'],
  ['keys', 'Library keys', 'API, token, secret, reset'],
  ['keys', 'Add a key', 'API, token'],
  ['audit', 'Audit log', 'history, who changed'],
];

/** Returns the settings that contain all words of a text, best match first. `translate` returns visible labels. */
export function findSettings(
  text: string,
  settings: readonly Setting[],
  translate: (label: string) => string,
): Setting[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const ranked = settings.flatMap((setting) => {
    const [block, label, otherWords = ''] = setting;
    const shown = plain(translate(label));
    const name = sectionOf(block).blocks.find(([one]) => one === block)?.[1] ?? '';
    const all = [shown, ...[label, otherWords, translate(otherWords), translate(name)].map(plain)].join(' ');
    if (!words.every((word) => all.includes(word))) return [];
    const begins = [shown, plain(translate(name))].some((one) => one.startsWith(words[0] ?? ''));
    const rank = begins ? 0 : words.every((word) => shown.includes(word)) ? 1 : 2;
    return [{ setting, rank }];
  });
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ setting }) => setting);
}

/** Returns a text in lower case, without accents. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
