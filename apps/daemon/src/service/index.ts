export { findManager, runSystemCommand as tellSystem, type ServiceManager } from './manager.ts';
