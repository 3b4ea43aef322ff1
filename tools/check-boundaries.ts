import { fileURLToPath } from 'node:url';
import { checkBoundaries, houseRules } from './boundaries.ts';

const { violations, unseen, seen } = await checkBoundaries({
  root: fileURLToPath(new URL('..', import.meta.url)),
  config: houseRules,
});
for (const violation of violations) console.error(violation);
for (const file of unseen) console.error(`not looked at: ${file}`);
console.log(`${seen} modules, ${violations.length} violations, ${unseen.length} not looked at`);
if (violations.length + unseen.length > 0 || seen === 0) process.exitCode = 1;
