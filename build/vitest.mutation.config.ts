import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests of the client that don't wait for seconds, for `npm run test:mutation`. */
const FAST = ['test/client/**/*.test.ts', 'test/faults/{calls,close,faults,time}.test.ts']

const chosen = process.env['MUTATION_TESTS']

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: chosen ? [chosen] : FAST,
    exclude: ['test/client/direct.test.ts', 'test/client/heartbeat*.test.ts', '**/node_modules/**'],
    testTimeout: 20_000,
  },
})
