import { Type } from 'typebox';
import type { LibrarySettings } from '../../catalog/libraries/library-settings.ts';
import type { CodecStore } from '../../catalog/lifecycle/codec-store.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { planMissingRungs } from '../../jobs/planning/plan-codec.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { WIRE_CODECS } from '../../media/encode/codecs/all.ts';
import { defineOperation } from '../define-operation.ts';
import { EncoderOutputCodec } from '../models/enums.ts';
import { VideoModel } from '../models/video.ts';
import { recallLibrary, type ShowingDeps, showVideo, VideoParams } from './video-model.ts';

type Deps = ShowingDeps & {
  videos: VideoStore;
  videoViews: VideoViewStore;
  codecs: CodecStore;
};

/** Codec of libraries in the free tier. */
const FREE_CODEC = 'x264';

export const addOutputCodec = defineOperation({
  name: 'addOutputCodec',
  method: 'PUT',
  path: '/library/{libraryId}/videos/{videoId}/outputs/{outputCodecId}',
  description: 'Encodes a finished video in another codec. The existing renditions stay playable.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: Type.Object({
    ...VideoParams.properties,
    outputCodecId: Type.String({ title: 'codec', description: 'Name of the codec, such as `hevc`.' }),
  }),
  answer: VideoModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'text',
  async run({ params: { libraryId, videoId, outputCodecId }, address }, deps: Deps) {
    const { videos, videoViews, codecs } = deps;
    const key = { libraryId, mediaId: videoId };
    await videos.load(key);
    const wireName = readCodec(outputCodecId);
    requireOffered(wireName, (await recallLibrary(libraryId, deps)).settings);
    const codec = WIRE_CODECS.get(wireName) ?? wireName;
    await codecs.add(key, codec, (view) => planMissingRungs(codec, view));
    return showVideo(await videoViews.load(key), address, deps);
  },
});

function readCodec(text: string): string {
  const known = Object.entries(EncoderOutputCodec.values);
  const found = known.find(([name, number]) => name === text.toLowerCase() || String(number) === text);
  if (found !== undefined) return found[0];
  const list = known.map(([name, number]) => `${number} (${name})`).join(', ');
  throw new Refused(
    'invalid',
    `Expected a codec at the end of the URL, one of ${list}; got ${quote(text)}. Correct the URL.`,
  );
}

function requireOffered(codec: string, { encoding }: LibrarySettings): void {
  if (encoding.tier !== 'free' || codec === FREE_CODEC) return;
  throw new Refused(
    'invalid',
    `Expected ${FREE_CODEC}, the only codec on the free tier, got ${codec}. Move the library to the ` +
      'premium tier first.',
  );
}
