import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import https, { type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isObject } from '../../../src/protocol/is-object.js'
import { binaries } from '../../contract/support/releases.js'
import { atExit } from '../../../src/local/game/processes.js'
import { secretFolder } from './leftovers.js'

/** What is missing for a suite that plays on a cluster. */
export const missing: readonly string[] = [
  ...(process.env['KUBECONFIG'] ? [] : ['KUBECONFIG names no cluster']),
  ...(binaries.length > 0 ? [] : ['SDK_SERVER names no binary of a sidecar']),
  ...(spawnSync('kubectl', ['version', '--client']).status === 0 ? [] : ['kubectl is not in PATH']),
]

/** The cluster that `KUBECONFIG` names. */
export interface Api {
  get<T>(path: string): Promise<T>
  /** The answer, or undefined where there is nothing at that path. */
  find<T>(path: string): Promise<T | undefined>
  create<T = unknown>(path: string, body: object): Promise<T>
  /** Changes the fields that are given (a JSON merge patch). */
  patch(path: string, body: object): Promise<void>
  /** Deletes; what is gone already counts as deleted. */
  remove(path: string, options?: object): Promise<void>
  /** The answer as it is, whatever its status. */
  ask: Ask
  close(): Promise<void>
}

/** Sends a request, with the body as it is if it is text. */
export type Ask = (method: string, path: string, body?: object | string) => Promise<Answer>

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What the API server refused, in its own words. */
class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
  }
}

/**
 * Speaks to the API through `kubectl proxy`, which knows every way to be let in. It listens on a socket in a folder that
 * only this user may enter: a port would let in everybody on the machine.
 */
export async function openApi(): Promise<Api> {
  const folder = secretFolder()
  const socketPath = join(folder.path, 'api')
  const proxy = spawn('kubectl', ['proxy', `--unix-socket=${socketPath}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(proxy, 'exit')
  const forget = atExit(() => proxy.kill())
  const listens = once(createInterface({ input: proxy.stdout }), 'line')
  await Promise.race([
    listens,
    ended.then(() => {
      folder.remove()
      throw new Error('kubectl proxy ended at once: does `kubectl get namespaces` work?')
    }),
  ])

  const ask = askAt({ socketPath })
  async function send<T>(method: string, path: string, asked?: object): Promise<T> {
    const { status, body } = await ask(method, path, asked)
    if (status < 400) return body as T
    throw new ApiError(status, `${method} ${path}: ${reasonIn(body)}`)
  }

  const unlessMissing = (error: unknown): undefined => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  }

  return {
    get: (path) => send('GET', path),
    find: <T>(path: string) => send<T>('GET', path).catch(unlessMissing),
    create: (path, body) => send('POST', path, body),
    patch: (path, body) => send('PATCH', path, body),
    remove: (path, options) => send<undefined>('DELETE', path, options).catch(unlessMissing),
    ask,
    async close() {
      proxy.kill()
      await ended
      forget()
      folder.remove()
    },
  }
}

const reasonIn = (body: unknown): string => (isObject(body) ? String(body['message']) : String(body))

/** Asks at an address, by HTTP or, with certificates, by HTTPS. A body that isn't JSON is given as text. */
export function askAt(address: RequestOptions): Ask {
  return async (method, path, body = '') => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = {
      'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      // Node wouldn't say it for a DELETE by itself.
      'Content-Length': Buffer.byteLength(sent),
    }
    const asked = (address.cert === undefined ? http : https).request({ ...address, method, path, headers })
    asked.end(sent)
    const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }]
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return { status: response.statusCode, body: parsed(text) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A node that has to fetch an image first takes its time. */
const PATIENCE = 120_000

/** Asks again and again until there is an answer. The test's own time limit ends it, and `what` says what was missing. */
export async function until<T>(what: string, ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const started = Date.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() - started > PATIENCE) throw new Error(`Waited ${PATIENCE / 1000} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
