import { fetch } from 'undici';

export const get = fetch;
