import { createHash } from 'node:crypto';
import { afterAll, onTestFinished } from 'vitest';
import type { ListedItem } from '../../src/catalog/imports/listed-item.ts';
import type { LocatedFiles, SourceRequest } from '../../src/jobs/imports/import-source.ts';
import { createSourceClient } from '../../src/jobs/imports/source-client.ts';
import { importSources } from '../../src/jobs/imports/sources/all.ts';
import { type Guid, guidOfBytes } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { type Call, type Reply, startScriptedApi } from './scripted-api.ts';

const MAX_PAGES = 50;

export type Name = keyof typeof importSources;
type SourceReader = {
  guidFor(id: string): Guid;
  /** Starts a scripted API and returns the access to it. */
  script(answer: (call: Call, url: string) => Reply): Promise<SourceRequest>;
  /** Lists all pages of a source. */
  listAll(name: Name, request: SourceRequest): Promise<ListedItem[]>;
  /** Returns the requests for the files of a listed video. */
  locate(name: Name, request: SourceRequest, item: ListedItem | undefined): Promise<LocatedFiles>;
};

/** Creates functions that read sources without a service. */
export function createSourceReader(): SourceReader {
  const { signal } = new AbortController();
  const outbound = createOutbound({ allow: ['127.0.0.1/32'] });
  afterAll(() => outbound.close());
  const client = createSourceClient(outbound);
  const guidFor = (id: string) => guidOfBytes(createHash('sha256').update(id).digest());
  return {
    guidFor,
    async script(answer) {
      const api = await startScriptedApi(answer);
      onTestFinished(() => api.stop());
      const access = { apiUrl: api.url, cdnUrl: api.url, accessKey: 'key', libraryId: 1, account: 'account' };
      const keys = { coreUrl: null, accountKey: null, securityKey: null, referrer: null, secretKey: null };
      const none = { bucket: null, prefix: null, region: null, storage: null, preparedMs: null };
      return { ...access, ...keys, ...none, items: [] };
    },
    async listAll(name, request) {
      const items: ListedItem[] = [];
      let cursor: string | null = null;
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const listed: Awaited<ReturnType<(typeof importSources)[Name]['list']>> = await importSources[name].list(
          request,
          { cursor, client, guidFor },
          signal,
        );
        items.push(...listed.items);
        cursor = listed.next;
        if (cursor === null) return items;
      }
      throw new Error(`Expected at most ${MAX_PAGES} pages.`);
    },
    locate(name, request, item) {
      if (item?.kind !== 'video') throw new Error('Expected a video.');
      return importSources[name].locate(request, { item, client }, signal);
    },
  };
}
