import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export type MenuItem = { label: string; icon: IconName; hint: string; onChoose: () => void };
type MenuProps = { label: string; items: readonly MenuItem[] };

/** A button that opens a menu. Arrow keys move in it, Escape and a click elsewhere close it. */
export function Menu({ label, items }: MenuProps) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen.value) return;
    root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const close = ({ target }: Event) => {
      if (!(target instanceof Node) || root.current?.contains(target) !== true) isOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
    };
  }, [isOpen, isOpen.value]);
  const shut = () => {
    isOpen.value = false;
    button.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') shut();
    else if (!moveFocus(event, root.current)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={root} class="menu-place">
      <button
        ref={button}
        type="button"
        class="primary"
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="upload" /> {label}
      </button>
      {isOpen.value && (
        <div role="menu" class="menu-items" aria-label={label} onKeyDown={press}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              onClick={() => {
                shut();
                item.onChoose();
              }}
            >
              <Icon name={item.icon} />
              <span>
                {item.label}
                <span class="hint block">{item.hint}</span>
              </span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Moves the focus within the menu. Returns true if the key was handled. */
function moveFocus({ key }: KeyboardEvent, root: HTMLElement | null): boolean {
  const items = [...(root?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const here = items.findIndex((item) => item.matches(':focus'));
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: (here + 1) % items.length,
    ArrowUp: (here - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const target = targets[key];
  if (target === undefined) return false;
  items[target]?.focus();
  return true;
}
