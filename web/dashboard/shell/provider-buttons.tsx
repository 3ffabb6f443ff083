import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SignInFault } from '../../../src/api/dashboard/add-provider-sign-in.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { changeQuery, ownPath, query } from '../base/router.ts';
import { Notice } from '../parts/parts.tsx';

export type ProviderName = { id: string; name: string };

/** Parameter with which the service reports a failed sign-in at a provider. */
const FAULT = 'sign-in';

/** One button per sign-in provider. After the sign-in, the service redirects the browser to the page that was open. */
export function ProviderButtons({ providers }: { providers: readonly ProviderName[] }) {
  const { isBusy, error, run } = useAction();
  const start = (id: string) =>
    run(async () => {
      const { address } = await api<{ address: string }>('POST', `/dashboard/sign-in/${id}`, {
        returnTo: ownPath() + location.search,
      });
      location.assign(address);
    });
  return (
    <>
      {providers.map(({ id, name }) => (
        <button key={id} type="button" disabled={isBusy.value} onClick={() => void start(id)}>
          {t('Continue with {0}', name)}
        </button>
      ))}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </>
  );
}

/** Returns the reason why the last sign-in at a provider failed, or null. It is removed from the URL. */
export function useProviderFault(): string | null {
  const fault = useSignal(query.value.get(FAULT));
  useEffect(() => {
    if (query.value.has(FAULT)) changeQuery({ [FAULT]: '' });
  }, []);
  return fault.value === null ? null : describeFault(fault.value);
}

function describeFault(fault: string): string | null {
  const words: Readonly<Record<SignInFault, string>> = {
    denied: t('The provider did not confirm who you are, or you cancelled. Try again.'),
    unreachable: t('The provider cannot be reached. Try again later, or sign in another way.'),
    invalid: t("The provider sent an invalid response. Try again, or ask an owner to check the provider's settings."),
    expired: t('This sign-in has expired, was used before, or was started in another browser. Start again.'),
    busy: t('Too many failed sign-ins from this address. Try again in a minute.'),
    email: t('The provider sent no verified e-mail address. Confirm your address there, then try again.'),
    domain: t('This provider does not accept e-mail addresses of your domain. Ask an owner.'),
    unknown: t('You have no account here. Ask an administrator for an invitation.'),
    'no-role': t('None of your groups has a role here. Ask an administrator.'),
    disabled: t('Your account is disabled. Ask an administrator.'),
    full: t('The installation has the maximum number of people. Ask an owner to delete some.'),
    taken: t('Another account at this provider is already linked to your e-mail address. Ask an administrator.'),
  };
  return Object.entries(words).find(([known]) => known === fault)?.[1] ?? null;
}
