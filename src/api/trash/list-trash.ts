import { Type } from 'typebox';
import type { TrashStore } from '../../catalog/videos/trash-store.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { PaginationListOfTrashedVideoModel } from '../models/trash.ts';
import { LibraryParams } from '../read-params.ts';
import { PAGING } from '../read-query.ts';

/** Not part of the hosted API. */
export const listTrash = defineOperation({
  name: 'listTrash',
  method: 'GET',
  path: '/library/{libraryId}/trash',
  description: 'Lists the videos in the trash, the last deleted first, each with the time of its permanent deletion.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: LibraryParams,
  query: Type.Object(PAGING),
  answer: PaginationListOfTrashedVideoModel,
  async run({ params: { libraryId }, query: { page, itemsPerPage } }, { trash }: { trash: TrashStore }) {
    const { total, items } = await trash.list(libraryId, { offset: (page - 1) * itemsPerPage, limit: itemsPerPage });
    return {
      totalItems: total,
      currentPage: page,
      itemsPerPage,
      items: items.map((video) => ({
        guid: video.id,
        title: video.title,
        length: Math.round(video.durationMs / 1000),
        storageSize: video.storageBytes,
        dateTrashed: wireTime(video.trashedAt),
        dateExpires: wireTime(video.expiresAt),
      })),
    };
  },
});
