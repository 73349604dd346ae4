import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createScriptedSidecar, type Rule } from '../support/fault-server.js'
import * as steps from '../support/fault-server-steps.js'

const script = fileURLToPath(new URL('./close-and-exit.mjs', import.meta.url))

/** Runs the built client in its own process, which must exit by itself. Returns the resources left after close(). */
async function leftAfterClose(url: string, moment: string, watch: string): Promise<unknown> {
  const child = spawn(process.execPath, [script, url, moment, watch], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let complaints = ''
  child.stdout.on('data', (bytes) => (output += String(bytes)))
  child.stderr.on('data', (bytes) => (complaints += String(bytes)))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(complaints).toBe('')
  expect(code).toBe(0)
  return JSON.parse(output)
}

const modes = ['websocket', 'stream'] as const
const moments: readonly (readonly [string, readonly Rule[]])[] = [
  ['connected', []],
  ['dialling', [{ on: 'connection', accept: steps.deafAndDumb }]],
  ['backing-off', [{ on: '*', step: steps.breaking('reset') }]],
  ['beating', [{ on: 'POST /health', step: steps.blackHole }]],
  ['calling', [{ on: 'POST /ready', step: steps.blackHole }]],
]

describe.concurrent('a process that closes its client ends by itself', () => {
  test.each(moments.flatMap(([moment, rules]) => modes.map((watch) => [watch, moment, rules] as const)))(
    'over %s, when the client is %s',
    async (watch, moment, rules) => {
      const sidecar = await createScriptedSidecar(rules)
      try {
        expect(await leftAfterClose(sidecar.url, moment, watch)).toEqual([])
        await sidecar.untilNoSockets()
      } finally {
        await sidecar.close()
      }
    },
  )
})
