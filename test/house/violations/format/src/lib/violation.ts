export const answer = {a:1}
