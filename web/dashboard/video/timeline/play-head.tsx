import { t } from '../../base/language.ts';
import type { PlayerLink } from '../player-frame.tsx';
import { TimeHandle } from './time-handle.tsx';
import type { Stage } from './use-stage.ts';

type PlayHeadProps = {
  stage: Stage;
  link: PlayerLink;
  onSeek: (sec: number) => void;
  onPage: (direction: 1 | -1) => void;
};

const NO_TARGETS: readonly number[] = [];

/** Position of the player. Page Up and Page Down move it to the next and the previous item. */
export function PlayHead({ stage, link, onSeek, onPage }: PlayHeadProps) {
  return (
    <TimeHandle
      stage={stage}
      class={link.isPlaying.value ? 'playhead playing' : 'playhead'}
      label={t('Position in the video')}
      sec={Math.min(stage.lengthSec, link.timeSec.value)}
      targets={() => NO_TARGETS}
      onMove={onSeek}
      onPage={onPage}
    />
  );
}
