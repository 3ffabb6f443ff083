import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { go, type Route } from '../base/router.ts';
import { libraries, may, mayUpload, session } from '../base/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { openCalls } from './show-call.tsx';

type Entry = { id: string; label: string; hint: string; icon: IconName; run: () => void };

const TYPING_MS = 150;
const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Finds screens, libraries, actions and videos as the user types. Fully usable by keyboard. */
export function Palette({ libraryId }: { libraryId: number | null }) {
  return isOpen.value ? <OpenPalette libraryId={libraryId} /> : null;
}

function OpenPalette({ libraryId }: { libraryId: number | null }) {
  const text = useSignal('');
  const chosen = useSignal(0);
  const videos = useSignal<readonly Entry[]>([]);
  useEffect(() => searchSoon(libraryId, text.value, videos), [libraryId, text.value, videos]);
  const words = text.value.toLowerCase();
  const entries = [
    ...fixedEntries(libraryId).filter(({ label }) => label.toLowerCase().includes(words)),
    ...videos.value,
  ];
  const at = Math.min(chosen.value, entries.length - 1);
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    isOpen.value = false;
    entry.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      chosen.value = (at + step + entries.length) % Math.max(1, entries.length);
    } else if (event.key === 'Enter') run(entries[at]);
  };
  return (
    <Dialog title={t('Search')} class="palette" onClose={() => (isOpen.value = false)}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] === undefined ? undefined : `palette-${at}`}
        aria-label={t('Pages, libraries and videos')}
        placeholder={t('Search pages, libraries and videos…')}
        // The user opened the dialog to type.
        autofocus
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={press}
      />
      <div id="palette-list" role="listbox" aria-label={t('Search results')} tabIndex={-1}>
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerMove={() => (chosen.value = index)}
            onClick={() => run(entry)}
            // The field keeps the focus and selects with arrows. Rows can be clicked.
            onKeyDown={press}
          >
            <Icon name={entry.icon} /> <span>{entry.label}</span> <span class="hint">{entry.hint}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="hint">{t('No results.')}</p>}
    </Dialog>
  );
}

function fixedEntries(libraryId: number | null): Entry[] {
  const isOwner = may('account.manage');
  const screen = (label: string, icon: IconName, to: Route): Entry => ({
    id: `place ${label}`,
    label: tr(label),
    hint: t('Page'),
    icon,
    run: () => go(to),
  });
  const ofLibrary =
    libraryId === null
      ? []
      : [
          screen('Videos', 'videos', { name: 'videos', libraryId }),
          screen('Collections', 'collections', { name: 'collections', libraryId }),
          screen('Live', 'live', { name: 'live', libraryId }),
          ...(may('statistics.read', libraryId)
            ? [screen('Statistics', 'statistics', { name: 'statistics', libraryId })]
            : []),
          screen('Trash', 'trash', { name: 'trash', libraryId }),
          ...(isOwner ? [screen('Event log', 'events', { name: 'events', libraryId })] : []),
          ...(may('library.manage', libraryId)
            ? [
                screen('Settings', 'settings', { name: 'settings', libraryId }),
                screen('Webhooks', 'settings', { name: 'settings', libraryId, part: 'webhooks' }),
                screen('Keys', 'settings', { name: 'settings', libraryId, part: 'keys' }),
              ]
            : []),
        ];
  const actions: Entry[] = [
    ...(mayUpload()
      ? [
          {
            id: 'upload',
            label: t('Upload files'),
            hint: t('Action'),
            icon: 'upload' as const,
            run: () => document.querySelector<HTMLInputElement>('input[type=file]')?.click(),
          },
        ]
      : []),
    { id: 'call', label: t('Show API calls'), hint: t('Action'), icon: 'code', run: openCalls },
  ];
  return [
    ...ofLibrary,
    ...(may('people.manage') ? [screen('People', 'people', { name: 'people' })] : []),
    ...(session.value?.person == null ? [] : [screen('Your account', 'person', { name: 'account' })]),
    ...(isOwner ? [screen('System', 'system', { name: 'system' })] : []),
    screen('API reference', 'reference', { name: 'reference' }),
    ...actions,
    ...libraries.value.map(({ id, name }) =>
      screen(t('Library {0}', name), 'videos', { name: 'videos', libraryId: id }),
    ),
  ];
}

function searchSoon(libraryId: number | null, text: string, videos: { value: readonly Entry[] }): () => void {
  const gone = new AbortController();
  const timer = setTimeout(() => {
    if (libraryId === null || text.trim() === '') {
      videos.value = [];
      return;
    }
    const query = new URLSearchParams({ itemsPerPage: '8', search: text.trim() });
    api<PaginationListOfVideoModel>('GET', `/library/${libraryId}/videos?${query}`, undefined, gone.signal).then(
      ({ items }) => {
        videos.value = items.map(({ guid, title }) => ({
          id: guid,
          label: title,
          hint: t('Video'),
          icon: 'play',
          run: () => go({ name: 'video', libraryId, videoId: guid }),
        }));
      },
      // If the search fails, no videos are shown, but screens and actions still work.
      () => {
        videos.value = [];
      },
    );
  }, TYPING_MS);
  return () => {
    clearTimeout(timer);
    gone.abort();
  };
}
