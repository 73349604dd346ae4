import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createScriptedSidecar, type Step } from '../support/fault-server.js'
import { frame } from '../support/frames.js'
import { gameServer } from '../support/game-server.js'
import * as steps from '../support/fault-server-steps.js'

const script = fileURLToPath(new URL('./endless.mjs', import.meta.url))
const limit = 16 << 20

const endless =
  (piece: Uint8Array, start: Uint8Array = piece): Step =>
  async (exchange) => {
    await exchange.sendBytes(start)
    while (!exchange.connection.isGone) await exchange.sendBytes(piece)
  }

const text = Buffer.alloc(64 * 1024, 'x')
/** Three bytes a character in UTF-8, two in the engine's memory. */
const wideText = Buffer.from('日'.repeat(21 * 1024))
const unfinished = { fin: false }
const open = frame(1, '{', unfinished)
const floods = [
  ['stream', 'a line without an end', endless(text)],
  ['stream', 'a line of wide characters without an end', endless(wideText)],
  ['websocket', 'a message without an end', endless(frame(0, text, unfinished), open)],
  ['websocket', 'a message of wide characters without an end', endless(frame(0, wideText, unfinished), open)],
  [
    'websocket',
    'a message of one-byte fragments without an end',
    endless(Buffer.concat(Array.from({ length: 8192 }, () => frame(0, 'x', unfinished))), open),
  ],
] as const

describe('the client holds at most three times the limit of 16 MiB during a flood, and nothing afterwards', () => {
  test.each(floods)('%s: %s', async (watch, _name, flood) => {
    const sidecar = await createScriptedSidecar()
    sidecar.play([
      {
        on: 'watch',
        nth: 1,
        step: steps.sending([gameServer(1)], async (exchange) => {
          // The check proves that the client has got the first object.
          await sidecar.until(() => sidecar.requests.filter(({ path }) => path === '/gameserver').length > 1, 'a check')
          sidecar.publish(gameServer(2))
          await flood(exchange)
        }),
      },
    ])
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, sidecar.url, watch])
      const seen = JSON.parse(stdout) as { bytes: number; left: number; codes: string[]; versions: string[] }
      console.log(
        `${watch}: ${(seen.bytes / 2 ** 20).toFixed(1)} MiB at most, ${(seen.left / 2 ** 20).toFixed(1)} MiB left`,
      )
      expect(seen.versions).toEqual(['1', '2'])
      expect(seen.codes).toEqual(['LIMIT'])
      expect(seen.bytes).toBeLessThan(3 * limit)
      expect(seen.left).toBeLessThan(2 << 20)
    } finally {
      await sidecar.close()
    }
  })
})
