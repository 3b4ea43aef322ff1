export { createRuntimesAnswer } from './answer-query.ts';
export { knownRuntimes } from './known.ts';
export { openRuntimes, runtime, type Runtime } from './runtimes-file.ts';
export { runtimesToolset } from './toolset.ts';
