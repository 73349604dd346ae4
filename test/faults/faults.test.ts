import { expect, test } from 'vitest'
import { isSidecarError } from '../../src/index.js'
import { type Ending } from '../support/fault-server-exchange.js'
import { chunk } from '../support/fault-server-bytes.js'
import { opcodes, text as textFrame } from '../support/frames.js'
import { gameServer } from '../support/game-server.js'
import { busiestSecond } from '../support/fault-server-steps.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { observe, type Observed } from './observe.js'
import { connectionFaults } from './table-connections.js'
import { messageFaults } from './table-messages.js'
import { type Stage, type WatchFault, type WatchMode } from './watch-fault.js'

const cases = [...connectionFaults, ...messageFaults].flatMap((fault) =>
  (fault.over ?? (['websocket', 'stream'] as const)).map((mode) => [`${mode}: ${fault.name}`, mode, fault] as const),
)

test.concurrent.each(cases)(
  'listeners get each state in order and once over %s',
  { timeout: 180_000 },
  (_title, mode, fault) => play(mode, fault),
)

async function play(mode: WatchMode, fault: WatchFault): Promise<void> {
  const sidecar = await createScriptedSidecar()
  let observed!: Observed
  const stage: Stage = {
    sidecar,
    seen: (version) => observed.seen(version),
    errors: (count) => observed.until(() => observed.errors.length >= count, `${count} errors`),
  }
  try {
    sidecar.play(fault.rules?.(stage) ?? [])
    observed = observe({ ...fault.options, baseUrl: sidecar.url, watch: mode })
    await fault.play?.(stage)
    const { versions, errors = [], tolerated = [], mostErrors = 20, state = 'connected', watches } = fault.expect
    const final = versions.at(-1)
    await observed.until(() => observed.versions.at(-1) === final?.toString(), `version ${final} as the last one`)
    await observed.until(() => observed.client.status.connection === state, `the state ${state}`)

    const context = observed.describe()
    const numbers = observed.versions.map(Number)
    expect(numbers, context).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(numbers, context).toEqual(expect.arrayContaining([...versions]))
    const codes = observed.errors.map(({ code }) => code)
    const { uid } = sidecar.gameServer.object_meta
    const found = {
      otherServers: observed.gameServers.filter(({ object_meta }) => object_meta.uid !== uid),
      otherErrors: observed.errors.filter((error) => !isSidecarError(error)),
      wanted: codes.filter((code) => errors.includes(code)),
      unwanted: codes.filter((code) => ![...errors, ...tolerated].includes(code)),
    }
    expect(found, context).toEqual({ otherServers: [], otherErrors: [], wanted: errors, unwanted: [] })
    expect(codes.length, context).toBeLessThanOrEqual(mostErrors)
    const watchesSeen = sidecar.requests.filter(({ path }) => path === '/watch/gameserver').length
    if (watches !== undefined) expect(watchesSeen, context).toBeLessThanOrEqual(watches)
    expect(busiestSecond(sidecar.dials), context).toBeLessThanOrEqual(10)

    observed.client.close()
    await sidecar.untilNoSockets()
    expect(observed.client.status.connection).toBe('closed')
    const frames = sidecar.clientFrames.filter(({ opcode }) => opcode !== opcodes.close && opcode !== opcodes.pong)
    expect(frames, 'frames sent on a watch socket').toEqual([])
  } finally {
    observed.client.close()
    await sidecar.close()
  }
}

/** Version 2 as short as possible, since every byte of it costs a connection. */
const { object_meta, status } = gameServer(2)
const brief = {
  object_meta: { uid: object_meta.uid, resource_version: '2', annotations: object_meta.annotations },
  status: { state: status.state },
}
const second = JSON.stringify({ result: brief })
/** Version 2 as the bytes of each transport, the outermost frame included. */
const encoded = { websocket: textFrame(second), stream: chunk(Buffer.from(`${second}\n`)) }
/** The number of clients that are cut at once. */
const abreast = 50

test.each([
  ['websocket', 'finish'],
  ['websocket', 'reset'],
  ['stream', 'finish'],
  ['stream', 'reset'],
] as const)(
  'an object over %s cut anywhere with %s is delivered whole and once',
  async (watch, ending) => {
    const { length } = encoded[watch]
    // Cut at each byte of the frame and of the object's ends, and at every fifth byte between, where all cuts are alike.
    const positions = Array.from({ length }, (_, position) => position).filter(
      (position) => position < 20 || position > length - 20 || position % 5 === 0,
    )
    while (positions.length > 0)
      await Promise.all(positions.splice(0, abreast).map((position) => cut(watch, position, ending)))
  },
  120_000,
)

async function cut(watch: keyof typeof encoded, position: number, ending: Ending): Promise<void> {
  const sidecar = await createScriptedSidecar()
  sidecar.play([
    {
      on: 'watch',
      nth: 1,
      step: async (exchange) => {
        await exchange.open()
        await exchange.send(gameServer(1))
        await observed.seen(1)
        sidecar.publish(gameServer(3))
        await exchange.write(encoded[watch].subarray(0, position))
        exchange.break(ending)
      },
    },
  ])
  const observed = observe({ baseUrl: sidecar.url, watch, verifyInterval: 0 })
  try {
    await observed.seen(3)
    const told = observed.gameServers.map((told) => JSON.stringify(told))
    // The last byte of a line is no part of the object: without it, version 2 may be delivered or not, but never in
    // part.
    const whole = [gameServer(1), brief, gameServer(3)].map((each) => JSON.stringify(each))
    expect(
      told.filter((text) => text !== whole[1]),
      observed.describe(),
    ).toEqual([whole[0], whole[2]])
    expect(told.filter((text) => text === whole[1]).length).toBeLessThanOrEqual(1)
    expect(observed.errors, `cut at ${position}`).toEqual([])
  } finally {
    observed.client.close()
    await sidecar.close()
  }
}
