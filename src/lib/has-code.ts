/** Whether an error carries this code, as those of Node's file system and network do. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
