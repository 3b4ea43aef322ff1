export { createFacts } from './facts.ts';
export { invariants, violations } from './invariants.ts';
export { summary } from './summary.ts';
