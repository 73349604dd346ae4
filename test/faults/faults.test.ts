import { describe, expect, test } from 'vitest'
import { isSidecarError } from '../../src/index.js'
import { opcodes } from '../support/fault-server-frames.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { busiestSecond } from '../support/fault-server-steps.js'
import { describeObserved, observe, type Observed } from './observe.js'
import { connectionFaults } from './table-connections.js'
import { messageFaults } from './table-messages.js'
import type { Stage, WatchFault, WatchMode } from './watch-fault.js'

const cases = [...connectionFaults, ...messageFaults].flatMap((fault) =>
  (fault.over ?? (['websocket', 'stream'] as const)).map((mode) => [`${mode}: ${fault.name}`, mode, fault] as const),
)

const title = 'whatever goes wrong with the watch, listeners end up with the truth, in order, once'

describe.concurrent(title, { timeout: 180_000 }, () => {
  test.each(cases)('each state is told in order and once over %s', (_title, mode, fault) => play(mode, fault))
})

async function play(mode: WatchMode, fault: WatchFault): Promise<void> {
  const sidecar = await createScriptedSidecar()
  let observed: Observed | undefined
  const whenObserved = (condition: (observed: Observed) => boolean, what: string): Promise<void> => {
    if (observed === undefined) throw new Error('the script ran before its client was made')
    const present = observed
    return present.until(() => condition(present), what)
  }
  const stage: Stage = {
    sidecar,
    seen: (version) => whenObserved(({ versions }) => versions.includes(String(version)), `version ${version}`),
    errors: (count) => whenObserved(({ errors }) => errors.length >= count, `${count} errors`),
  }
  try {
    sidecar.play(fault.rules?.(stage) ?? [])
    observed = observe({ ...fault.options, baseUrl: sidecar.url, watch: mode })
    await fault.play?.(stage)
    const { versions, errors = [], tolerated = [], mostErrors = 20, state = 'connected', watches } = fault.expect
    const final = versions.at(-1)
    await whenObserved((seen) => seen.versions.at(-1) === final?.toString(), `version ${final} as the last one`)
    await whenObserved((seen) => seen.client.status.connection === state, `the state ${state}`)

    const seen = observed
    const context = describeObserved(seen)
    const numbers = seen.versions.map(Number)
    expect(numbers, context).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(numbers, context).toEqual(expect.arrayContaining([...versions]))
    expect(
      seen.gameServers.filter(({ object_meta }) => object_meta.uid !== sidecar.gameServer.object_meta.uid),
    ).toEqual([])
    expect(
      seen.errors.filter((error) => !isSidecarError(error)),
      context,
    ).toEqual([])
    const codes = seen.errors.map(({ code }) => code)
    expect(
      codes.filter((code) => errors.includes(code)),
      context,
    ).toEqual(errors)
    expect(
      codes.filter((code) => ![...errors, ...tolerated].includes(code)),
      context,
    ).toEqual([])
    expect(codes.length, context).toBeLessThanOrEqual(mostErrors)
    const watchesSeen = sidecar.requests.filter(({ path }) => path === '/watch/gameserver').length
    if (watches !== undefined) expect(watchesSeen, context).toBeLessThanOrEqual(watches)
    expect(busiestSecond(sidecar.dials), context).toBeLessThanOrEqual(10)

    seen.client.close()
    await sidecar.untilNoSockets()
    expect(seen.client.status.connection).toBe('closed')
    const frames = sidecar.clientFrames.filter(({ opcode }) => opcode !== opcodes.close && opcode !== opcodes.pong)
    expect(frames, 'frames sent on a watch socket').toEqual([])
  } finally {
    observed?.client.close()
    await sidecar.close()
  }
}
