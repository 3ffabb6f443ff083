/** Three talks on different subjects. */
export const TALKS = [
  'Today we bake a loaf of bread. First weigh the flour and the water. The dough needs ten grams of salt. Knead ' +
    'the dough until it is smooth. The yeast makes the dough rise in an hour. Shape the loaf and let the bread ' +
    'rest. Heat the oven until the stone is hot. Bake the bread for forty minutes. A good loaf of bread sounds ' +
    'hollow. Let the bread cool before you cut the loaf.',
  'A telescope gathers the light of distant stars. The mirror of the telescope must be clean. Point the telescope ' +
    'at the moon first. Jupiter and its moons are easy to find. The rings of Saturn need a larger mirror. Stars ' +
    'twinkle because the air moves. A galaxy is a city of stars. The light of a galaxy is millions of years old. ' +
    'Keep the telescope away from street light. Write down each star that you find.',
  'Your bicycle deserves a careful repair. Turn the bicycle over and look at the chain. A dry chain wears the ' +
    'sprockets. Clean the chain with a brush and oil it. The brake pads must not touch the tyre. Tighten the brake ' +
    'cable with a small wrench. A flat tyre is mended in ten minutes. Take the tyre off with two levers. Pump the ' +
    'tyre until it is firm. Ride the bicycle slowly and test the brake.',
] as const;

/**
 * Returns the sentences of talks as timed cues. One begins every `stepSec` seconds, and half a second separates them.
 */
export function timedSentences(talks: readonly string[], stepSec: number) {
  const sentences = talks.flatMap((talk) => talk.split(/(?<=\.) /));
  return sentences.map((text, index) => ({ text, startSec: index * stepSec, endSec: (index + 1) * stepSec - 0.5 }));
}

/** Returns the timed sentences of talks as a WebVTT file. */
export function talksVtt(talks: readonly string[], stepSec: number): string {
  const time = (sec: number) =>
    `${String(Math.floor(sec / 60)).padStart(2, '0')}:${(sec % 60).toFixed(3).padStart(6, '0')}`;
  const cues = timedSentences(talks, stepSec).map(
    ({ text, startSec, endSec }) => `${time(startSec)} --> ${time(endSec)}\n${text}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}
