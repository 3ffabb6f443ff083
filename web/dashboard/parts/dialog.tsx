import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../base/language.ts';
import { Icon } from './icon.tsx';

type DialogProps = {
  title: string;
  class?: string;
  onClose: () => void;
  /** Calls `leave` as soon as the dialog may be closed. */
  guard?: (leave: () => void) => void;
  children: ComponentChildren;
};

/**
 * A modal dialog. The browser keeps the focus in it and closes it on Escape. A click outside also closes it, unless
 * something was typed into it.
 */
export function Dialog({ title, class: name = '', onClose, guard, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isEdited = useSignal(false);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const mayLeave = useRef(guard === undefined);
  const leave = () => {
    mayLeave.current = true;
    element.current?.close();
  };
  const requestClose = () => (guard === undefined ? leave() : guard(leave));
  return (
    <dialog
      ref={element}
      class={`dialog ${name}`}
      aria-label={title}
      onCancel={(event) => {
        if (mayLeave.current) return;
        event.preventDefault();
        requestClose();
      }}
      onClose={() => {
        if (mayLeave.current) return onClose();
        // Browsers close a dialog on the second Escape without asking.
        element.current?.showModal();
        requestClose();
      }}
      onInput={() => (isEdited.value = true)}
      closedby={isEdited.value ? 'closerequest' : 'any'}
    >
      <div class="dialog-body">
        <header class="card-head">
          <h2>{title}</h2>
          <button type="button" class="quiet icon-button" aria-label={t('Close')} onClick={requestClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
