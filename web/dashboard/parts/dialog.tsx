import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../base/language.ts';
import { Icon } from './icon.tsx';

type DialogProps = { title: string; class?: string; onClose: () => void; children: ComponentChildren };

/**
 * A modal dialog. The browser keeps the focus in it and closes it on Escape. A click outside also closes it, unless
 * something was typed into it.
 */
export function Dialog({ title, class: name = '', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isEdited = useSignal(false);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${name}`}
      aria-label={title}
      onClose={onClose}
      onInput={() => (isEdited.value = true)}
      closedby={isEdited.value ? 'closerequest' : 'any'}
    >
      <div class="dialog-body">
        <header class="row spread">
          <h2>{title}</h2>
          <button
            type="button"
            class="quiet icon-button"
            aria-label={t('Close')}
            onClick={() => element.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
