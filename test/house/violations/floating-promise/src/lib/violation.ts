async function save(): Promise<void> {
  await Promise.resolve();
}

export function saveLater(): void {
  save();
}
