import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../support/source.js'
import { createBridge } from './bridge.js'

/** A script VM: no timers, no transports, no console; its frame loop is ours. */
export interface Guest {
  /** Runs a classic script. */
  run(code: string): void
  /** Sets a global function that takes one string. */
  define(name: string, take: (text: string) => void): void
  /** A global variable that holds a string; undefined if there is none. */
  read(name: string): string | undefined
  /** Runs all pending promise jobs. */
  settle(): void
  dispose(): void
}

const guestFile = (name: string): string =>
  readFileSync(join(root, 'test/hosts/guest', name), 'utf8').replace(/^export /gm, '')

export const build = (name: string): string => readFileSync(join(root, 'dist', `gameserver-sidecar.${name}.js`), 'utf8')

export interface GuestRun {
  /** Makes the global GameServerSidecar; the client's script, if nothing else is said. */
  load?: string
  /** Runs before anything else: what the emulated engine brings. `transports` is at hand. */
  engine?: string
  /** The options as an expression, where `transports` and `baseUrl` are at hand. */
  options: string
  /** A function of the client whose promise is the outcome; all operations, if nothing else is said. */
  program?: string
  /** Runs in each frame. */
  frame?: string
  baseUrl: string
}

/** Runs a program, or all operations, inside the guest, frame by frame, and gives what came of them. */
export async function runInGuest(guest: Guest, run: GuestRun): Promise<unknown> {
  const bridge = createBridge((text) => {
    guest.run(`transports.deliver(${JSON.stringify(text)})`)
    guest.settle()
  })
  try {
    guest.define('post', (text) => bridge.post(text))
    guest.run(`${guestFile('transports.mjs')}\nvar transports = createTransports(post)`)
    guest.run(run.engine ?? '')
    guest.run(run.load ?? build('umd'))
    guest.run(`
      var outcome, baseUrl = ${JSON.stringify(run.baseUrl)}
      ${guestFile('all-operations.mjs')}
      var client = GameServerSidecar.createClient(${run.options})
      ;(${run.program ?? 'allOperations'})(client).then(
        function (result) { outcome = JSON.stringify({ result: result }) },
        function (error) {
          outcome = JSON.stringify({ error: [error.code, error.operation, error.message, error.hint, error.stack] })
        })`)
    const outcome = await frames(guest, run.frame ?? 'client.tick()')
    const { result, error } = JSON.parse(outcome) as { result?: unknown; error?: unknown }
    if (error !== undefined) throw new Error(`In the guest: ${JSON.stringify(error)}`)
    return result
  } finally {
    bridge.close()
    guest.dispose()
  }
}

/** The engine's frame loop, until there is an outcome. */
async function frames(guest: Guest, frame: string): Promise<string> {
  for (;;) {
    guest.run(frame)
    guest.settle()
    const outcome = guest.read('outcome')
    if (outcome !== undefined) return outcome
    await new Promise((next) => setTimeout(next, 4))
  }
}
