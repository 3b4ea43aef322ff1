export type * from './agent.ts';
export * from './ports.ts';
export * from './rows.ts';
export * from './store-port.ts';
