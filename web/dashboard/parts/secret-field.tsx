import type { Signal } from '@preact/signals';

type Props = {
  label: string;
  type: 'email' | 'password' | 'text';
  /** Token of the HTML standard by which password managers find the field. */
  autocomplete: string;
  value: Signal<string>;
  hint?: string;
};

/** A required field of a sign-in or password form, which password managers can fill. */
export function SecretField({ label, type, autocomplete, value, hint }: Props) {
  return (
    <label>
      {label}
      <input
        // The attribute types depend on a type and token that are only known when the page is shown.
        {...({ type, autocomplete } as { type: 'text' })}
        required
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}
