export type * from './agent.ts';
export * from './ports.ts';
export * from './rows.ts';
export * from './store-port.ts';
export * from './tools/domain-access.ts';
export * from './tools/names.ts';
export * from './tools/schema-limits.ts';
