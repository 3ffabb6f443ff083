import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { bytes, day, plural } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';

/** What the library holds, and what was delivered of it. */
export function Storage({ library }: { library: VideoLibraryModel }) {
  return (
    <div class="columns">
      <Panel title="Stored">
        <p class="figure">{bytes(library.StorageUsage)}</p>
        <p class="hint">in {plural(library.VideoCount, 'video')}, originals and pictures included</p>
      </Panel>
      <Panel title="Delivered">
        <p class="figure">{bytes(library.TrafficUsage)}</p>
        <p class="hint">this month</p>
      </Panel>
      <Panel title="The library">
        <dl>
          <dt>Made</dt>
          <dd>{day(library.DateCreated)}</dd>
          <dt>Originals</dt>
          <dd>{library.KeepOriginalFiles ? 'Kept' : 'Deleted after encoding'}</dd>
          <dt>Pull zone</dt>
          <dd>{library.PullZoneId}</dd>
        </dl>
      </Panel>
    </div>
  );
}
