import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { copyText } from '../base/copy-text.ts';
import { t } from '../base/language.ts';
import { addressOf, go, type Route, route } from '../base/router.ts';

/**
 * A link to another screen of the dashboard. With a modifier key, the browser handles the click as for any other link.
 */
type LinkProps = {
  to: Route;
  class?: string;
  isHere?: boolean;
  search?: string;
  keepsScroll?: boolean;
  children: ComponentChildren;
};

export function Link({ to, class: name, isHere, search = '', keepsScroll = false, children }: LinkProps) {
  const address = addressOf(to) + search;
  return (
    <a
      href={address}
      class={name}
      aria-current={(isHere ?? address === addressOf(route.value)) ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to, search, keepsScroll);
      }}
    >
      {children}
    </a>
  );
}

/** Tabs side by side. On narrow screens the open tab is scrolled into view. */
export function Tabs({ label, open, children }: { label: string; open: string; children: ComponentChildren }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = nav;
    const here = current?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!current || here === undefined) return;
    const { left, width } = current.getBoundingClientRect();
    current.scrollLeft += here.left - left - (width - here.width) / 2;
  }, [open]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {children}
    </nav>
  );
}

/** Properties of a text with a button that copies it. */
type CopyProps = { label: string; text: string; isSecret?: boolean; isWrapped?: boolean; onCopied?: () => void };

export function CopyField({ label, text, isSecret = false, isWrapped = false, onCopied }: CopyProps) {
  const shown = useSignal(!isSecret);
  return (
    <div class="copy-field">
      <span class="label">{label}</span>
      <code class={isWrapped ? 'wrapped' : undefined}>{shown.value ? text : '•'.repeat(24)}</code>
      {isSecret && (
        <button type="button" class="quiet" onClick={() => (shown.value = !shown.value)}>
          {shown.value ? t('Hide') : t('Show')}
        </button>
      )}
      <CopyButton label={label} text={text} onCopied={onCopied} />
    </div>
  );
}

/** Copies a text. `isNamed` adds a label, for use where the text itself is not shown. */
type CopyButtonProps = { label: string; text: string; isNamed?: boolean; onCopied?: (() => void) | undefined };

export function CopyButton({ label, text, isNamed = false, onCopied }: CopyButtonProps) {
  const copied = useSignal(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    copied.value = true;
    onCopied?.();
    setTimeout(() => {
      copied.value = false;
    }, 2000);
  };
  return (
    <button type="button" class="quiet" aria-label={copied.value ? t('Copied') : t('Copy {0}', label)} onClick={copy}>
      {copied.value ? t('Copied') : isNamed ? t('Copy {0}', label) : t('Copy')}
    </button>
  );
}

export function Notice({ kind, children }: { kind: 'error' | 'done' | 'warn'; children: ComponentChildren }) {
  return (
    <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}

/** Takes the place of a part until it is loaded, or shows why it cannot be. */
export function Loading({ error }: { error: string | null }) {
  return error === null ? (
    <div class="panel skeleton tall" aria-hidden="true" />
  ) : (
    <Notice kind="error">{error}</Notice>
  );
}

/** An empty screen with the next step. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Pager({ page, total, perPage }: { page: Signal<number>; total: number; perPage: number }) {
  const pages = Math.ceil(total / perPage);
  if (pages <= 1) return null;
  const turn = (by: number) => () => {
    page.value += by;
  };
  return (
    <nav class="pager" aria-label={t('Pages')}>
      <button type="button" disabled={page.value <= 1} onClick={turn(-1)}>
        {t('Previous')}
      </button>
      <span>{t('{0} of {1}', page.value, pages)}</span>
      <button type="button" disabled={page.value >= pages} onClick={turn(1)}>
        {t('Next')}
      </button>
    </nav>
  );
}
