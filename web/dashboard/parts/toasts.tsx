import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../base/language.ts';
import { Icon } from './icon.tsx';

/** A short message at the bottom of the page, with one action. */
type Toast = { id: number; text: string; action: { label: string; run: () => void } | null };

/** Long enough to read a message and to reach its button. */
const SHOWN_MS = 12_000;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

export function toast(text: string, action: Toast['action'] = null): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value.slice(-3), { id, text, action }];
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <section class="toasts" role="status" aria-label={t('Messages')}>
      {toasts.value.map((one) => (
        <Message key={one.id} {...one} />
      ))}
    </section>
  );
}

/** Disappears automatically, unless it has the pointer or the focus (WCAG 2.2.1). */
function Message({ id, text, action }: Toast) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hold = () => clearTimeout(timer.current);
  const leave = () => {
    hold();
    timer.current = setTimeout(() => dismiss(id), SHOWN_MS);
  };
  useEffect(() => {
    leave();
    return hold;
  }, []);
  return (
    <p class="toast" onPointerEnter={hold} onPointerLeave={leave} onFocusIn={hold} onFocusOut={leave}>
      <span>{text}</span>
      {action !== null && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" class="quiet icon-button" aria-label={t('Dismiss message')} onClick={() => dismiss(id)}>
        <Icon name="close" />
      </button>
    </p>
  );
}
