import type { Context } from './context.ts';
import { type FoundFolder, guidFor } from './read-folder.ts';

type Named = Record<string, unknown>;

/** Replaces the GUIDs of a folder with those of copies, which a second run derives again. */
export function withNewGuids(context: Context, found: FoundFolder): FoundFolder {
  const { collections, videos, withoutMedia } = found;
  const toNew = (guid: unknown) => copyOf(context, guid);
  const renamed = <T extends Named>(item: T): T => ({ ...item, ...newFields(item, toNew) });
  return {
    ...found,
    collections: collections.map(renamed),
    videos: videos.map((video) => ({ ...video, item: renamed(video.item) })),
    withoutMedia: withoutMedia.map(renamed),
  };
}

/** Returns the GUID of a copy. */
export function copyOf(context: Context, guid: unknown): string {
  return guidFor(context, `copy ${String(guid).toLowerCase()}`);
}

function newFields({ guid, collectionId, videoIds, comments }: Named, toNew: (guid: unknown) => string): Named {
  return {
    guid: toNew(guid),
    ...(typeof collectionId === 'string' && { collectionId: toNew(collectionId) }),
    ...(Array.isArray(videoIds) && { videoIds: videoIds.map(toNew) }),
    ...(Array.isArray(comments) && { comments: comments.map((one) => withNewReplies(Object(one), toNew)) }),
  };
}

function withNewReplies(comment: Named, toNew: (guid: unknown) => string): Named {
  const { replies } = comment;
  const renamed = Array.isArray(replies) && replies.map((reply) => ({ ...reply, guid: toNew(reply.guid) }));
  return { ...comment, guid: toNew(comment.guid), ...(renamed && { replies: renamed }) };
}
