import type { PageParts } from '../client.js'
import { createDirectMode } from '../direct/direct-mode.js'
import { createDirectOutcomes } from '../direct/direct-outcomes.js'
import { startBeatWorker } from './beat-worker.js'
import { readHints } from './hints.js'
import { watchPage } from './page-life.js'

/** What the builds for pages bring. */
export const page: PageParts = { readHints, createDirectMode, createDirectOutcomes, startBeatWorker, watchPage }
