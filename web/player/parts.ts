import type { PageConfig } from './base/config.ts';
import type { Memory } from './base/memory.ts';
import type { Say } from './base/say.ts';
import type { StartOptions } from './base/start-options.ts';
import type { Engine } from './engine/engine.ts';
import type { LiveProgress } from './live-progress.ts';
import type { loadPart } from './load-part.ts';
import type { Session } from './session.ts';

/** Objects that the page's entry passes to the controls. */
export type ControlParts = {
  frame: HTMLElement;
  video: HTMLVideoElement;
  engine: Engine;
  session: Session;
  liveProgress: LiveProgress;
  options: StartOptions;
  memory: Memory;
  config: PageConfig;
  say: Say;
  /** Not imported by the controls, because they and the engine are one file each. */
  loadPart: typeof loadPart;
  /** Position resumed from an earlier session. 0 if playback began at the start. */
  resumedSec: number;
};
