import { describe, it } from 'vitest';
import { services, type Service } from './service-table.ts';
import { skipReason } from './skipped.ts';

const required = process.env.REQUIRE_SERVICES === '1';

/**
 * `describe` for tests that need services: without one of them the tests are skipped, and the end of the run
 * gives the reason. With `REQUIRE_SERVICES=1` they fail instead, but for those that are optional.
 */
export const describeWith =
  (...needed: Service[]) =>
  (name: string, tests: () => void): void => {
    const missing = needed.filter((service) => !services[service].isThere());
    const needsMore = missing.filter((service) => services[service].isOptional !== true);
    if (missing.length === 0) describe(name, tests);
    else if (required && needsMore.length > 0) {
      describe(name, () => {
        it('has what it needs', () => {
          throw new Error(`REQUIRE_SERVICES=1, and there is no ${needsMore.join(', no ')}`);
        });
      });
    } else describe.skip(`${name} ${skipReason(missing)}`, tests);
  };
