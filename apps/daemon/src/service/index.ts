export { ownManager, type ServiceManager } from './manager.ts';
