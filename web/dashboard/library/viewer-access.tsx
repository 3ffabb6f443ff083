import { useSignal } from '@preact/signals';
import type { ViewerAccessModel, ViewerVerdictModel } from '../../../src/api/models/viewer-access.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Check, NumberField, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

const MODES = [
  ['off', 'Only the other rules of the library'],
  ['hook', 'An endpoint of your site'],
  ['jwt', 'Signed tokens of your issuer (JWT)'],
] as const;

type Change = (to: Partial<ViewerAccessModel>) => void;
type FieldsProps = { access: ViewerAccessModel; change: Change };

/** Lets a site decide which viewers may watch, and tests its answer. */
export function ViewerAccess({ libraryId }: { libraryId: number }) {
  const path = `/library/${libraryId}/viewers`;
  const { value, error } = useLoaded<ViewerAccessModel>(path);
  const changes = useSignal<Partial<ViewerAccessModel>>({});
  const saving = useAction();
  const stored = value.value;
  if (stored === null) return error.value === null ? null : <Notice kind="error">{error.value}</Notice>;
  const access = { ...stored, ...changes.value };
  const change: Change = (to) => (changes.value = { ...changes.value, ...to });
  const send = (body: object) =>
    saving.run(async () => {
      value.value = await api<ViewerAccessModel>('POST', path, body);
      // Edits that were not sent, such as those made before "New secret", stay.
      if (body === changes.value) changes.value = {};
      toast(t('Saved.'));
    });
  const isChanged = Object.keys(changes.value).length > 0;
  return (
    <Panel
      title={t('Viewer access')}
      hint={t('Your site decides about each viewer who opens a video, for example after a payment or a sign-in.')}
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void send(changes.value);
        }}
      >
        <SelectField
          label={t('Who decides')}
          value={access.mode}
          choices={trAll(MODES)}
          onChange={(mode) => change({ mode: mode as ViewerAccessModel['mode'] })}
        />
        {access.mode === 'hook' && <HookFields access={access} change={change} />}
        {access.mode === 'jwt' && <IssuerFields access={access} change={change} />}
        {access.mode === 'hook' && stored.secret !== null && (
          <div class="stack">
            <CopyField label={t('Secret that signs the requests')} text={stored.secret} isSecret />
            <div class="row">
              <button type="button" disabled={saving.isBusy.value} onClick={() => void send({ renewSecret: true })}>
                {t('New secret')}
              </button>
            </div>
          </div>
        )}
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
        <div class="row">
          <button type="submit" class="primary" disabled={!isChanged || saving.isBusy.value}>
            {t('Save viewer access')}
          </button>
        </div>
      </form>
      {stored.mode !== 'off' && !isChanged && <Test path={path} />}
    </Panel>
  );
}

function HookFields({ access, change }: FieldsProps) {
  return (
    <>
      <TextField label={t('URL of the endpoint')} value={access.url ?? ''} onChange={(url) => change({ url })} />
      <NumberField
        label={t('Seconds for which an answer is valid')}
        hint={t('Playback ends with the answer. Choose more than the length of your videos.')}
        min={10}
        value={access.cacheSec}
        onChange={(cacheSec) => change({ cacheSec })}
      />
      <Check
        label={t('Admit viewers while the endpoint does not respond')}
        value={access.failOpen}
        onChange={(failOpen) => change({ failOpen })}
      />
    </>
  );
}

function IssuerFields({ access, change }: FieldsProps) {
  return (
    <>
      <TextField label={t('Issuer (iss)')} value={access.issuer ?? ''} onChange={(issuer) => change({ issuer })} />
      <TextField
        label={t('Audience (aud)')}
        value={access.audience ?? ''}
        onChange={(audience) => change({ audience })}
      />
      <TextField
        label={t('URL of the public keys (JWKS)')}
        value={access.jwksUrl ?? ''}
        onChange={(jwksUrl) => change({ jwksUrl })}
      />
      <TextField
        label={t('Claim with video ids (optional)')}
        hint={t('Without a claim, a token is for all videos of the library.')}
        value={access.videoClaim ?? ''}
        onChange={(videoClaim) => change({ videoClaim })}
      />
      <TextField
        label={t('Claim with collection ids (optional)')}
        value={access.collectionClaim ?? ''}
        onChange={(collectionClaim) => change({ collectionClaim })}
      />
    </>
  );
}

/** Asks about a viewer, and shows the verdict and the time that it took. */
function Test({ path }: { path: string }) {
  const videoId = useSignal('');
  const viewer = useSignal('');
  const found = useSignal<ViewerVerdictModel | null>(null);
  const testing = useAction();
  const test = (event: Event) => {
    event.preventDefault();
    void testing.run(async () => {
      found.value = null;
      const body = { videoId: videoId.value.trim(), viewer: viewer.value.trim(), userAgent: navigator.userAgent };
      found.value = await api<ViewerVerdictModel>('POST', `${path}/test`, body);
    });
  };
  return (
    <form class="stack" onSubmit={test}>
      <h3>{t('Test viewer access')}</h3>
      <TextField label={t('Video ID')} value={videoId.value} onChange={(text) => (videoId.value = text)} />
      <TextField
        label={t('Token of the viewer')}
        hint={t('The value that your page passes to the player as the parameter viewer.')}
        value={viewer.value}
        onChange={(text) => (viewer.value = text)}
      />
      <div role="status">{found.value !== null && <Verdict found={found.value} />}</div>
      {testing.error.value !== null && <Notice kind="error">{testing.error.value}</Notice>}
      <div class="row">
        <button type="submit" disabled={testing.isBusy.value || videoId.value.trim() === ''}>
          {testing.isBusy.value ? t('Testing…') : t('Test')}
        </button>
      </div>
    </form>
  );
}

function Verdict({ found: { verdict, reason, validSec, durationMs } }: { found: ViewerVerdictModel }) {
  const words = { allowed: t('May watch'), denied: t('May not watch'), unchecked: t('No answer') };
  return (
    <>
      <span class={`chip ${verdict === 'allowed' ? 'good' : 'bad'}`}>{words[verdict]}</span>{' '}
      {t('after {0} ms', String(durationMs))}
      {verdict === 'allowed' && validSec !== null && ` · ${t('valid for {0} s', String(validSec))}`}
      {reason !== '' && <span class="hint block wrapped">{reason}</span>}
    </>
  );
}
