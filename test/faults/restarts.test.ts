import { describe } from 'vitest'
import { testRestarts } from './restart-run.js'

describe.concurrent('15 restarts of the sidecar', () => testRestarts(15))
