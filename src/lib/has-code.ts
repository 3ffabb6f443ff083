/** Whether an error has this code, like those of Node's file system and network. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
