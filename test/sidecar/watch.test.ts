import { describe, expect, it } from 'vitest'
import { ConnectionDropped } from '../../src/platform/sidecar.js'
import { startHarness } from './support/harness.js'

async function openStream(handle: (request: Request) => Promise<Response>): Promise<{
  response: Response
  next(): Promise<string | undefined>
  cancel(): Promise<void>
}> {
  const response = await handle(new Request('http://localhost/watch/gameserver'))
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  return {
    response,
    async next() {
      while (!rest.includes('\n')) {
        const { done, value } = await reader.read()
        if (done) return undefined
        rest += decoder.decode(value, { stream: true })
      }
      const line = rest.slice(0, rest.indexOf('\n'))
      rest = rest.slice(line.length + 1)
      return line
    },
    cancel: () => reader.cancel(),
  }
}

const stateOf = (line: string | undefined): unknown =>
  (JSON.parse(line ?? 'null') as { result: { status: { state: string } } }).result.status.state

describe('a watch', () => {
  it('a watch streams the current object at once, then a line for each change', async () => {
    const { sidecar, call, clock } = startHarness()
    const stream = await openStream(sidecar.handle)
    expect(stream.response.status).toBe(200)
    expect(stream.response.headers.get('content-type')).toBe('application/json')
    expect(stateOf(await stream.next())).toBe('Scheduled')
    await call('POST', '/allocate')
    clock.advance(500)
    expect(stateOf(await stream.next())).toBe('Allocated')
    await stream.cancel()
    expect(sidecar.snapshot().watchers).toEqual([])
  })

  it('a watch stays open after Shutdown', async () => {
    const { sidecar, call, watch, clock } = startHarness()
    const seen = watch()
    await call('POST', '/shutdown')
    clock.advance(60_000)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Shutdown', 'Shutdown'])
    expect(seen.map(({ object_meta }) => object_meta.deletion_timestamp !== '0')).toEqual([false, false, true])
    expect(sidecar.snapshot().watchers).toHaveLength(1)
  })

  it('a stalled watch delays no call, and its bounded queue keeps the newest object', async () => {
    const { sidecar, watch, clock } = startHarness({ watchQueue: 4 })
    const slow: string[] = []
    let release = (): void => undefined
    sidecar.watch({
      onMessage({ gameServer }) {
        slow.push(gameServer.object_meta.labels?.n ?? '')
        return new Promise((resolve) => (release = resolve))
      },
    })
    const quick = watch()
    for (let n = 0; n < 100; n++) sidecar.control({ type: 'setLabel', key: 'n', value: String(n) })
    expect(quick).toHaveLength(101)
    expect(sidecar.snapshot().watchers[0]).toMatchObject({ queued: 4, dropped: 96, sent: 1 })
    for (let i = 0; i < 5; i++) {
      release()
      await Promise.resolve()
      await Promise.resolve()
    }
    expect(slow).toEqual(['', '96', '97', '98', '99'])
    clock.advance(1)
  })

  it('a watch whose listener throws ends, and others go on', () => {
    const { sidecar, watch } = startHarness()
    const seen = watch()
    const ends: string[] = []
    const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve))
    sidecar.watch({
      onMessage() {
        throw new Error('mine')
      },
      onEnd: (reason) => ends.push(reason),
    })
    sidecar.control({ type: 'setState', state: 'Ready' })
    expect(ends).toEqual(['failed'])
    expect(seen).toHaveLength(2)
    expect(sidecar.snapshot().watchers).toHaveLength(1)
    return expect(unhandled).resolves.toMatchObject({ message: 'mine' })
  })

  it('a watch of a gone object is refused as a read is', async () => {
    const { sidecar, call, clock } = startHarness()
    expect(sidecar.control({ type: 'delete', graceMs: 1000 })).toEqual({ ok: true })
    expect((await call('GET', '/gameserver'))[1]).toMatchObject({
      object_meta: { deletion_timestamp: '1893456000' },
    })
    clock.advance(1000)
    const message = 'could not retrieve GameServer default/local: gameserver.agones.dev "local" not found'
    expect(await call('GET', '/gameserver')).toEqual([500, { code: 2, message, details: [] }])
    expect(await call('POST', '/ready')).toEqual([200, {}])
    const response = await sidecar.handle(new Request('http://localhost/watch/gameserver'))
    expect(response.status).toBe(500)
    expect(JSON.parse(await response.text())).toEqual({ error: { code: 2, message, details: [] } })
    const errors: string[] = []
    sidecar.watch({ onMessage() {}, onError: ({ body }) => errors.push(body) })
    expect(JSON.parse(errors[0]!)).toEqual({ error: { code: 2, message, details: [] } })
  })
})

describe('watchers', () => {
  it('dropped watches end with an error, over HTTP and WebSocket', async () => {
    const { sidecar } = startHarness()
    const ends: string[] = []
    sidecar.watch({ onMessage() {}, onEnd: (reason) => ends.push(reason) })
    const stream = await openStream(sidecar.handle)
    await stream.next()
    sidecar.control({ type: 'dropWatchers' })
    await expect(stream.next()).rejects.toBeInstanceOf(ConnectionDropped)
    expect(ends).toEqual(['dropped'])
    expect(sidecar.snapshot().watchers).toEqual([])
  })

  it('watches that were stalled get the newest state afterwards', () => {
    const { sidecar, watch, clock } = startHarness({ watchQueue: 1 })
    const seen = watch()
    sidecar.control({ type: 'stallWatchers', ms: 5000 })
    sidecar.control({ type: 'setState', state: 'Ready' })
    sidecar.control({ type: 'setState', state: 'Allocated' })
    clock.advance(4_999)
    expect(seen).toHaveLength(1)
    clock.advance(1)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Allocated'])
  })

  it('close() ends every watch and leaves no timer', async () => {
    const { sidecar, call, clock } = startHarness()
    const ends: string[] = []
    sidecar.watch({ onMessage() {}, onEnd: (reason) => ends.push(reason) })
    await call('POST', '/ready')
    sidecar.close()
    sidecar.close()
    expect(ends).toEqual(['closed'])
    expect(clock.pending).toBe(0)
    await expect(call('POST', '/ready')).rejects.toBeInstanceOf(ConnectionDropped)
  })

  it('periodic cuts make no entries while nobody watches', () => {
    const { sidecar, clock } = startHarness()
    sidecar.control({ type: 'dropWatchers', everyMs: 100 })
    clock.advance(24 * 60 * 60 * 1000 + 50)
    expect(sidecar.log.entries().length).toBeLessThan(5)
    const ended: string[] = []
    sidecar.watch({ onMessage() {}, onEnd: (reason) => void ended.push(reason) })
    expect(ended).toEqual([])
    clock.advance(50)
    expect(ended).toEqual(['dropped'])
  })
})
