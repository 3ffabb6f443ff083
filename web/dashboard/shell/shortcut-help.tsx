import { signal } from '@preact/signals';
import { t, tr } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';

const KEYS: readonly (readonly [keys: string, action: string])[] = [
  ['Ctrl K', 'Find a screen, a library or a video'],
  ['/', 'Search titles'],
  ['?', 'Show these shortcuts'],
  ['Ctrl A', 'Select all videos that match (list of videos)'],
  ['x', 'Select the video that has the focus'],
  ['← ↑ → ↓', 'Go from video to video'],
  ['Delete', 'Move the selection, or the open video, to the trash'],
  ['Escape', 'Clear the selection, close a dialog'],
  ['g', 'Switch between grid and list'],
  ['Ctrl Enter', 'Save captions or chapters that are edited'],
];

const isOpen = signal(false);

export function showHelp(): void {
  isOpen.value = true;
}

export function ShortcutHelp() {
  if (!isOpen.value) return null;
  return (
    <Dialog title={t('Shortcuts')} onClose={() => (isOpen.value = false)}>
      <dl class="keys-list">
        {KEYS.map(([keys, action]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{tr(action)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
