export { hasCode } from './has-code.ts';
export { takeLock, type Lock } from './lock.ts';
