import type { Guid } from '../../lib/guid.ts';
import type { ImportedThread } from '../comments/imported-thread.ts';
import type { ListedItem } from './listed-item.ts';

/** Replaces the GUIDs of an item, and those that it refers to. */
export function withNewGuids(item: ListedItem, toNew: (guid: Guid) => Guid): ListedItem {
  const id = toNew(item.id);
  if (item.kind === 'collection') {
    const { order } = item;
    return { ...item, id, order: order && { ...order, videoIds: order.videoIds.map(toNew) } };
  }
  const { collectionId } = item.video;
  return { ...item, id, video: { ...item.video, collectionId: collectionId && toNew(collectionId) } };
}

/** Replaces the GUIDs of comments and their replies. */
export function withNewComments(threads: readonly ImportedThread[], toNew: (guid: Guid) => Guid): ImportedThread[] {
  return threads.map((thread) => ({
    ...thread,
    id: toNew(thread.id),
    replies: thread.replies.map((reply) => ({ ...reply, id: toNew(reply.id) })),
  }));
}
