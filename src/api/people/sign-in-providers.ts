import { Type } from 'typebox';
import type { SignInProvider } from '../../catalog/people/sign-in-provider.ts';
import type { NewProvider, SignInProviderStore } from '../../catalog/people/sign-in-provider-store.ts';
import { findIssuerFault } from '../../lib/openid-connect.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import {
  CreateSignInProviderModel,
  SignInProviderList,
  SignInProviderModel,
  UpdateSignInProviderModel,
} from '../models/sign-in-provider.ts';
import { guidParam, NoParams } from '../read-params.ts';

type Deps = { providers: SignInProviderStore; publicUrl: string | null };

const ProviderParams = Type.Object({ providerId: guidParam('sign-in provider') });
const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const DEFAULTS = {
  clientSecret: null,
  scopes: 'openid email profile',
  emailDomains: [],
  trustsEmail: false,
  defaultRole: null,
  groupClaim: null,
  groupRoles: [],
} satisfies Partial<NewProvider>;

/** Not part of the hosted API. */
export const listSignInProviders = defineOperation({
  name: 'listSignInProviders',
  method: 'GET',
  path: '/sign-in-providers',
  description: 'Lists the OpenID Connect providers with which people sign in to the dashboard, by name.',
  auth: 'account-key',
  permission: 'sign-in.manage',
  params: NoParams,
  answer: SignInProviderList,
  errorShape: 'core',
  async run(_request, { providers, publicUrl }: Deps) {
    return (await providers.list()).map((provider) => toModel(provider, publicUrl));
  },
});

/** Not part of the hosted API. */
export const createSignInProvider = defineOperation({
  name: 'createSignInProvider',
  method: 'POST',
  path: '/sign-in-providers',
  description: 'Adds an OpenID Connect provider with which people sign in. Register `CallbackUrl` there.',
  auth: 'account-key',
  permission: 'sign-in.manage',
  params: NoParams,
  body: CreateSignInProviderModel,
  answer: SignInProviderModel,
  answerStatus: 201,
  refusals: { invalid: 400 },
  errorShape: 'core',
  async run({ body }, { providers, publicUrl }: Deps) {
    const { Name: name, Issuer: issuer, ClientId: clientId } = body;
    const wanted = { ...DEFAULTS, name, issuer, clientId, ...readChange(body) };
    return toModel(await providers.create(wanted), publicUrl);
  },
});

/** Not part of the hosted API. */
export const updateSignInProvider = defineOperation({
  name: 'updateSignInProvider',
  method: 'POST',
  path: '/sign-in-providers/{providerId}',
  description: 'Changes a sign-in provider. Fields that are not sent stay unchanged, including the client secret.',
  auth: 'account-key',
  permission: 'sign-in.manage',
  params: ProviderParams,
  body: UpdateSignInProviderModel,
  answer: SignInProviderModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { providerId }, body }, { providers, publicUrl }: Deps) {
    return toModel(await providers.update(providerId, readChange(body)), publicUrl);
  },
});

/** Not part of the hosted API. */
export const deleteSignInProvider = defineOperation({
  name: 'deleteSignInProvider',
  method: 'DELETE',
  path: '/sign-in-providers/{providerId}',
  description: 'Deletes a sign-in provider. People who used it remain, with their sessions and roles.',
  auth: 'account-key',
  permission: 'sign-in.manage',
  params: ProviderParams,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { providerId } }, { providers }: Deps) {
    await providers.remove(providerId);
    return null;
  },
});

/** Reads the sent fields. Absent fields are absent in the result. */
function readChange(body: UpdateSignInProviderModel): Partial<NewProvider> {
  const { DefaultRole: defaultRole, EmailDomains: domains, GroupRoles: groups } = body;
  if (defaultRole === 'owner') {
    throw new Refused('invalid', 'Expected a default role other than owner, because everybody would get it.', {
      field: 'DefaultRole',
    });
  }
  return {
    ...(body.Name !== undefined && { name: readName(body.Name) }),
    ...(body.Issuer !== undefined && { issuer: readIssuer(body.Issuer) }),
    ...(body.ClientId !== undefined && { clientId: body.ClientId }),
    ...(body.ClientSecret !== undefined && { clientSecret: body.ClientSecret }),
    ...(body.Scopes !== undefined && { scopes: readScopes(body.Scopes) }),
    ...(domains !== undefined && { emailDomains: domains.map(readDomain) }),
    ...(body.TrustsEmail !== undefined && { trustsEmail: body.TrustsEmail }),
    ...(defaultRole !== undefined && { defaultRole }),
    ...(body.GroupClaim !== undefined && { groupClaim: body.GroupClaim }),
    ...(groups !== undefined && {
      groupRoles: groups.map(({ Group, Role, LibraryId = null }) => ({
        group: Group,
        role: Role,
        libraryId: LibraryId,
      })),
    }),
  };
}

function readName(sent: string): string {
  const name = sent.trim();
  if (name !== '') return name;
  throw new Refused('invalid', 'Expected the name on the button of the sign-in screen, got only spaces.', {
    field: 'Name',
  });
}

function readIssuer(sent: string): string {
  const issuer = sent.trim();
  const fault = findIssuerFault(issuer);
  if (fault === null) return issuer;
  const message = `Expected the https URL of an OpenID Connect issuer, got ${fault}. Correct it.`;
  throw new Refused('invalid', message, { field: 'Issuer' });
}

function readScopes(sent: string): string {
  const scopes = sent.trim();
  if (SCOPES.test(scopes) && scopes.split(' ').includes('openid')) return scopes;
  const message = `Expected scopes with openid, separated by spaces, got ${quote(scopes)}. Correct them.`;
  throw new Refused('invalid', message, { field: 'Scopes' });
}

function readDomain(sent: string): string {
  const domain = sent.trim().toLowerCase();
  if (DOMAIN.test(domain)) return domain;
  throw new Refused('invalid', `Expected a domain such as example.com, got ${quote(sent)}.`, { field: 'EmailDomains' });
}

function toModel(provider: SignInProvider, publicUrl: string | null): SignInProviderModel {
  return {
    Id: provider.id,
    Name: provider.name,
    Issuer: provider.issuer,
    ClientId: provider.clientId,
    HasClientSecret: provider.clientSecret !== null,
    Scopes: provider.scopes,
    EmailDomains: [...provider.emailDomains],
    TrustsEmail: provider.trustsEmail,
    DefaultRole: provider.defaultRole,
    GroupClaim: provider.groupClaim,
    GroupRoles: provider.groupRoles.map(({ group, role, libraryId }) => ({
      Group: group,
      Role: role,
      LibraryId: libraryId,
    })),
    CallbackUrl: `${publicUrl ?? ''}/dashboard/sign-in/${provider.id}/callback`,
    LogoutUrl: `${publicUrl ?? ''}/dashboard/sign-in/${provider.id}/logout`,
    DateCreated: wireTime(provider.createdAt),
  };
}
