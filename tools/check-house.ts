import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { complaintsOf, type Exceptions, inspectHouse, lowered } from './house.ts';

const file = fileURLToPath(new URL('house-exceptions.json', import.meta.url));
const { findings, seen } = inspectHouse(fileURLToPath(new URL('..', import.meta.url)));

let exceptions = JSON.parse(readFileSync(file, 'utf8')) as Exceptions;
if (process.argv.includes('--write')) {
  exceptions = lowered(findings, exceptions);
  writeFileSync(file, `${JSON.stringify(exceptions, null, 2)}\n`);
}

const complaints = complaintsOf(findings, exceptions);
for (const complaint of complaints) console.error(complaint);
console.log(`${seen} files, ${complaints.length} complaints`);
if (complaints.length > 0 || seen === 0) process.exitCode = 1;
