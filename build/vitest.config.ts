import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { inlinePage } from './inline-page.mjs'
import { inlineScript } from './inline-script.mjs'
import { inlineText } from './inline-text.mjs'

/** Areas whose tests use what was built: `dist` is brought up to date before they run, and only then. */
const USES_DIST = ['process', 'package', 'cli', 'demo', 'contract/built', 'docs/built']

/** The suites of `npm run test:rest` besides those in folders of their own. */
const SLOW = 'test/**/*.slow.test.ts'
const HOST_DEMO = 'test/demo/host.test.ts'

/** Where to write the results as JSON as well; `.ci/run` counts from them. */
const resultsFile = process.env['TEST_RESULTS']

const NO_TESTS = '**/node_modules/**'
const census = 'test/support/census.ts'
const buildFirst = 'test/support/global-setup.ts'
const built = USES_DIST.map((area) => `test/${area}/**/*.test.ts`)

/** Rows of `npm test`, then of `npm run test:rest`, then one for `npm run test:cluster`. */
const projects: Record<string, TestProjectInlineConfiguration['test']> = {
  source: {
    include: ['test/**/*.test.ts'],
    exclude: [
      ...built,
      SLOW,
      'test/hosts/**',
      'test/frameworks/**',
      'test/browsers/**',
      'test/containers/**',
      'test/cluster/**',
      NO_TESTS,
    ],
    setupFiles: [census],
  },
  built: {
    include: built,
    exclude: [SLOW, HOST_DEMO, NO_TESTS],
    globalSetup: [buildFirst],
  },

  slow: {
    include: [SLOW],
    exclude: [NO_TESTS],
    setupFiles: [census],
    globalSetup: [buildFirst],
    testTimeout: 300_000,
  },
  hosts: {
    include: ['test/hosts/**/*.test.ts'],
    exclude: [NO_TESTS],
    // Installs runtimes and engines, half a gigabyte, where they are missing.
    globalSetup: [buildFirst, 'test/hosts/global-setup.ts'],
  },
  frameworks: {
    include: ['test/frameworks/**/*.test.ts'],
    exclude: [NO_TESTS],
    // Installs game server frameworks, 90 MB, where they are missing, and the runtimes, of which one is Node 22.
    globalSetup: [buildFirst, 'test/hosts/global-setup.ts', 'test/frameworks/global-setup.ts'],
  },
  browsers: {
    include: ['test/browsers/**/*.test.ts', HOST_DEMO],
    exclude: [NO_TESTS],
    globalSetup: [buildFirst],
    testTimeout: 180_000,
    // A page's beats are real time, so these don't run beside suites that keep the machine busy.
    sequence: { groupOrder: 1 },
  },

  containers: {
    include: ['test/containers/**/*.test.ts'],
    globalSetup: [buildFirst],
    testTimeout: 180_000,
  },
  cluster: {
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: [buildFirst],
    testTimeout: 180_000,
    // A node fetches an image first; a namespace goes once everything in it has ended.
    hookTimeout: 300_000,
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [inlineScript(), inlineText(), inlinePage({ quick: true })],
  test: {
    pool: 'forks',
    // The files of a worker share one process and one copy of `src`: to import it anew took most of the time of many.
    isolate: false,
    // Many tests wait for a time-out, so more workers than a small machine has cores. Browsers and runtimes get three.
    maxWorkers: 5,
    maxConcurrency: 15,
    // Generous, since a machine may be busy with much else: what a test waits for comes, or never does.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // CI's machine also runs containers and browsers beside the tests. `.ci/closing-line.mjs` names who needed it.
    retry: process.env['CI'] ? 1 : 0,
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
    projects: Object.entries(projects).map(([name, test]) => ({ extends: true, test: { name, ...test } })),
  },
})
