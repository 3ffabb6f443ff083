import { useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { describeError } from './api.ts';
import { t } from './language.ts';

/** A screen whose code is loaded when first opened, then kept. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element {
  let loaded: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const screen = useSignal(loaded);
    const error = useSignal<string | null>(null);
    useEffect(() => {
      if (loaded !== null) return;
      load().then(
        (component) => {
          loaded = component;
          screen.value = component;
        },
        (reason: unknown) => {
          error.value = t('This screen could not be loaded. Reload the page. ({0})', describeError(reason));
        },
      );
    }, [error, screen]);
    // A state setter would call the component, because it is a function. The component is therefore read from a signal.
    const Screen = screen.value;
    if (error.value !== null) return <p class="notice error">{error.value}</p>;
    return Screen === null ? <div class="panel skeleton tall" aria-hidden="true" /> : <Screen {...props} />;
  };
}
