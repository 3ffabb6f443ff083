/** Types of the parts of oidc-provider that the tests use. The package has none. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Grant = { addOIDCScope(scopes: string): void; save(): Promise<string> };
  type Context = {
    oidc: {
      client: { clientId: string };
      session: { accountId: string };
      provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant };
    };
  };

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly AuthorizationCode: { prototype: { consume(): Promise<void> } };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }
}
