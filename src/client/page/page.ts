import { QUERY, type Hints } from '../address.js'
import type { PageParts } from '../client.js'
import { createDirectMode } from '../direct/direct-mode.js'
import { createDirectOutcomes } from '../direct/direct-outcomes.js'
import { host, tryTo } from '../host.js'
import { startBeatWorker } from './beat-worker.js'
import { watchPage } from './page-life.js'

/** The settings that a script tag or the gateway may give. */
interface Settings {
  baseUrl?: string | number
  port?: string | number
  platform?: string
  autoHealth?: string | boolean
}

declare const document: { currentScript?: { dataset?: Settings } | null } | undefined

// The one thing that must be read while this file is evaluated: later, no script is the current one.
const tag = typeof document === 'object' && document?.currentScript
const script: Settings = (tag && tag.dataset) || {}

/** What a page says of its sidecar: by its script tag, the global that the gateway injects, and its query. */
function readHints(): Hints {
  const { GAMESERVER_SIDECAR: injected, location } = host()
  const global = ((typeof injected === 'object' && injected) || { baseUrl: injected }) as Settings
  const query = /[?&]sidecar=([^&]*)/.exec(String(location?.search))?.[1]
  const { autoHealth = global.autoHealth } = script
  return {
    sources: {
      '<script data-base-url or data-port>': script.baseUrl || script.port,
      // Written by whoever serves the page, while anybody can write a link.
      GAMESERVER_SIDECAR: global.baseUrl || global.port,
      [QUERY]: query && tryTo(() => decodeURIComponent(query), query),
    },
    platform: script.platform || global.platform,
    autoHealth: !/^(undefined|false)$/.test(String(autoHealth)),
  }
}

/** What the builds for pages bring. */
export const page: PageParts = { readHints, createDirectMode, createDirectOutcomes, startBeatWorker, watchPage }
