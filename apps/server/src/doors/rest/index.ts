export { createRestDoor } from './door.ts';
