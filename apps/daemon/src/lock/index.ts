export { hasCode } from './has-code.ts';
export { takeLock } from './lock.ts';
