import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const SERVER = 'https://peertube.example.com';
const AT = '2024-05-06T07:08:09.000Z';
const CHAPTERS = [
  { timecode: 0, title: 'Start' },
  { timecode: 1, title: 'Middle' },
];

type Media = { clip: Buffer; image: Buffer; vtt: string };
type ArchiveFiles = { videoFile: string | null; thumbnail: string | null; captions: Record<string, string> };

/**
 * Builds an unpacked user export with all files and fields that PeerTube writes (8.0: `VideoExportJSON` and its
 * siblings). The first video has every optional field, and the second none. The third names a file outside of the
 * archive, and the fourth is a live stream. Returns their UUIDs.
 */
export async function makePeertubeExport(root: string, { clip, image, vtt }: Media): Promise<string[]> {
  const uuids = [1, 2, 3, 4].map((digit) => `9c9de5e8-0a1e-484a-b099-e80766180a6${digit}`);
  const [full = '', bare = '', outside = '', live = ''] = uuids;
  const none = { videoFile: null, thumbnail: null, captions: {} };
  const videos = [
    fullVideo(full, clip.length),
    bareVideo(bare, 2, { ...none, videoFile: fileOf(`video-files/${bare}.mp4`) }),
    bareVideo(outside, 3, { ...none, videoFile: '../../secret.mp4' }),
    { ...bareVideo(live, 4, none), isLive: true, live: LIVE },
  ];
  const write = async (name: string, content: Buffer | string) => {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  };
  for (const [name, content] of Object.entries({ videos: { videos }, ...OTHERS })) {
    await write(`peertube/${name}.json`, JSON.stringify(content, undefined, 2));
  }
  for (const name of ['outbox', 'actor', 'likes', 'dislikes', 'following']) {
    await write(`activity-pub/${name}.json`, '{}');
  }
  await write(`files/videos/captions/${full}-fr.vtt`, vtt);
  await write(`files/videos/thumbnails/${full}.png`, image);
  for (const uuid of [full, bare]) await write(`files/videos/video-files/${uuid}.mp4`, clip);
  await writeFile(path.join(root, '../secret.mp4'), 'x');
  return uuids;
}

/** Returns the path of a file as `archiveFiles` has it: relative to the folder of the JSON files. */
function fileOf(name: string): string {
  return `../files/videos/${name}`;
}

/** Fields that PeerTube writes for each video. Those without a value are null. */
function bareVideo(uuid: string, number: number, archiveFiles: ArchiveFiles): object {
  return {
    uuid,
    createdAt: AT,
    updatedAt: AT,
    publishedAt: '2024-05-06T07:09:09.000Z',
    name: `Archived ${number}`,
    category: null,
    licence: null,
    language: null,
    tags: [],
    privacy: 3,
    passwords: [],
    duration: 2,
    description: null,
    support: null,
    isLive: false,
    url: `${SERVER}/videos/watch/${uuid}`,
    thumbnailUrl: null,
    previewUrl: null,
    views: 0,
    likes: 0,
    dislikes: 0,
    nsfw: false,
    commentsPolicy: 1,
    commentsEnabled: true,
    downloadEnabled: true,
    waitTranscoding: true,
    state: 1,
    channel: { name: 'lab_channel' },
    captions: [],
    chapters: [],
    files: [],
    streamingPlaylists: [],
    source: null,
    archiveFiles,
  };
}

function fullVideo(uuid: string, sizeBytes: number): object {
  const stored = {
    resolution: 96,
    size: sizeBytes,
    fps: 5,
    torrentUrl: `${SERVER}/lazy-static/torrents/${uuid}-96.torrent`,
    fileUrl: `${SERVER}/static/web-videos/${uuid}-96.mp4`,
  };
  const playlist = {
    type: 1,
    playlistUrl: `${SERVER}/static/streaming-playlists/hls/${uuid}/master.m3u8`,
    segmentsSha256Url: `${SERVER}/static/streaming-playlists/hls/${uuid}/segments-sha256.json`,
    files: [stored],
  };
  const caption = {
    createdAt: AT,
    updatedAt: AT,
    language: 'fr',
    filename: `${uuid}-fr.vtt`,
    fileUrl: `${SERVER}/lazy-static/video-captions/${uuid}-fr.vtt`,
    automaticallyGenerated: false,
  };
  const archiveFiles = {
    videoFile: fileOf(`video-files/${uuid}.mp4`),
    thumbnail: fileOf(`thumbnails/${uuid}.png`),
    captions: { fr: fileOf(`captions/${uuid}-fr.vtt`) },
  };
  return {
    ...bareVideo(uuid, 1, archiveFiles),
    originallyPublishedAt: '2019-01-02T03:04:05.000Z',
    category: 15,
    licence: 1,
    language: 'fr',
    tags: ['one', 'two'],
    privacy: 1,
    description: 'About\nit',
    support: 'Support us',
    thumbnailUrl: `${SERVER}/lazy-static/thumbnails/${uuid}.jpg`,
    previewUrl: `${SERVER}/lazy-static/previews/${uuid}.jpg`,
    views: 7,
    likes: 3,
    dislikes: 1,
    nsfw: true,
    captions: [caption],
    chapters: CHAPTERS,
    files: [stored],
    streamingPlaylists: [playlist],
    source: {
      inputFilename: 'film.mov',
      resolution: 96,
      size: sizeBytes,
      width: 128,
      height: 96,
      fps: 5,
      metadata: {},
    },
    playerSettings: { theme: 'default' },
  };
}

const LIVE = {
  saveReplay: true,
  permanentLive: false,
  latencyMode: 1,
  streamKey: 'a key',
  replaySettings: { privacy: 1 },
  schedules: [{ startAt: AT }],
};

/** Contents of the other JSON files, by name. An import reads only the channels. */
const OTHERS = {
  channels: {
    channels: [
      {
        url: `${SERVER}/video-channels/lab_channel`,
        name: 'lab_channel',
        displayName: 'The lab',
        description: 'Films',
        support: null,
        updatedAt: AT,
        createdAt: AT,
        avatars: [],
        banners: [],
        archiveFiles: { avatar: null, banner: null },
      },
    ],
  },
  account: { url: `${SERVER}/accounts/lab`, name: 'lab', displayName: 'Lab', archiveFiles: { avatar: null } },
  blocklist: { instances: [], actors: [] },
  likes: { likes: [] },
  dislikes: { dislikes: [] },
  follower: { followers: [] },
  following: { following: [] },
  'user-settings': { email: 'lab@example.com' },
  comments: { comments: [] },
  'video-playlists': { videoPlaylists: [] },
  'video-history': { watchedVideos: [] },
  'watched-words-lists': { watchedWordLists: [] },
  'automatic-tag-policies': { reviewComments: { name: [] } },
};
