export { lastingCopy } from './lasting-copy.ts';
export { findManager, tellSystem, type ServiceManager } from './manager.ts';
