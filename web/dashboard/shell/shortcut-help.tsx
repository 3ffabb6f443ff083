import { signal } from '@preact/signals';
import { t, tr } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';

const KEYS: readonly (readonly [keys: string, action: string])[] = [
  ['Ctrl K', 'Search pages, libraries and videos'],
  ['/', 'Search titles'],
  ['?', 'Show keyboard shortcuts'],
  ['Ctrl A', 'Select all matching videos (video list)'],
  ['Space', 'Select the focused video'],
  ['Shift ← →', 'Extend the selection'],
  ['← ↑ → ↓', 'Move between videos'],
  ['Delete', 'Move the selected or open video to the trash'],
  ['Escape', 'Clear the selection or close a dialog'],
  ['g', 'Switch between grid and list'],
  ['Ctrl S', 'Save changes'],
  [', .', 'Step by a frame, or by a second with Shift (timeline)'],
  ['+ -', 'Zoom the timeline'],
  ['Ctrl Z, Ctrl Shift Z', 'Undo or redo a change on the timeline'],
];

const isOpen = signal(false);

export function showHelp(): void {
  isOpen.value = true;
}

export function ShortcutHelp() {
  if (!isOpen.value) return null;
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={() => (isOpen.value = false)}>
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
