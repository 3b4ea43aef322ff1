export { hasCode } from './has-code.ts';
export { lockHolder, takeLock } from './lock.ts';
