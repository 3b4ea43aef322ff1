export { createChannelsDoor } from './door.ts';
