import { messageOrder } from '../../rpc-order.ts';
import { grouped, type Facts } from './facts.ts';

const isEnd = (word: string) => word === 'result' || word === 'failure';

/** A server that is stopped ends open requests wherever they are. */
const stopped = 'error 16';

/** On each socket a request has at most one last frame, and a message the order of the specification. */
export const framesInOrder = (facts: Facts): string[] =>
  facts.of('rpc-request').flatMap(({ id, user, method, words, outcome }) => {
    const ends = words.filter(isEnd).length;
    const name = `${id} of user ${user}`;
    if (ends > 1) return [`${name} has ${ends} ends`];
    if (ends === 0) return [];
    const shown = words.join(' ');
    const isWhole = method === 'agent.send' && outcome !== stopped;
    const isRight = isWhole ? messageOrder.test(shown) : isEnd(words.at(-1) ?? '');
    return isRight ? [] : [`${name}: ${shown}`];
  });

/** Answers of the door itself: the same request may have another one later. */
const passing = new Set(['error 5', 'error 10', stopped]);

/** Who asks again for a request gets the same answer, and in the end there is one. */
export const oneAnswer = (facts: Facts): string[] =>
  [...grouped(facts.of('rpc-request'), ({ key, user, by }) => `${key} of the ${by} of user ${user}`)].flatMap(
    ([name, asked]) => {
      const all = asked.flatMap(({ outcome }) => outcome ?? []);
      const lasting = new Set(all.filter((outcome) => !passing.has(outcome)));
      const isDue = asked.some(({ by, method }) => by === 'token' || method === 'agent.send');
      return [
        ...(lasting.size > 1 ? [`${name} has ${lasting.size} answers: ${[...lasting].join(', ')}`] : []),
        ...(isDue && all.length === 0 ? [`${name} has no answer`] : []),
      ];
    },
  );
