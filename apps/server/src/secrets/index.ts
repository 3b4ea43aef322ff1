export { createSealer, type Sealer } from './sealer.ts';
export { readSecret } from './server-secret.ts';
