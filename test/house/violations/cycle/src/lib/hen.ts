import { egg } from './egg.ts';

export const hen = (): unknown => egg;
