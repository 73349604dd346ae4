import WebSocket from 'ws'
import type { ClientOptions } from '../../src/index.js'

export interface CountedDials {
  /** When each request and each socket was started, refused ones included, by `now`. */
  readonly dials: readonly number[]
  readonly options: Required<Pick<ClientOptions, 'fetch' | 'WebSocket'>>
}

/** The host's own fetch and the `ws` package, counted on the client's side: a refused dial is seen by no server. */
export function countDials(now: () => number = () => performance.now()): CountedDials {
  const dials: number[] = []
  return {
    dials,
    options: {
      fetch(url, init) {
        dials.push(now())
        return fetch(url, init as object)
      },
      WebSocket: class extends WebSocket {
        constructor(url: string) {
          dials.push(now())
          super(url, { perMessageDeflate: false })
        }
      },
    },
  }
}
