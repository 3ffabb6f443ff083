export function countBytes(text: string): number {
  return Buffer.byteLength(text);
}
