export type * from './agent.ts';
export * from './ports.ts';
export * from './rows.ts';
export * from './store-port.ts';
export * from './tools/domain-access.ts';
export * from './tools/names.ts';
export * from './tools/schema-limits.ts';
export { createFeed, type Feed } from './threads/feed.ts';
export { createThreads, newThreadRow, type ThreadsNeeds } from './threads/threads.ts';
