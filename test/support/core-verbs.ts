/** Verbs of operations that clients of the account API call. */
export const CORE_VERBS = [
  ...['countries', 'regions', 'traffic', 'zones add', 'zones rm', 'zones force-ssl'],
  ...['zones check-certificate', 'zones add-certificate', 'zones rm-certificate'],
];
