import { defineConfig } from 'vitest/config'

/** Areas whose tests use what was built: `dist` is brought up to date before they run, and only then. */
const USES_DIST = ['process', 'package', 'cli', 'demo', 'contract/built', 'docs/built']

/** Where to leave the results as JSON besides; `.ci/run` counts from them. */
const resultsFile = process.env['TEST_RESULTS']

const built = USES_DIST.map((area) => `test/${area}/**/*.test.ts`)

/** Uses what was built too, in runtimes and engines that are installed when they are missing. */
const hosts = ['test/hosts/**/*.test.ts']

/** The same, in real browsers. */
const browsers = ['test/browsers/**/*.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: [...built, ...hosts, ...browsers, '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: { name: 'built', include: built, globalSetup: ['test/support/global-setup.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'hosts',
          include: hosts,
          exclude: ['**/node_modules/**'],
          globalSetup: ['test/support/global-setup.ts', 'test/hosts/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browsers',
          include: browsers,
          exclude: ['**/node_modules/**'],
          globalSetup: ['test/support/global-setup.ts', 'test/browsers/global-setup.ts'],
          testTimeout: 60_000,
          // A page's beats are real time, so not beside what keeps the machine busy.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
