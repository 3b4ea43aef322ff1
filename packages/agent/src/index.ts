export type * from './agent.ts';
export * from './ports.ts';
export * from './rows.ts';
export * from './store-port.ts';
export { createFeed, type Feed } from './threads/feed.ts';
export { createThreads, newThreadRow, type ThreadsNeeds } from './threads/threads.ts';
