export type { AppRouter } from './app.router.ts';
export { createTrpcDoor } from './door.ts';
