export const violation = 1;
// word word word word word word word word word word word word word word word word word word word word word word word wox
