// The list is read anew after each change.
export const list = [];
