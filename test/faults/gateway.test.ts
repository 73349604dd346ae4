import { describe, expect, onTestFinished, test } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'
import { observe, type Observed } from './observe.js'

interface Behind extends Observed {
  sidecar: ScriptedSidecar
  signals: string[]
}

/** A client that listens to everything, before a gateway that follows a script. */
async function connect(rules: readonly Rule[], options: ClientOptions = {}): Promise<Behind> {
  const sidecar = await createScriptedSidecar(rules)
  const observed = observe({ baseUrl: sidecar.url, retry: { initialDelay: 1 }, ...options })
  const signals: string[] = []
  observed.client.on('signal', ({ signal }) => signals.push(signal))
  onTestFinished(async () => {
    observed.client.close()
    await sidecar.close()
  })
  return Object.assign(observed, { sidecar, signals })
}

const refusal = (code: number, message: string): string => JSON.stringify({ code, message, details: [] })
const added = 'POST /v1beta1/lists/rooms:addValue'

describe('what a gateway answers to a write', () => {
  test.each([502, 503])('a write that a gateway answers %i, since it reached nobody, is sent again', async (status) => {
    const { client, sidecar } = await connect([
      { on: added, nth: (nth) => nth < 3, step: steps.answering({ status, body: refusal(14, 'connection refused') }) },
      { on: added, step: steps.answering({ body: '{"name":"rooms","capacity":"2","values":["a"]}' }) },
    ])
    expect(await client.addListValue('rooms', 'a')).toEqual({ name: 'rooms', capacity: 2, values: ['a'] })
    expect(sidecar.requests.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  test.each([
    ['502: it broke off', 502, refusal(2, 'socket hang up')],
    ['504: it was late', 504, refusal(4, 'no answer in time')],
    ['502: any other proxy', 502, '<h1>Bad Gateway</h1>'],
  ])('a write answered %s is UNKNOWN_OUTCOME and not sent again', async (_name, status, body) => {
    const { client, sidecar } = await connect([{ on: added, step: steps.answering({ status, body }) }])
    await expect(client.addListValue('rooms', 'a')).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME', status })
    expect(sidecar.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

/** A close frame from the server: the code, and why. */
const closing = (code: number, reason: string): Uint8Array => {
  const text = Buffer.from(reason)
  return Uint8Array.of(0x88, 2 + text.length, code >> 8, code & 255, ...text)
}

const told: readonly [string, 'websocket' | 'stream', Rule][] = [
  [
    'a WebSocket by its end',
    'websocket',
    {
      on: 'watch',
      nth: 1,
      step: steps.sending([gameServer(1)], (exchange) => exchange.write(closing(1001, 'SIGTERM'))),
    },
  ],
  [
    'a stream by its last line',
    'stream',
    {
      on: 'watch',
      nth: 1,
      step: steps.sending([gameServer(1)], async (exchange) => {
        const error = { code: 14, message: 'The gateway is stopping (SIGTERM)', details: [] }
        await exchange.sendText(JSON.stringify({ error }))
        await exchange.end()
      }),
    },
  ],
]

describe('a gateway that is told to stop tells', () => {
  test.each(told)(
    'a gateway that stops tells %s, which is no error, and is found again',
    async (_name, watch, rule) => {
      const { client, sidecar, signals, errors, seen } = await connect([rule], { watch })
      expect(await client.once('signal', { timeout: 20_000 })).toEqual({ signal: 'SIGTERM' })
      sidecar.publish(gameServer(2))
      await seen(2)
      expect(signals).toEqual(['SIGTERM'])
      expect(errors).toEqual([])
    },
  )

  test.each([
    ['websocket', closing(1001, 'SIGTERM')],
    ['stream', JSON.stringify({ error: { code: 14, message: 'The gateway is stopping (SIGTERM)' } })],
  ] as const)('a gateway that stops tells a %s also after it has refused a check', async (watch, goodbye) => {
    let refused = (): void => {}
    const refusing = new Promise<void>((resolve) => (refused = resolve))
    let watching = false
    const { client } = await connect(
      [
        {
          on: 'watch',
          nth: 1,
          step: steps.sending([gameServer(1)], async (exchange) => {
            watching = true
            await refusing
            await new Promise((resolve) => setTimeout(resolve, 100))
            await (typeof goodbye === 'string' ? exchange.sendText(goodbye) : exchange.write(goodbye))
          }),
        },
        {
          on: 'GET /gameserver',
          nth: () => watching,
          step: (exchange) => {
            exchange.break('reset')
            refused()
          },
        },
      ],
      { watch },
    )
    expect(await client.once('signal', { timeout: 20_000 })).toEqual({ signal: 'SIGTERM' })
  })

  test.each([
    ['another reason', closing(1001, 'bye')],
    ['no reason', closing(1001, '')],
  ])('a gateway that closes with %s tells no signal', async (_name, bytes) => {
    const step = steps.sending([gameServer(1)], (exchange) => exchange.write(bytes))
    const { sidecar, signals, errors, seen } = await connect([{ on: 'watch', nth: 1, step }])
    await seen(1)
    sidecar.publish(gameServer(2))
    await seen(2)
    expect([signals, errors]).toEqual([[], []])
  })
})
