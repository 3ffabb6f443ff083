import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../base/action.ts';
import { connection } from '../base/api.ts';
import { t } from '../base/language.ts';
import { prefix } from '../base/router.ts';
import { libraries, session } from '../base/session.ts';
import { SelectField, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { Code, CodeTabs } from './code-tabs.tsx';
import { chooseExampleLibrary, exampleLibrary, libraryKey, NO_KEY } from './example-key.ts';
import { GUIDE_LANGUAGES, type GuideLanguage, guideCode } from './guide-code.ts';

/** The start of the reference: a program in four steps, from a key to a playing video. */
export function Guide() {
  const language = useSignal<GuideLanguage>('curl');
  const file = useSignal('film.mp4');
  const libraryId = exampleLibrary();
  const key = libraryKey.value === '' ? NO_KEY : libraryKey.value;
  const { edgeUrl = '' } = session.value ?? {};
  const code = guideCode(language.value, { url: connection.url, edgeUrl, key, libraryId, file: file.value });
  const steps = [
    {
      title: t('Authenticate'),
      text: t('Each request has a key in the AccessKey header. This code lists the videos of the library.'),
      code: code.authenticate,
    },
    { title: t('Create a video'), text: t('A video is created without a file. Keep its id.'), code: code.create },
    {
      title: t('Upload its file'),
      text: t('Encoding starts during the upload. For large files, use resumable uploads, as the SDK does.'),
      code: code.upload,
    },
    {
      title: t('Play it'),
      text: t('The video is playable once its first resolution is available. Its URL works as the src of an iframe.'),
      code: code.play,
    },
  ];
  return (
    <article class="stack operation-page">
      <h2>{t('Your first video')}</h2>
      <p>{t('Four steps from a key to a playing video. Together, the steps in one language form a program.')}</p>
      <div class="panel">
        <KeyFields />
        <TextField
          label={t('Video file on your computer')}
          value={file.value}
          onChange={(text) => (file.value = text)}
        />
      </div>
      <CodeTabs languages={GUIDE_LANGUAGES} chosen={language.value} onChoose={(each) => (language.value = each)} />
      {steps.map((step, index) => (
        <section key={step.title} class="panel">
          <h3>
            {index + 1}. {step.title}
          </h3>
          <p class="hint">{step.text}</p>
          <Code label={step.title} code={step.code} secret={key} />
        </section>
      ))}
      <section class="panel">
        <h3>{t('All steps')}</h3>
        <Code label={t('All steps')} code={Object.values(code).join('\n\n')} secret={key} />
      </section>
      <p>
        <a class="button" href={`${prefix}/docs/embedding`}>
          {t('Next: embed the player')}
        </a>
      </p>
    </article>
  );
}

/** Chooses the library of the examples and its key. */
export function KeyFields() {
  const loading = useAction();
  const libraryId = exampleLibrary();
  const choose = (id: number) => loading.run(() => chooseExampleLibrary(id));
  useEffect(() => {
    if (libraryKey.peek() === '') void choose(libraryId);
    // The key of a library is read once. Later choices read it themselves.
  }, []);
  return (
    <>
      <div class="columns tight">
        {libraries.value.length > 1 && (
          <SelectField
            label={t('Library')}
            value={`${libraryId}`}
            choices={libraries.value.map(({ id, name }) => [`${id}`, name] as const)}
            onChange={(id) => void choose(Number(id))}
          />
        )}
        <TextField
          label={t('API key')}
          isSecret
          value={libraryKey.value}
          onChange={(text) => (libraryKey.value = text)}
          hint={t('Inserted in the code below. It stays in this page.')}
        />
      </div>
      {loading.error.value !== null && <Notice kind="error">{loading.error.value}</Notice>}
    </>
  );
}
