import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isTried } from '../base/drafts.ts';
import { t } from '../base/language.ts';

type Named = { label: string; hint?: string };

export function TextField({
  label,
  hint,
  value,
  error = null,
  isSecret = false,
  onChange,
}: Named & { value: string; error?: string | null; isSecret?: boolean; onChange: (text: string) => void }) {
  const shown = useFault(error);
  return (
    <label>
      {label}
      <input
        // Password managers must not offer the password of the dashboard.
        {...(isSecret && ({ type: 'password', autocomplete: 'one-time-code' } as { type: 'password' }))}
        {...(shown.fault !== null && { 'aria-invalid': true })}
        {...shown.leaving}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {hint !== undefined && <span class="hint">{hint}</span>}
      {shown.fault !== null && <span class="hint bad">{shown.fault}</span>}
    </label>
  );
}

/** Shows the fault of a field only while nobody types in it, or after an attempt to save it. */
export function useFault(fault: string | null) {
  const isTyping = useSignal(false);
  const leaving = { onFocus: () => (isTyping.value = true), onBlur: () => (isTyping.value = false) };
  return { fault: isTried.value || !isTyping.value ? fault : null, leaving };
}

/** The length of a text near its limit, and a sentence if it is longer. The text itself is never cut. */
export function CharCount({ length, max }: { length: number; max: number }) {
  if (length <= max * 0.8) return null;
  return (
    <span class={length > max ? 'hint bad' : 'hint'} role={length > max ? 'alert' : undefined}>
      {length > max ? t('{0} characters too many.', length - max) : t('{0} of {1}', length, max)}
    </span>
  );
}

export function NumberField({
  label,
  hint,
  value,
  min = 0,
  onChange,
}: Named & { value: number; min?: number; onChange: (to: number) => void }) {
  return (
    <label>
      {label}
      <input
        type="number"
        min={min}
        value={value}
        onInput={({ currentTarget: { valueAsNumber: to } }) => {
          if (Number.isFinite(to)) onChange(to);
        }}
      />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

export function Check({ label, hint, value, onChange }: Named & { value: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <span class="hint block">{hint}</span>}
      </span>
    </label>
  );
}

type Choice = readonly [value: string, label: string];

export function SelectField({
  label,
  hint,
  value,
  choices,
  onChange,
}: Named & { value: string; choices: readonly Choice[]; onChange: (value: string) => void }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

/** A titled panel of a form. */
export function Panel({ title, hint, children }: { title: string; hint?: string; children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

/** A table with named columns. It scrolls sideways on narrow pages. */
export function Table({
  head,
  label,
  children,
}: {
  head: readonly string[];
  label: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it sideways (WCAG 2.1.1).
    <section class="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
