export const answer: number = 'forty-two';
