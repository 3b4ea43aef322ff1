export { createMcpDoor } from './door.ts';
