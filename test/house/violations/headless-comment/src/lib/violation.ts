/** What is left of it. */
export const left = 1;
