export function trust(value: any): string {
  return value.name;
}
