import type { FastifyRequest } from 'fastify';
import type { SignInProvider } from '../../catalog/people/sign-in-provider.ts';
import { readGuid } from '../../lib/guid.ts';
import type { OpenIdClient } from '../../lib/openid-connect.ts';
import { Refused } from '../../lib/refused.ts';
import type { DashboardDeps } from './dashboard-deps.ts';

/** Returns the provider in the path of a request. Throws `Refused` (`not-found`) if there is none. */
export async function loadProvider(
  { params }: FastifyRequest,
  { providers }: Pick<DashboardDeps, 'providers'>,
): Promise<SignInProvider> {
  const { providerId = '' }: { providerId?: string } = Object(params);
  const id = readGuid(providerId);
  if (id === null) throw new Refused('not-found', 'This sign-in provider does not exist. Reload the page.');
  return providers.load(id);
}

/** Returns the client that is registered at a provider. Its key changes with each change of the provider. */
export function toClient({ id, modifiedAt, ...provider }: SignInProvider): OpenIdClient {
  return { ...provider, key: `${id} ${modifiedAt.getTime()}` };
}
