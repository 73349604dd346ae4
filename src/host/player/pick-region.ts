import { globals } from './browser.js'

export interface Region {
  readonly name: string
  /** What answers a small GET with CORS, such as `https://eu.example.com/healthz`: of an edge, a host, or your own. */
  readonly url: string
}

const MOST_MS = 1_500

/**
 * Returns the regions, the nearest first, each with the `ms` of a round trip. A region that fails, or that doesn't answer
 * within 1.5 s, has `Infinity`. Never rejects.
 */
export async function pickRegion<Given extends Region>(
  regions: readonly Given[],
): Promise<(Given & { readonly ms: number })[]> {
  const { AbortController, performance, setTimeout, clearTimeout } = globals()
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), MOST_MS)
  const measured = await Promise.all(
    regions.map(async (region) => {
      const times: number[] = []
      try {
        // One after the other over one connection, which the first request opens.
        while (times.length < 3) {
          const start = performance.now()
          const answer = await globals().fetch(region.url, { cache: 'no-store', signal: abort.signal })
          await answer.text()
          if (!answer.ok) throw new Error('down')
          times.push(performance.now() - start)
        }
      } catch {
        // A distant region counts with the requests that it has answered in time.
        if (!abort.signal.aborted) times.length = 0
      }
      times.sort((one, other) => one - other)
      return Object.assign({}, region, { ms: times.length ? times[(times.length - 1) >> 1]! : Infinity })
    }),
  )
  clearTimeout(timer)
  return measured.sort((one, other) => one.ms - other.ms || 0)
}
