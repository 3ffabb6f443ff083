import { X509Certificate } from 'node:crypto';
import { Type } from 'typebox';
import type { PullZoneStore, PullZoneView } from '../../catalog/pull-zones/pull-zone-store.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { readCertificate } from '../../lib/tls/read-tls-pair.ts';
import { defineOperation } from '../define-operation.ts';
import type { HostnameModel } from '../models/pull-zone.ts';
import {
  AddCertificateRequestModel,
  ForceSSLRequestModel,
  RemoveCertificateRequestModel,
} from '../models/pull-zone.ts';
import { idParam, NoParams } from '../read-params.ts';
import { toPullZoneModel, type ZoneAddress } from './pull-zone-model.ts';

/*
 * TLS has one owner: this service with one certificate for all host names (`MILLRACE_TLS_CERTIFICATE`), or the proxy in
 * front of it. The operations of the hosted API succeed if the requested state is the current one, and otherwise refuse
 * with a sentence about who can change it.
 */

type Deps = ZoneAddress & { pullZones: PullZoneStore };

const COMMON = {
  auth: 'account-key',
  permission: 'account.manage',
  answer: null,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
} as const;
const OF_ZONE = { ...COMMON, params: Type.Object({ id: idParam('pull zone') }), answerStatus: 204 } as const;

/** Succeeds for a host name that the certificate of this service covers. Certificates are obtained by the proxy. */
export const loadFreeCertificate = defineOperation({
  ...COMMON,
  name: 'loadFreeCertificate',
  method: 'GET',
  path: '/pullzone/loadFreeCertificate',
  description:
    'Checks that a hostname has a certificate. Millrace obtains none itself: the proxy in front of it does, or the ' +
    'operator provides one.',
  exampleQuery: 'hostname=shop.example',
  keyScope: 'write',
  params: NoParams,
  query: Type.Object({ hostname: Type.String({ default: '' }), useOnlyHttp01: Type.Boolean({ default: true }) }),
  async run({ query: { hostname } }, deps: Deps) {
    const name = hostname.trim().toLowerCase();
    if (name === '') {
      throw new Refused('invalid', 'Expected a hostname, got none. Send the host name of a pull zone.', {
        field: 'Hostname',
      });
    }
    const zone = await deps.pullZones.findByHostname(name);
    if (zone === null) {
      throw new Refused(
        'not-found',
        `No pull zone has the host name ${quote(hostname)}. Check the name, or add it to a pull zone.`,
        { field: 'Hostname' },
      );
    }
    if (findHostname(zone, name, deps).HasCertificate) return null;
    throw cannot(`obtains no certificates, and has none for ${quote(name)}`, 'Certificate');
  },
});

/** Succeeds for the certificate that this service already uses. The key is not read. */
export const addCertificate = defineOperation({
  ...OF_ZONE,
  name: 'addCertificate',
  method: 'POST',
  path: '/pullzone/{id}/addCertificate',
  description: 'Checks that a hostname has this certificate. Certificates are configured in the service or its proxy.',
  body: AddCertificateRequestModel,
  async run({ params, body }, deps: Deps) {
    const hostname = findHostname(await deps.pullZones.load(params.id), body.Hostname, deps);
    const sent = readSent(body.Certificate);
    const isCurrent = readCertificate(deps.tls)?.fingerprint256 === sent.fingerprint256;
    if (isCurrent && hostname.HasCertificate) return null;
    throw cannot(`does not store certificates of single host names, such as ${quote(body.Hostname)}`, 'Certificate');
  },
});

/** Succeeds for a host name without a certificate. */
export const removeCertificate = defineOperation({
  ...OF_ZONE,
  name: 'removeCertificate',
  method: 'DELETE',
  path: '/pullzone/{id}/removeCertificate',
  description: 'Checks that a hostname has no certificate. Certificates are configured in the service or its proxy.',
  body: RemoveCertificateRequestModel,
  async run({ params, body }, deps: Deps) {
    const hostname = findHostname(await deps.pullZones.load(params.id), body.Hostname, deps);
    if (!hostname.HasCertificate) return null;
    throw cannot(`uses one certificate for all host names, also for ${quote(body.Hostname)}`, 'Hostname');
  },
});

/** Succeeds if the host name already has the requested state: a service with TLS accepts nothing else. */
export const setForceSsl = defineOperation({
  ...OF_ZONE,
  name: 'setForceSsl',
  summary: 'Force SSL',
  method: 'POST',
  path: '/pullzone/{id}/setForceSSL',
  description: 'Checks whether a hostname accepts only HTTPS. A service with a certificate does, for all hostnames.',
  body: ForceSSLRequestModel,
  async run({ params, body }, deps: Deps) {
    const hostname = findHostname(await deps.pullZones.load(params.id), body.Hostname, deps);
    if (hostname.ForceSSL === body.ForceSSL) return null;
    const state = hostname.ForceSSL ? 'only HTTPS' : 'HTTP, and leaves HTTPS to the proxy in front of it';
    throw cannot(`accepts ${state}, for all host names`, 'ForceSSL');
  },
});

function findHostname(zone: PullZoneView, sent: string, deps: ZoneAddress): HostnameModel {
  const name = sent.trim().toLowerCase();
  const found = toPullZoneModel(zone, deps).Hostnames.find(({ Value }) => Value === name);
  if (found !== undefined) return found;
  throw new Refused('invalid', `Pull zone ${zone.id} has no host name ${quote(sent)}. Check the name.`, {
    field: 'Hostname',
  });
}

/** Reads a certificate in PEM, as base64 of the file or as it is. */
function readSent(text: string): X509Certificate {
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8');
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new Refused('invalid', 'Expected the base64 of a certificate in PEM, got something else. Check the file.', {
      field: 'Certificate',
      cause,
    });
  }
}

function cannot(reason: string, field: string): Refused {
  return new Refused(
    'invalid',
    `Millrace ${reason}. Configure HTTPS in the proxy in front of it, or set MILLRACE_TLS_CERTIFICATE to a ` +
      'certificate that covers all host names.',
    { field },
  );
}
