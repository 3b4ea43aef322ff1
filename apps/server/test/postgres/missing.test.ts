import { it } from 'vitest';
import { describeWith } from '../../../../e2e/services.ts';

// It runs alone, in place of all tests of this project, where there is no Postgres.
describeWith('postgresql')('the server on Postgres', () => it('is tested', () => {}));
