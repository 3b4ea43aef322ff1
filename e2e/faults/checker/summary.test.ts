import { expect, it } from 'vitest';
import { evidence, mark, op } from './a-good-run.ts';
import { createFacts, summary, violations } from './index.ts';

it('sums a run up', () => {
  const facts = createFacts(evidence({ marks: [mark(600), mark(900)] }));
  expect(summary(facts, violations(facts)).split('\n')).toEqual([
    'seed       1',
    'calls      1: succeeded 1',
    'ran        1 ops that leave marks',
    'decisions  1 of 1 clicks',
    'runs       1 of the agent: completed 1',
    'asks       1 of the agent: answered 1; 2 answers',
    'agent      1 tool calls: ok 1; 1 model requests',
    'rpc        0 requests: ',
    'faults     0: ',
    'links      stream 1',
    'on wires   1 frames, 0 posts',
    'memory     at most 88 MiB in a process',
    'violations 1',
    `  I1: ${op} ran 2 times`,
  ]);
});
