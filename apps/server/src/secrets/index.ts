export { createSealer, type Sealer } from './sealer.ts';
export { readOrCreate, readSecret } from './server-secret.ts';
