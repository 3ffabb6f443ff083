import { afterAll, beforeAll, expect, test } from 'vitest';
import { signUpload } from '../../sdk/src/millrace.ts';
import { startUploadFixture, type UploadFixture } from './upload-fixture.ts';

const ORIGIN = 'https://admin.example.com';

let fixture: UploadFixture;
beforeAll(async () => {
  fixture = await startUploadFixture();
});
afterAll(async () => {
  await fixture.stop();
  expect(fixture.faults).toEqual([]);
});

test('the admin page of the Payload plugin uploads with a signature and more metadata', async () => {
  const videoId = await fixture.createVideo();
  const signature = await signUpload(1, fixture.first.libraryKey, videoId);
  const headers = { ...signature, LibraryId: '1', VideoId: videoId, 'Tus-Resumable': '1.0.0', Origin: ORIGIN };
  const asked = await fetch(`${fixture.url}/tusupload`, {
    method: 'OPTIONS',
    headers: {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorizationexpire,authorizationsignature,libraryid,videoid,upload-metadata',
    },
  });
  expect([asked.ok, asked.headers.get('access-control-allow-origin')]).toEqual([
    true,
    expect.stringMatching(/\*|admin/),
  ]);
  const metadata = { filetype: 'video/mp4', title: 'Renamed', videoId, thumbnailTime: '1500' };
  const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  const opened = await fetch(`${fixture.url}/tusupload`, {
    method: 'POST',
    headers: { ...headers, 'Upload-Length': '16', 'Upload-Metadata': pairs.join(',') },
  });
  expect([opened.status, opened.headers.get('location')]).toEqual([201, expect.stringContaining('/tusupload/')]);
  const sent = await fetch(new URL(String(opened.headers.get('location')), fixture.url), {
    method: 'PATCH',
    headers: { ...headers, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
    body: Buffer.from('bytes of a video'),
  });
  expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '16']);
});
