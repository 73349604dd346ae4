import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { browserFlags } from '../../../src/node/host/browser/browser-flags.js'
import { DevtoolsError, type DevtoolsSession } from '../../../src/node/host/browser/devtools.js'
import { findBrowser } from '../../../src/node/host/browser/find-browser.js'

interface Message {
  readonly id?: number
  readonly sessionId?: string
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

export interface RawBrowser {
  readonly pid: number
  readonly session: DevtoolsSession
  /** Bytes that the browser has sent. */
  readonly received: () => number
  openPage(): Promise<{ readonly targetId: string; readonly session: DevtoolsSession }>
  sessionOf(sessionId: string): DevtoolsSession
  close(): Promise<void>
}

/** A browser over a pipe with no supervision at all, for the parts that are tried alone. */
export async function startRawBrowser(options: { maxOldSpace?: number } = {}): Promise<RawBrowser> {
  const profileDir = await mkdtemp(join(tmpdir(), 'raw-browser-'))
  const { path } = findBrowser(undefined)
  const child = spawn(path, browserFlags({ sandbox: false, profileDir, ...options }), {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: profileDir },
  })
  const input = child.stdio[3] as Writable
  const output = child.stdio[4] as Readable
  input.on('error', () => undefined)
  const answers = new Map<number, (message: Message) => void>()
  const listeners = new Map<string, Set<(params: never) => void>>()
  let lastId = 0
  let received = 0
  let pieces: Buffer[] = []
  output.on('data', (chunk: Buffer) => {
    received += chunk.length
    for (let start = 0; ;) {
      const end = chunk.indexOf(0, start)
      pieces.push(chunk.subarray(start, end < 0 ? undefined : end))
      if (end < 0) break
      const message = JSON.parse(Buffer.concat(pieces).toString()) as Message
      pieces = []
      start = end + 1
      if (message.id !== undefined) answers.get(message.id)?.(message)
      else
        for (const listener of listeners.get(`${message.sessionId} ${message.method}`) ?? [])
          listener(message.params as never)
    }
  })

  const sessionOf = (sessionId?: string): DevtoolsSession => ({
    send(method, params = {}, deadline = 5_000) {
      const id = (lastId += 1)
      input.write(`${JSON.stringify({ id, sessionId, method, params })}\0`)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new DevtoolsError(method, 'no answer')), deadline)
        answers.set(id, ({ result, error }) => {
          clearTimeout(timer)
          answers.delete(id)
          if (error) reject(new DevtoolsError(method, error.message))
          else resolve(result as never)
        })
      })
    },
    on(event, listener) {
      const key = `${sessionId} ${event}`
      const set = listeners.get(key) ?? new Set()
      listeners.set(key, set.add(listener))
      return () => void set.delete(listener)
    },
  })

  const session = sessionOf()
  await session.send('Target.setDiscoverTargets', { discover: true })
  return {
    pid: child.pid!,
    session,
    received: () => received,
    sessionOf,
    async openPage() {
      const { targetId } = await session.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
      const attached = { targetId, flatten: true }
      const { sessionId } = await session.send<{ sessionId: string }>('Target.attachToTarget', attached)
      return { targetId, session: sessionOf(sessionId) }
    },
    async close() {
      const ended = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await rm(profileDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
