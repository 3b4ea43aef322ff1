export { createJsonRpcDoor, type JsonRpcDrain } from './door.ts';
