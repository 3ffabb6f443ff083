import { signal } from '@preact/signals';
import { t } from '../base/language.ts';
import { CopyButton } from '../parts/parts.tsx';
import { NO_KEY } from './example-key.ts';

/** True if code shows keys. Copied code always contains them. */
const isKeyShown = signal(false);

type TabsProps<L extends string> = { languages: readonly L[]; chosen: L; onChoose: (language: L) => void };

/** Buttons that choose the language of code, and one that shows keys. */
export function CodeTabs<L extends string>({ languages, chosen, onChoose }: TabsProps<L>) {
  return (
    <div class="row code-tabs">
      <fieldset>
        <legend class="unseen">{t('Language of the code')}</legend>
        {languages.map((language) => (
          <button
            key={language}
            type="button"
            class="quiet"
            aria-pressed={language === chosen}
            onClick={() => onChoose(language)}
          >
            {language}
          </button>
        ))}
      </fieldset>
      <button type="button" class="quiet" onClick={() => (isKeyShown.value = !isKeyShown.value)}>
        {isKeyShown.value ? t('Hide key') : t('Show key')}
      </button>
    </div>
  );
}

/** Code with a button that copies it. The key in it is hidden unless shown on purpose. */
export function Code({ label, code, secret }: { label: string; code: string; secret: string }) {
  const isPlain = isKeyShown.value || secret === '' || secret === NO_KEY;
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it (WCAG 2.1.1). */}
      <pre class="code" tabIndex={0}>
        {isPlain ? code : code.replaceAll(secret, '•'.repeat(12))}
      </pre>
      <CopyButton label={label} text={code} />
    </div>
  );
}
