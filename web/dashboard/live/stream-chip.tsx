import type { LiveStreamModel } from '../../../src/api/models/live-stream.ts';
import { tr } from '../base/language.ts';
import { describeStream } from './stream-state.ts';

/** The state of a stream in words. */
export function StreamChip({ stream }: { stream: LiveStreamModel }) {
  const { tone, name } = describeStream(stream);
  return <span class={`chip ${tone}`}>{tr(name)}</span>;
}
