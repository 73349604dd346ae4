import { defineConfig } from 'vitest/config'

/** Areas whose tests use what was built: `dist` is brought up to date before they run, and only then. */
const USES_DIST = ['package', 'cli', 'demo', 'bench']

/** Where to leave the results as JSON besides; `.ci/run` counts from them. */
const resultsFile = process.env['TEST_RESULTS']

const built = USES_DIST.map((area) => `test/${area}/**/*.test.ts`)

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
        test: { name: 'source', include: ['test/**/*.test.ts'], exclude: [...built, '**/node_modules/**'] },
      },
      {
        extends: true,
        test: { name: 'built', include: built, globalSetup: ['test/support/global-setup.ts'] },
      },
    ],
  },
})

