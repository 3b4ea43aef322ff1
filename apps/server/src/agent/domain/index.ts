export { createN8n } from './n8n/adapter.ts';
