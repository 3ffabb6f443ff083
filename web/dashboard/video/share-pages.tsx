import { type Signal, useSignal } from '@preact/signals';
import type { ShareList, ShareModel } from '../../../src/api/models/share.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { moment } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';

const HOUR_MS = 3_600_000;
const ENDS = [
  ['never', 'Never'],
  ['24', 'In 1 day'],
  ['168', 'In 1 week'],
  ['720', 'In 1 month'],
] as const;

type PagesProps = {
  path: string;
  hint: string;
  /** Title of the code that embeds the player of a page. Null if there is no such code. */
  embedTitle?: string | null;
  /** Whether viewers can be allowed to comment. */
  offersComments?: boolean;
  /** Whether there are MP4 files to download. Null for a collection, whose videos may differ. */
  hasFiles?: boolean | null;
};

/** The share pages of a video or collection, and the form that creates one. */
export function SharePages({ path, hint, embedTitle = null, offersComments = false, hasFiles = null }: PagesProps) {
  const { value, error, again } = useLoaded<ShareList>(`${path}/shares`);
  const adding = useSignal(false);
  const shares = value.value?.items ?? [];
  return (
    <Panel title={t('Share pages')} hint={hint}>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {shares.length > 0 && (
        <ul class="stack" aria-label={t('Share pages')}>
          {shares.map((share) => (
            <Row
              key={share.guid}
              path={`${path}/shares/${share.guid}`}
              {...{ share, embedTitle, offersComments, hasFiles }}
              onChanged={again}
            />
          ))}
        </ul>
      )}
      <div class="row">
        <button type="button" onClick={() => (adding.value = true)}>
          {t('Create share page')}
        </button>
      </div>
      {adding.value && (
        <Editor
          title={t('Create share page')}
          share={null}
          {...{ offersComments, hasFiles }}
          send={(fields) => api('POST', `${path}/shares`, fields)}
          onSaved={again}
          onClose={() => (adding.value = false)}
        />
      )}
    </Panel>
  );
}

type RowProps = {
  path: string;
  share: ShareModel;
  embedTitle: string | null;
  offersComments: boolean;
  hasFiles: boolean | null;
  onChanged: () => void;
};

function Row({ path, share, embedTitle, offersComments, hasFiles, onChanged }: RowProps) {
  const editing = useSignal(false);
  const isAsked = useSignal(false);
  const removing = useAction();
  const remove = () =>
    removing.run(async () => {
      await api('DELETE', path);
      onChanged();
    });
  const isOver = share.dateExpires !== null && Date.parse(`${share.dateExpires}Z`) <= Date.now();
  const facts = [
    ...(share.access === 'password' ? [t('With password')] : []),
    ...(share.emailDomains.length > 0 ? [t('Only for {0}', share.emailDomains.join(', '))] : []),
    ...(share.access === 'link' ? [t('Anyone with the link')] : []),
    ...(share.allowDownload ? [t('Download allowed')] : []),
    ...(share.allowComments ? [t('Comments allowed')] : []),
    share.dateExpires === null
      ? t('Never expires')
      : t(isOver ? 'Expired {0}' : 'Expires {0}', moment(share.dateExpires)),
    t('Created by {0}', share.createdBy),
  ];
  return (
    <li class="stack">
      <CopyField label={t('Link of the share page')} text={share.url} />
      {embedTitle !== null && share.access === 'link' && (
        <CopyField label={t('Embed code')} text={embedCode(share.url, embedTitle)} />
      )}
      <p class="hint">{facts.join(' · ')}</p>
      {removing.error.value !== null && <Notice kind="error">{removing.error.value}</Notice>}
      {isAsked.value && <p role="status">{t('The link stops working for everyone who has it.')}</p>}
      <div class="row">
        {isAsked.value ? (
          <>
            <button type="button" onClick={() => (isAsked.value = false)}>
              {t('Cancel')}
            </button>
            <button type="button" class="bad" disabled={removing.isBusy.value} onClick={() => void remove()}>
              {t('Delete permanently')}
            </button>
          </>
        ) : (
          <>
            <button type="button" onClick={() => (editing.value = true)}>
              {t('Edit')}
            </button>
            <button type="button" onClick={() => (isAsked.value = true)}>
              {t('Delete link')}
            </button>
          </>
        )}
      </div>
      {editing.value && (
        <Editor
          title={t('Edit share page')}
          share={share}
          {...{ offersComments, hasFiles }}
          send={(fields) => api('POST', path, fields)}
          onSaved={onChanged}
          onClose={() => (editing.value = false)}
        />
      )}
    </li>
  );
}

/** Returns the code that shows the player of a share page in another page. Browsers send no password cookie to it. */
function embedCode(url: string, title: string): string {
  const frame = document.createElement('iframe');
  frame.src = `${url}/player`;
  frame.title = title;
  frame.style.cssText = 'width:100%;aspect-ratio:16/9;border:0';
  frame.allow = 'autoplay; encrypted-media; fullscreen; picture-in-picture';
  return frame.outerHTML;
}

type EditorProps = {
  title: string;
  /** Null for a new share. */
  share: ShareModel | null;
  offersComments: boolean;
  hasFiles: boolean | null;
  send: (fields: object) => Promise<unknown>;
  onSaved: () => void;
  onClose: () => void;
};

function Editor({ title, share, offersComments, hasFiles, send, onSaved, onClose }: EditorProps) {
  const hasPassword = useSignal(share?.access === 'password');
  const password = useSignal('');
  const domains = useSignal(share?.emailDomains.join(', ') ?? '');
  const allowDownload = useSignal(share?.allowDownload ?? false);
  const allowComments = useSignal(share?.allowComments ?? false);
  const end = useSignal(share === null || share.dateExpires === null ? 'never' : 'kept');
  const saving = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    const fields = {
      allowDownload: allowDownload.value,
      ...(offersComments && { allowComments: allowComments.value }),
      emailDomains: domains.value.split(/[\s,;]+/).filter((domain) => domain !== ''),
      ...passwordField({ has: hasPassword.value, text: password.value, had: share?.access === 'password' }),
      ...(end.value !== 'kept' && { dateExpires: endOf(end.value) }),
    };
    if (!(await saving.run(() => send(fields)))) return;
    onSaved();
    onClose();
  };
  const ends = trAll(ENDS);
  const choices =
    end.value === 'kept' || share?.dateExpires != null ? [['kept', t('Unchanged')] as const, ...ends] : ends;
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <Check label={t('Require a password')} value={hasPassword.value} onChange={(on) => (hasPassword.value = on)} />
        {hasPassword.value && <PasswordField isKept={share?.access === 'password'} password={password} />}
        <TextField
          label={t('E-mail domains of viewers')}
          hint={t('For example, example.com. Viewers enter a code from an e-mail. Leave empty to admit everybody.')}
          value={domains.value}
          onChange={(text) => (domains.value = text)}
        />
        <SelectField label={t('Expires')} value={end.value} choices={choices} onChange={(to) => (end.value = to)} />
        <Check
          label={t('Allow download')}
          {...downloadHint(hasFiles)}
          value={allowDownload.value}
          onChange={(on) => (allowDownload.value = on)}
        />
        {offersComments && (
          <Check
            label={t('Allow comments')}
            hint={t('Viewers enter a name, and see only the comments of this page and the replies to them.')}
            value={allowComments.value}
            onChange={(on) => (allowComments.value = on)}
          />
        )}
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
        <div class="row end">
          <button type="submit" class="primary" disabled={saving.isBusy.value}>
            {t('Save share page')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function downloadHint(hasFiles: boolean | null): { hint?: string } {
  if (hasFiles === true) return {};
  if (hasFiles === null) return { hint: t('Offered for videos with MP4 files.') };
  return {
    hint: t('Requires MP4 files. Turn them on for new videos in the settings of the library, under Video and sound.'),
  };
}

function PasswordField({ isKept, password }: { isKept: boolean; password: Signal<string> }) {
  return (
    <TextField
      label={t('Password for viewers')}
      hint={isKept ? t('Leave empty to keep the current password.') : t('At least 8 characters.')}
      isSecret
      value={password.value}
      onChange={(text) => (password.value = text)}
    />
  );
}

/** An empty text leaves the password of the share unchanged. */
function passwordField({ has, text, had }: { has: boolean; text: string; had: boolean }): { password?: string | null } {
  if (!has) return { password: null };
  return had && text === '' ? {} : { password: text };
}

function endOf(hours: string): string | null {
  return hours === 'never' ? null : new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();
}
