export type State = 'queued' | 'failed';

export function describe(state: State): string {
  switch (state) {
    case 'queued':
      return 'waits';
  }
  return '';
}
