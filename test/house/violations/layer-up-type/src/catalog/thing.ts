export type Thing = number;
