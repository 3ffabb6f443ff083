import type { ImportSource } from '../import-source.ts';

const PAGE_ITEMS = 500;

/** Items that the caller lists in the request, and whose files, captions and images it uploads afterwards. */
export const upload: ImportSource = {
  name: 'upload',
  awaitsUploads: true,
  preparesFiles: false,
  refreshSec: null,
  prepare: async (request) => request,
  async list({ items }, { cursor }) {
    const from = Number(cursor ?? 0);
    const next = from + PAGE_ITEMS;
    return { items: items.slice(from, next), next: next < items.length ? String(next) : null };
  },
  locate: async () => ({ files: [], captions: [], thumbnail: null }),
};
