import type { VideoModel } from '../../../src/api/models/video.ts';
import { readTags, withTags } from '../parts/tags.ts';

/** An edit of a video. If `title` or `visibility` is undefined, it is kept. */
export type Edit = {
  title: string | undefined;
  visibility: VideoModel['visibility'] | undefined;
  added: readonly string[];
  removed: readonly string[];
};

/** Returns the changed fields of a video. Null if nothing changes. */
export function editOf(
  video: Pick<VideoModel, 'title' | 'visibility' | 'metaTags'>,
  { title, visibility, added, removed }: Edit,
): object | null {
  const before = readTags(video.metaTags);
  const after = [...new Set([...before, ...added])].filter((tag) => !removed.includes(tag));
  const isTagged = JSON.stringify(before) !== JSON.stringify(after);
  const isRenamed = title !== undefined && title.trim() !== '' && title !== video.title;
  const isOther = visibility !== undefined && visibility !== video.visibility;
  if (!isTagged && !isRenamed && !isOther) return null;
  return {
    ...(isRenamed && { title }),
    ...(isOther && { visibility }),
    ...(isTagged && { metaTags: withTags(video.metaTags, after) }),
  };
}
