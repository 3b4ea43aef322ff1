import { fileURLToPath } from 'node:url';
import { checkBoundaries, folderCircles, houseRules } from './boundaries.ts';
import listed from './folder-circles.json' with { type: 'json' };

const known: readonly string[] = listed;

const house = { root: fileURLToPath(new URL('..', import.meta.url)), config: houseRules };
const { violations, unseen, seen } = await checkBoundaries(house);
const circles = await folderCircles(house);

const problems = [
  ...violations,
  ...unseen.map((file) => `not looked at: ${file}`),
  ...circles.filter((arrow) => !known.includes(arrow)).map((arrow) => `no-folder-circles: ${arrow}`),
  ...known
    .filter((arrow) => !circles.includes(arrow))
    .map((arrow) => `no circle any more, take it out of folder-circles.json: ${arrow}`),
];
for (const problem of problems) console.error(problem);
console.log(`${seen} modules, ${circles.length} known arrows of folder circles, ${problems.length} problems`);
if (problems.length > 0 || seen === 0) process.exitCode = 1;
