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
        type={type}
        // The type of the attribute lists only some tokens.
        autocomplete={autocomplete as 'username'}
        required
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}
