export { createDaemonDoor } from './door.ts';
