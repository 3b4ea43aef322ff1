export { createJsonRpcDoor } from './door.ts';
