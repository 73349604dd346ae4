import { createApi } from './api.js'
import type { Api } from './api.js'
import { startFeed } from './feed.js'
import type { FeedListener } from './feed.js'

/** Where the page has all that it shows from: a sidecar, or a session that was recorded. */
export interface Source {
  readonly api: Api
  /** It is over: nothing more happens, and nothing can be done to it. */
  readonly isRecorded: boolean
  follow(listener: FeedListener): { retry(): void }
}

/** The sidecar that served this page. */
export function liveSource(token: string | undefined): Source {
  const api = createApi(token)
  return { api, isRecorded: false, follow: (listener) => startFeed(api, listener) }
}
