import type { ComponentChildren } from 'preact';

type Named = { label: string; hint?: string };

export function TextField({
  label,
  hint,
  value,
  error = null,
  isSecret = false,
  onChange,
}: Named & { value: string; error?: string | null; isSecret?: boolean; onChange: (text: string) => void }) {
  return (
    <label>
      {label}
      <input
        // Password managers must not offer the password of the dashboard.
        {...(isSecret && ({ type: 'password', autocomplete: 'one-time-code' } as { type: 'password' }))}
        {...(error !== null && { 'aria-invalid': true })}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {hint !== undefined && <span class="hint">{hint}</span>}
      {error !== null && <span class="hint bad">{error}</span>}
    </label>
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
