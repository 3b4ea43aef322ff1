export { openTracer, type OpenTracer } from './open-tracer.ts';
