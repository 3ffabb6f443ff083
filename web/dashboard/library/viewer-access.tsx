import { useSignal } from '@preact/signals';
import type { ViewerAccessModel, ViewerVerdictModel } from '../../../src/api/models/viewer-access.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, NumberField, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { CopyField, Loading, Notice } from '../parts/parts.tsx';
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
  const stored = value.value;
  if (stored === null) return <Loading error={error.value} />;
  return <Editor path={path} stored={stored} onSaved={(saved) => (value.value = saved)} />;
}

type EditorProps = { path: string; stored: ViewerAccessModel; onSaved: (saved: ViewerAccessModel) => void };

function Editor({ path, stored, onSaved }: EditorProps) {
  const {
    value: access,
    isDirty,
    resets,
    change,
  } = useDraft(stored, {
    name: t('Viewer access'),
    save: async (edits) => onSaved(await api<ViewerAccessModel>('POST', path, edits)),
  });
  return (
    <Panel
      title={t('Viewer access')}
      hint={t('Your site decides who may watch a video, for example after a payment or a sign-in.')}
    >
      <div class="stack" key={resets}>
        <SelectField
          label={t('Who decides')}
          value={access.mode}
          choices={trAll(MODES)}
          onChange={(mode) => change({ mode: mode as ViewerAccessModel['mode'] })}
        />
        {access.mode === 'hook' && <HookFields access={access} change={change} />}
        {access.mode === 'jwt' && <IssuerFields access={access} change={change} />}
      </div>
      {access.mode === 'hook' && stored.secret !== null && (
        <Secret secret={stored.secret} path={path} onRenewed={onSaved} />
      )}
      {stored.mode !== 'off' && !isDirty && <Test path={path} />}
    </Panel>
  );
}

type SecretProps = { secret: string; path: string; onRenewed: EditorProps['onSaved'] };

/** The secret of the requests, and a button that replaces it after a confirmation. */
function Secret({ secret, path, onRenewed }: SecretProps) {
  const isAsked = useSignal(false);
  const renewing = useAction();
  const renew = () =>
    renewing.run(async () => {
      onRenewed(await api<ViewerAccessModel>('POST', path, { renewSecret: true }));
      isAsked.value = false;
      toast(t('Saved.'));
    });
  return (
    <div class="stack">
      <CopyField label={t('Secret that signs the requests')} text={secret} isSecret />
      <div class="row">
        <button type="button" onClick={() => (isAsked.value = true)}>
          {t('New secret')}
        </button>
      </div>
      {isAsked.value && (
        <Dialog title={t('New secret')} onClose={() => (isAsked.value = false)}>
          <p>{t('Requests are signed with the new secret immediately. Your endpoint must then check it.')}</p>
          {renewing.error.value !== null && <Notice kind="error">{renewing.error.value}</Notice>}
          <div class="row spread">
            <button type="button" onClick={() => (isAsked.value = false)}>
              {t('Cancel')}
            </button>
            <button type="button" class="danger" disabled={renewing.isBusy.value} onClick={() => void renew()}>
              {t('Replace the secret')}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function HookFields({ access, change }: FieldsProps) {
  return (
    <>
      <TextField label={t('URL of the endpoint')} value={access.url ?? ''} onChange={(url) => change({ url })} />
      <NumberField
        label={t('Seconds for which a decision is valid')}
        hint={t('Playback ends when the decision expires. Choose more than the length of your videos.')}
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
