import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar } from '../../src/node/index.js'
import { createSidecar } from '../../src/sidecar/index.js'
import { openSocket } from './support.js'

const MIB = 1024 * 1024

async function start(): Promise<LocalSidecar> {
  const local = await createLocalSidecar({ mode: 'local', onWarning: () => undefined })
  onTestFinished(() => local.close())
  return local
}

test.each(['before', 'after'] as const)(
  'a call that is delayed %s its effect takes no room once its client has left',
  async (when) => {
    const local = await start()
    const delay = { type: 'delayCalls', ms: 600_000, operations: ['updateList'], when } as const
    expect(local.control(delay)).toEqual({ ok: true })
    const body = JSON.stringify({ values: ['x'.repeat(4 * MIB - 100)] })
    const annotate = async (): Promise<number> => {
      const value = 'x'.repeat(4 * MIB - 100)
      const init = { method: 'PUT', body: JSON.stringify({ key: 'note', value }) }
      return (await fetch(`${local.url}/metadata/annotation`, init)).status
    }
    const sockets: Socket[] = []
    const callLater = async (): Promise<void> => {
      const socket = await openSocket(local.port)
      sockets.push(socket)
      socket.write('PATCH /v1beta1/lists/players HTTP/1.1\r\nHost: localhost\r\n')
      socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`)
    }
    for (let i = 0; i < 16; i += 1) await callLater()
    // A call that comes at the same time as an annotation may be refused, and leave its room free: others take it.
    while ((await annotate()) !== 503) await callLater()
    for (const socket of sockets) socket.destroy()
    const many = async (): Promise<number[]> => Promise.all(Array.from({ length: 14 }, annotate))
    await expect.poll(many).toEqual(Array.from({ length: 14 }, () => 200))
  },
)

describe('a delayed watch', () => {
  /** The sidecar with timers that only count. */
  function startCounting() {
    let timers = 0
    const sidecar = createSidecar(
      { mode: 'local' },
      {
        now: () => 0,
        setTimer: () => {
          timers += 1
          return () => void (timers -= 1)
        },
      },
    )
    onTestFinished(() => sidecar.close())
    sidecar.control({ type: 'delayCalls', ms: 1_000, operations: ['watchGameServer'] })
    return { sidecar, timers: () => timers }
  }

  test('over WebSocket keeps no timer once it is closed, and says nothing more', async () => {
    const { sidecar, timers } = startCounting()
    const idle = timers()
    const ends: string[] = []
    const watch = sidecar.watch({
      onMessage: () => void ends.push('message'),
      onEnd: (reason) => void ends.push(reason),
    })
    expect(timers()).toBe(idle + 1)
    watch.close()
    expect(timers()).toBe(idle)
    await Promise.resolve()
    expect(ends).toEqual([])
  })

  test('over HTTP keeps no timer once its client has left', async () => {
    const { sidecar, timers } = startCounting()
    const idle = timers()
    const left = new AbortController()
    const response = sidecar.handle(new Request('http://localhost/watch/gameserver'), { signal: left.signal })
    await expect.poll(timers).toBe(idle + 1)
    left.abort()
    await expect(response).rejects.toThrow('the client left')
    expect(timers()).toBe(idle)
  })
})
