import type { PasskeyPlace } from '../../../src/api/dashboard/passkey-place.ts';
import { useAction } from '../base/action.ts';
import { t } from '../base/language.ts';
import { passkeyFault } from '../base/passkeys.ts';
import { signInByPasskey } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';

/** Signs in with a passkey. At any URL other than the public one, shows a link to the public one. */
export function PasskeyButton({ place }: { place: PasskeyPlace }) {
  const { isBusy, error, run } = useAction();
  const { origin, url } = place;
  if (origin === null) return null;
  if (origin !== location.origin) {
    return (
      <p class="hint">
        {t('To sign in with a passkey, open')} <a href={url}>{url}</a>
      </p>
    );
  }
  if (passkeyFault(place) !== null) return null;
  return (
    <>
      <button type="button" disabled={isBusy.value} onClick={() => void run(signInByPasskey)}>
        {t('Sign in with a passkey')}
      </button>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </>
  );
}
