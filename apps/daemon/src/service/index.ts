export { findManager, tellSystem, type ServiceManager } from './manager.ts';
