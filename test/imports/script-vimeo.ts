import { missing, VTT } from './scripted-api.ts';
import { type Answer, denied, type Files, slice } from './scripted-sources.ts';

const vimeoVideo = (id: string, more: object) => ({
  uri: `/videos/${id}`,
  name: `Film ${id}`,
  description: 'A film',
  duration: 2,
  created_time: '2021-02-03T04:05:06+00:00',
  status: 'available',
  privacy: { view: 'anybody' },
  tags: [{ name: 'red' }, { name: 'blue' }],
  categories: [{ name: 'Art' }, { name: 'Music' }],
  stats: { plays: 42 },
  parent_folder: { uri: '/users/1/projects/5', name: 'Folder five' },
  pictures: { type: 'default', sizes: [] },
  metadata: { connections: { texttracks: { total: 0 }, chapters: { total: 0 } } },
  ...more,
});
const vimeoRich = { texttracks: { total: 1 }, chapters: { total: 2 } };
const vimeoVideos = [
  vimeoVideo('101', { metadata: { connections: vimeoRich } }),
  vimeoVideo('102', { privacy: { view: 'password' }, parent_folder: null }),
  vimeoVideo('103', {}),
  vimeoVideo('104', {}),
];

/**
 * A Vimeo account with a folder and four videos in pages of two: one with its source file, whose first link expires,
 * one with a password, one without files and one that is deleted after the list.
 */
export function scriptVimeo({ clip, image }: Files): Answer {
  let links = 0;
  const filesOf = (id: string, url: string) => {
    links += 1;
    const size = clip.length;
    const hd = { quality: 'hd', height: 720, link: `${url}/files/${id}/hd/${links}`, size };
    const source = { quality: 'source', height: 96, link: `${url}/files/${id}/source/${links}`, size };
    if (id === '103') return { download: [], files: [{ quality: 'hls', link: `${url}/x.m3u8` }] };
    return id === '101' ? { download: [hd, source], files: [] } : { download: [], files: [hd] };
  };
  const opened = new Set<string>();
  let expires = 1;
  return ({ path, query, header }, url) => {
    const [, kind = '', id = '', list = ''] = path.split('/');
    if (kind === 'files') {
      if (id === '101' && opened.has(path) && expires > 0) {
        expires -= 1;
        return { status: 410 };
      }
      opened.add(path);
      return { bytes: clip };
    }
    if (path === '/en.vtt') return { bytes: Buffer.from(VTT) };
    if (path === '/poster.png') return { bytes: image };
    if (header('authorization') !== 'bearer token' || !header('accept').includes('version=3.4')) return denied;
    if (path === '/me/projects') {
      return {
        json: { total: 1, data: [{ uri: '/users/1/projects/5', name: 'Folder five' }], paging: { next: null } },
      };
    }
    const page = Number(query.get('page'));
    if (path === '/me/videos') {
      const data = slice(vimeoVideos, (page - 1) * 2, 2).map((one) => ({ ...one, ...filesOf(one.uri.slice(8), url) }));
      const next = page * 2 < vimeoVideos.length ? `/me/videos?page=${page + 1}` : null;
      return { json: { total: vimeoVideos.length, page, data, paging: { next } } };
    }
    if (list === 'texttracks')
      return { json: { data: [{ language: 'en', name: 'English (edited)', link: `${url}/en.vtt` }] } };
    if (list === 'chapters') {
      const data = [
        { timecode: 0, title: 'Opening' },
        { timecode: 1, title: 'End' },
      ];
      return { json: { data } };
    }
    const found = vimeoVideos.find(({ uri }) => uri === `/videos/${id}`);
    if (found === undefined || id === '104') return missing;
    const sizes = [{ width: 64, link: `${url}/poster.png` }];
    const pictures = id === '101' ? { type: 'custom', sizes } : found.pictures;
    return { json: { ...found, pictures, ...filesOf(id, url) } };
  };
}
