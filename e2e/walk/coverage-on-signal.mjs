// Loaded into a process by --import: on SIGUSR2 it writes what was called since the last time into NODE_V8_COVERAGE.
import { takeCoverage } from 'node:v8';

process.on('SIGUSR2', takeCoverage);
