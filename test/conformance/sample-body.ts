import type { Real } from './interface-data.ts';
import type { World } from './world.ts';

/** A plain body that an operation can carry out; null for one that takes none. */
export function sampleBody({ body, name }: Real, { origin }: World): unknown {
  if (body === null) return null;
  if (body === 'raw') return Buffer.from('bytes of a file');
  const { title }: { title?: string } = { ...body };
  const samples: Record<string, () => unknown> = {
    CreateVideoModel: () => ({ title: 'A sample' }),
    UpdateVideoModel: () => ({ title: 'A sample' }),
    UpdateCollectionModel: () => ({ name: 'A sample' }),
    FetchVideoRequest: () => ({ url: `${origin.url}/film.mp4` }),
    ResetPullZoneSecurityKeyModel: () => ({ SecurityKey: 'a key of my own' }),
  };
  const sample = samples[title ?? ''];
  if (sample === undefined) throw new Error(`Teach sample-body.ts a body of ${title}, which ${name} takes.`);
  return sample();
}
