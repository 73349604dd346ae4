import { onTestFinished } from 'vitest'
import { createFleetServer } from '../../../src/local/fleet/fleet-server.js'
import { createTestFleet, type TestFleet, type TestFleetOptions } from '../../fleet/support/test-fleet.js'
import { linesOf } from '../../support/lines-of.js'
import { listenHere } from '../../support/listen.js'

export const AGONES = '/apis/agones.dev/v1/namespaces/default'
export const AUTOSCALING = '/apis/autoscaling.agones.dev/v1/namespaces/default'
export const ALLOCATE = '/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations'

/** What a test reads of the API's objects. */
export interface Answered {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: Readonly<Record<string, string>> & {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
  readonly items: readonly Answered[]
  readonly [field: string]: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Answered
}

export interface WatchEvent {
  readonly type: string
  readonly object: Answered
}

/** A watch as a client reads it. */
export interface Watch {
  /** The next event; undefined at the end. */
  next(): Promise<WatchEvent | undefined>
  take(count: number): Promise<WatchEvent[]>
}

export interface ServedFleet extends TestFleet {
  readonly port: number
  readonly url: string
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  patch(path: string, kind: 'merge' | 'json' | 'apply' | 'strategic-merge', body: unknown): Promise<Answer>
  watch(path: string): Promise<Watch>
  /** Ends every watch, and the server. */
  close(): Promise<void>
}

/** Serves a Fleet with real sidecars on a port of this machine, behind the guard of a developer's machine. */
export async function serveFleet(options: TestFleetOptions = {}): Promise<ServedFleet> {
  const fleet = createTestFleet(options)
  const { server, close } = createFleetServer({
    ...{ fleet: fleet.model, beatsOf: () => undefined, allowHosts: [], allowOrigins: [] },
    onFault: (error) => console.error(error),
  })
  onTestFinished(close)
  const port = await listenHere(server)
  const url = `http://127.0.0.1:${port}`

  const ask: ServedFleet['ask'] = async (method, path, body, headers) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(url + path, {
      method,
      ...(text === undefined ? {} : { body: text }),
      headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    })
    const { status } = answer
    return { status, headers: answer.headers, body: (await answer.json()) as Answered }
  }
  return {
    ...fleet,
    ...{ port, url, ask, close },
    patch(path, kind, body) {
      const form = kind === 'apply' ? 'yaml' : 'json'
      return ask('PATCH', path, body, { 'content-type': `application/${kind}-patch+${form}` })
    },
    async watch(path) {
      const answer = await fetch(`${url}${path}${path.includes('?') ? '&' : '?'}watch=1`)
      const events = linesOf(answer)
      const next: Watch['next'] = async () => {
        const { done, value } = await events.next()
        return done ? undefined : (JSON.parse(value) as WatchEvent)
      }
      return {
        next,
        async take(count) {
          const taken: WatchEvent[] = []
          while (taken.length < count) taken.push((await next())!)
          return taken
        },
      }
    },
  }
}
