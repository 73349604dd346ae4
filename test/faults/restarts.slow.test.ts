import { describe } from 'vitest'
import { testRestarts } from './restart-run.js'

/** `RESTARTS=1000` for the long run. */
const times = Number(process.env['RESTARTS'] ?? 200)

describe.concurrent(`${times} restarts of the sidecar`, () => testRestarts(times))
