import { missing, VTT } from './scripted-api.ts';
import { type Answer, denied, type Files, slice } from './scripted-sources.ts';

/**
 * A MediaCMS with four media in pages of two: a video with its original, one that keeps no original, an image, and one
 * that is deleted after the list. Originals are on another host, `store`.
 */
export function scriptMediacms({ clip, image }: Files, store: string): Answer {
  const media = ['aaa', 'bbb', 'ccc', 'ddd'].map((token, index) => ({
    friendly_token: token,
    title: `Medium ${token}`,
    description: '',
    add_date: '2022-03-04T05:06:07.123456+01:00',
    views: 5,
    media_type: index === 2 ? 'image' : 'video',
    state: index === 1 ? 'unlisted' : 'public',
    duration: 2,
    size: '4.9KB',
  }));
  return ({ path, query, header }, url) => {
    if (path.startsWith('/media/')) return path.endsWith('.mp4') ? { bytes: clip } : { bytes: image };
    if (path.endsWith('.vtt')) return { bytes: Buffer.from(VTT) };
    if (header('authorization') !== 'Token token') return denied;
    if (path === '/api/v1/manage_media') {
      const page = Number(query.get('page'));
      const next = page * 2 < media.length ? `${url}/api/v1/manage_media?page=${page + 1}` : null;
      return { json: { count: media.length, next, previous: null, results: slice(media, (page - 1) * 2, 2) } };
    }
    const token = path.split('/')[4] ?? '';
    const found = media.find((one) => one.friendly_token === token);
    if (found === undefined || token === 'ddd') return missing;
    const encodings = {
      240: { h264: { url: '/media/240.mp4', status: 'success' } },
      720: { h264: { url: '/media/720.mp4', status: 'running' }, vp9: { url: '/media/720.webm', status: 'success' } },
    };
    const details = {
      description: 'In full',
      original_media_url: token === 'aaa' ? `${store}/original.mp4` : null,
      encodings_info: encodings,
      categories_info: [{ title: 'Lectures' }, { title: 'Physics' }],
      tags_info: [{ title: 'quantum' }],
      subtitles_info: token === 'aaa' ? [{ src: '/subtitles/el.vtt', srclang: 'el', label: 'Greek' }] : [],
      chapter_data: [{ startTime: '00:00:00.000', endTime: '00:00:01.000', chapterTitle: 'Start' }],
      poster_url: '/media/poster.png',
    };
    return { json: { ...found, ...details } };
  };
}
