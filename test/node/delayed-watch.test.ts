import { describe, expect, onTestFinished, test } from 'vitest'
import { createSidecar } from '../../src/sidecar/index.js'

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
