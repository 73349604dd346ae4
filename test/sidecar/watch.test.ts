import { describe, expect, it } from 'vitest'
import { ConnectionDropped } from '../../src/platform/sidecar.js'
import { startHarness } from './support/harness.js'

const setState = (state: string) => ({ type: 'setState', state }) as const

describe('a watch', () => {
  it('that is stalled delays no call, and its bounded queue keeps the newest object', async () => {
    const { sidecar, control, watch } = startHarness({ watchQueue: 4 })
    const slow: string[] = []
    let release = (): void => undefined
    sidecar.watch({
      onMessage({ gameServer }) {
        slow.push(gameServer.object_meta.labels?.n ?? '')
        return new Promise((resolve) => (release = resolve))
      },
    })
    const quick = watch()
    for (let n = 0; n < 100; n++) control({ type: 'setLabel', key: 'n', value: String(n) })
    expect(quick).toHaveLength(101)
    expect(sidecar.snapshot().watchers[0]).toMatchObject({ queued: 4, dropped: 96, sent: 1 })
    for (let i = 0; i < 5; i++) {
      release()
      await Promise.resolve()
      await Promise.resolve()
    }
    expect(slow).toEqual(['', '96', '97', '98', '99'])
  })

  it('whose listener throws ends, and others go on', () => {
    const { sidecar, control, watch } = startHarness()
    const seen = watch()
    const ends: string[] = []
    const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve))
    sidecar.watch({
      onMessage() {
        throw new Error('mine')
      },
      onEnd: (reason) => ends.push(reason),
    })
    control(setState('Ready'))
    expect(ends).toEqual(['failed'])
    expect(seen).toHaveLength(2)
    expect(sidecar.snapshot().watchers).toHaveLength(1)
    return expect(unhandled).resolves.toMatchObject({ message: 'mine' })
  })

  it('of a gone object is refused as a read is', async () => {
    const { sidecar, call, play } = await startHarness().play({ type: 'delete', graceMs: 1000 })
    expect(sidecar.snapshot().gameServer.object_meta.deletion_timestamp).toBe('1893456000')
    await play('GET /gameserver', 1000)
    const message = 'could not retrieve GameServer default/local: gameserver.agones.dev "local" not found'
    const error = { code: 2, message, details: [] }
    expect(await call('GET', '/gameserver')).toEqual([500, error])
    await play('/ready')
    expect(await call('GET', '/watch/gameserver')).toEqual([500, { error }])
    const errors: unknown[] = []
    sidecar.watch({ onMessage() {}, onError: ({ body }) => errors.push(JSON.parse(body)) })
    expect(errors).toEqual([{ error }])
  })

  it('that is dropped ends with an error, over HTTP and WebSocket', async () => {
    const { sidecar, control, ends } = startHarness()
    const ended = ends()
    const { body } = await sidecar.handle(new Request('http://localhost/watch/gameserver'))
    const reader = body!.getReader()
    await reader.read()
    control({ type: 'dropWatchers' })
    await expect(reader.read()).rejects.toBeInstanceOf(ConnectionDropped)
    expect(ended).toEqual(['watch dropped'])
    expect(sidecar.snapshot().watchers).toEqual([])
  })

  it('that was stalled on purpose gets the newest state afterwards', async () => {
    const { play, watch } = startHarness({ watchQueue: 1 })
    const seen = watch()
    await play({ type: 'stallWatchers', ms: 5000 }, setState('Ready'), setState('Allocated'), 4_999)
    expect(seen).toHaveLength(1)
    await play(1)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Allocated'])
  })

  it('is ended by close(), which leaves no timer', async () => {
    const { sidecar, call, clock, play, ends } = startHarness()
    const ended = ends()
    await play('/ready')
    sidecar.close()
    sidecar.close()
    expect([ended, clock.pending]).toEqual([['watch closed'], 0])
    await expect(call('POST', '/ready')).rejects.toBeInstanceOf(ConnectionDropped)
  })
})
