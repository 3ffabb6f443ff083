import type { SOURCE_FIELDS, SourceField } from '../../../src/catalog/imports/source-fields.ts';
import { t } from '../base/language.ts';

export type Source = keyof typeof SOURCE_FIELDS;
type Row = { field: SourceField; label: string; hint?: string; isSecret?: boolean };

/** Services to import from, with their fields: first those that are needed, then those for special cases. */
export function importSources(): Readonly<Record<Source, { title: string; rows: Row[]; more: Row[] }>> {
  const apiUrl: Row = { field: 'apiUrl', label: t('API URL of the source') };
  const stream: Row[] = [
    { field: 'sourceLibraryId', label: t('Library ID at the source') },
    {
      field: 'accountKey',
      label: t('Account key of the source'),
      hint: t('Used to look up the URL of the files and the token key.'),
      isSecret: true,
    },
  ];
  const withoutAccount: Row[] = [
    { field: 'accessKey', label: t('Library key of the source'), isSecret: true },
    { field: 'cdnUrl', label: t('Base URL of the files'), hint: t('Such as https://vz-1234.b-cdn.net') },
    { field: 'securityKey', label: t('Token key of the files'), isSecret: true },
  ];
  const token: Row = { field: 'accessKey', label: t('API token'), isSecret: true };
  return {
    bunny: { title: t('bunny Stream'), rows: stream, more: withoutAccount },
    millrace: { title: t('Another Millrace'), rows: [apiUrl, ...stream], more: withoutAccount },
    s3: {
      title: t('S3 bucket'),
      rows: [
        { field: 'bucket', label: t('Bucket') },
        { field: 'accessKey', label: t('Access key ID') },
        { field: 'secretKey', label: t('Secret access key'), isSecret: true },
        { field: 'prefix', label: t('Folder in the bucket'), hint: t('The whole bucket by default.') },
      ],
      more: [
        { field: 'apiUrl', label: t('S3 endpoint'), hint: t('Amazon S3 by default.') },
        { field: 'region', label: t('Region'), hint: t('us-east-1 by default.') },
      ],
    },
    peertube: {
      title: t('PeerTube'),
      rows: [
        { ...apiUrl, hint: t('Such as https://peertube.example.com') },
        { field: 'account', label: t('User name') },
        { field: 'secretKey', label: t('Password'), isSecret: true },
      ],
      more: [{ ...token, hint: t('Instead of the user name and the password.') }],
    },
    mux: {
      title: t('Mux'),
      rows: [
        { field: 'accessKey', label: t('Token ID') },
        { field: 'secretKey', label: t('Token secret'), isSecret: true },
      ],
      more: [],
    },
    cloudflare: {
      title: t('Cloudflare Stream'),
      rows: [
        { field: 'account', label: t('Account ID') },
        { ...token, hint: t('With the permission to edit Stream, because files are made on request.') },
      ],
      more: [],
    },
    vimeo: {
      title: t('Vimeo'),
      rows: [{ ...token, hint: t('With the scopes public, private and video_files.') }],
      more: [],
    },
    mediacms: {
      title: t('MediaCMS'),
      rows: [{ ...apiUrl, hint: t('Such as https://mediacms.example.com') }, token],
      more: [{ field: 'account', label: t('Only videos of this user') }],
    },
  };
}
