// The bare bridge as a server, and a port for calls.
import { createBridge } from './bridge.ts';
import { listen, serveCalls } from './serve.ts';

const bridge = createBridge();
const url = await listen(bridge.server);
console.log(`ready on ${url} calls on ${await serveCalls(bridge.call)}`);
