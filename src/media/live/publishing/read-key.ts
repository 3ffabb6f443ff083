/**
 * Returns the stream key in a name that an encoder sends, without text that is often pasted with it: a query, the path
 * before it, slashes and spaces. Some encoders have one field for URL and key, and send the key as the end of the
 * application's name (`app`).
 */
export function readKey(name: string, app = ''): string {
  const [key] = [name, app].map(lastPart).filter((part) => part !== '');
  return key ?? '';
}

function lastPart(text: string): string {
  const [path = ''] = text.split('?', 1);
  const parts = path.split('/').map((part) => part.trim());
  return parts.findLast((part) => part !== '') ?? '';
}
