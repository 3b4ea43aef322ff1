// Installs everything, as CI needs it.
import { ensureNode, leastToDevelop } from './node.mjs';
import { installFor } from './packages.mjs';

await ensureNode(leastToDevelop);
await installFor('all');
