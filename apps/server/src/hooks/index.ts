export { createHooks, type Hooks } from './hooks.ts';
export { createHooksStore } from './hooks.store.ts';
