import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { language, t } from '../base/language.ts';
import { languageName } from '../base/words.ts';
import { SelectField, TextField, useFault } from './fields.tsx';
import { Icon } from './icon.tsx';

type Named = { label: string; hint?: string };

/** Colours that the player accepts. */
const COLOUR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Picks a colour from a palette, or by its hexadecimal digits. */
export function ColourField({ label, value, onChange }: Named & { value: string; onChange: (text: string) => void }) {
  const shown = useFault(COLOUR.test(value) ? null : t('Not a colour. Example: #ff5f1f.'));
  return (
    <fieldset class="colour-field">
      <legend>{label}</legend>
      <input
        type="color"
        aria-label={t('Pick: {0}', label)}
        value={toHex(value)}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <input
        type="text"
        aria-label={t('{0}, hexadecimal', label)}
        class="short-text"
        aria-invalid={shown.fault !== null}
        {...shown.leaving}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      {shown.fault !== null && <span class="hint bad">{shown.fault}</span>}
    </fieldset>
  );
}

/** Returns a colour as six digits, the form that a colour input accepts. */
function toHex(colour: string): string {
  if (!COLOUR.test(colour)) return '#000000';
  const digits = colour.slice(1);
  const full = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return `#${full.slice(0, 6)}`.toLowerCase();
}

type Choice = readonly [value: string, label: string];
type ChipsProps = Named & { choices: readonly Choice[]; chosen: readonly string[]; onChange: (to: string[]) => void };

/** Toggles any number of choices. Keeps chosen values that it does not offer. */
export function ChipsField({ label, hint, choices, chosen, onChange }: ChipsProps) {
  const turn = (value: string) => {
    const offered = choices.map(([one]) => one);
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    onChange([...offered.filter((one) => next.includes(one)), ...next.filter((one) => !offered.includes(one))]);
  };
  return (
    <fieldset class="chips-field">
      <legend>{label}</legend>
      <div class="choice-chips">
        {choices.map(([value, text]) => (
          <button key={value} type="button" aria-pressed={chosen.includes(value)} onClick={() => turn(value)}>
            {text}
          </button>
        ))}
      </div>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </fieldset>
  );
}

type LanguagesProps = Named & {
  codes: readonly string[];
  offered: readonly string[];
  onChange: (codes: string[]) => void;
};

/** Picks languages by name. Keeps chosen codes that it does not offer. */
export function LanguagesField({ label, hint, codes, offered, onChange }: LanguagesProps) {
  const select = useRef<HTMLSelectElement>(null);
  return (
    <fieldset class="languages-field">
      <legend>{label}</legend>
      {codes.length > 0 && (
        <ul class="tag-box">
          {codes.map((code) => (
            <li key={code} class="tag">
              <span>{languageName(code)}</span>
              <button
                type="button"
                class="quiet"
                aria-label={t('Remove {0}', languageName(code))}
                onClick={() => {
                  onChange(codes.filter((one) => one !== code));
                  select.current?.focus();
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <select
        ref={select}
        aria-label={t('Add to: {0}', label)}
        value=""
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          currentTarget.value = '';
          if (value !== '') onChange([...codes, value]);
        }}
      >
        <option value="">{t('Add a language…')}</option>
        {languageChoices(offered.filter((code) => !codes.includes(code))).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </fieldset>
  );
}

/** Languages that pickers offer. The API accepts any language code. */
export const LANGUAGE_CODES: readonly string[] = (
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv sw ' +
  'ta th tr uk ur vi zh zh-TW'
).split(' ');

type LanguageProps = Named & {
  code: string;
  /** Text of the choice of no language. Without it, a language is required. */
  none?: string;
  onChange: (code: string) => void;
};

/** Picks one language by name. Other languages are entered as a code. */
export function LanguageField({ label, hint, code, none, onChange }: LanguageProps) {
  const isOther = useSignal(code !== '' && !LANGUAGE_CODES.includes(code));
  const choices: Choice[] = [
    ...(none === undefined ? [] : [['', none] as const]),
    ...languageChoices(LANGUAGE_CODES),
    ['other', t('Other language…')],
  ];
  const choose = (to: string) => {
    isOther.value = to === 'other';
    onChange(to === 'other' ? '' : to);
  };
  return (
    <>
      <SelectField
        label={label}
        {...(hint !== undefined && { hint })}
        value={isOther.value ? 'other' : code}
        choices={choices}
        onChange={choose}
      />
      {isOther.value && (
        <TextField
          label={t('Language code')}
          hint={t('For example, gsw or zh-Hant.')}
          value={code}
          error={code === '' || isLanguage(code) ? null : t('Not a language code.')}
          onChange={(text) => onChange(text.trim())}
        />
      )}
    </>
  );
}

/** Returns whether a text is a well-formed language code (BCP 47). */
export function isLanguage(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

/** Returns languages with their names in the language of the page, in the order of the names. */
export function languageChoices(codes: readonly string[]): Choice[] {
  const named = codes.map((code) => [code, languageName(code)] as const);
  return named.toSorted(([, one], [, other]) => one.localeCompare(other, language.value));
}
