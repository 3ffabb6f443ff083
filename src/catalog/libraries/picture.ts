/** Whether bytes begin as a PNG (RFC 2083 section 3.1), a JPEG (ITU-T T.81 B.1.1) or a WebP (RFC 9649 section 2.4) picture. */
export function isPicture(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return (
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('\xff\xd8\xff') ||
    (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP')
  );
}
