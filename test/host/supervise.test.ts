import { describe, expect, test } from 'vitest'
import type { HostEvent } from '../../src/host/host-events.js'
import { createLocalSidecar } from '../../src/local/sidecar/local-sidecar.js'
import { Supervisor, type GameEnd, type GameRun, type SuperviseOptions } from '../../src/host/supervise.js'

const FAILURE: GameEnd = { reason: 'The page has crashed', code: 70, mayStartAgain: true }
const never = <Value>(): Promise<Value> => new Promise(() => undefined)

const afterTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('closing a game', () => {
  const superviseRun = (first: Partial<GameRun>, options: Partial<SuperviseOptions> = {}): Supervisor =>
    new Supervisor({
      settings: { grace: 10_000, restarts: 2 },
      local: undefined,
      replaces: false,
      readiness: { wasReady: false },
      first: {
        ended: Promise.resolve(FAILURE),
        end: () => Promise.resolve(),
        close: () => Promise.resolve(),
        ...first,
      },
      start: never,
      onStartAgain: () => undefined,
      release: (run, hasFailed) => run.close(hasFailed),
      emit: () => undefined,
      ...options,
    })

  test('that has failed and waits for its restart starts no browser that would outlive the host', async () => {
    let starts = 0
    let close!: () => void
    const closed = new Promise<void>((resolve) => (close = resolve))
    const start = (): Promise<GameRun> => {
      starts += 1
      return never()
    }
    const supervision = superviseRun({ close: () => closed }, { start })
    await afterTheLoop()
    const ending = supervision.close()
    close()
    expect(await ending).toMatchObject({ code: 0 })
    await afterTheLoop()
    expect(starts).toBe(0)
  })

  test('that is being restarted aborts the start, since its browser may never answer', async () => {
    let hasBegun!: () => void
    const begun = new Promise<void>((resolve) => (hasBegun = resolve))
    const start = (signal: AbortSignal): Promise<GameRun> => {
      hasBegun()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')), { once: true })
      })
    }
    const supervision = superviseRun({}, { start })
    await begun
    expect(await supervision.close('SIGINT')).toEqual({ code: 0, reason: 'It was told to stop by SIGINT' })
  })

  test('that hangs ends with the grace period', async () => {
    const supervision = superviseRun({ ended: never(), close: never }, { settings: { grace: 200, restarts: 2 } })
    void supervision.close()
    expect(await supervision.exited).toMatchObject({ code: 0 })
  })

  test('that has become Unhealthy warns of the beats that are missing', async () => {
    await using local = await createLocalSidecar({ port: 0 })
    const warnings: string[] = []
    const emit = (event: HostEvent): void => void (event.event === 'warning' && warnings.push(event.text))
    const { exited } = superviseRun({ ended: never() }, { local, emit })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${local.url}/ready`, { method: 'POST', body: '{}', headers })
    for (let period = 0; period < 10; period += 1) local.control({ type: 'advanceClock', ms: 5_000 })
    expect(await exited).toMatchObject({ code: 0 })
    expect(warnings[0]).toMatch(/Unhealthy.*: no beat has come for \d+ s\. createClient\(\{ autoHealth: true \}\)/)
  })

  test('that has failed for good makes its GameServer Unhealthy, as its pod does', async () => {
    await using local = await createLocalSidecar({ port: 0 })
    const { exited } = superviseRun({}, { local, readiness: { wasReady: true } })
    expect(await exited).toMatchObject({ code: 70 })
    expect(local.sidecar.snapshot().gameServer.status.state).toBe('Unhealthy')
  })
})
