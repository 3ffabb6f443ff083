export const nobody = 'imports this';
