/** The same things in any order, each order as likely as another. */
export function shuffled<Thing>(things: readonly Thing[]): Thing[] {
  return things
    .map((thing) => ({ thing, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ thing }) => thing);
}
