import { describe, expect, test } from 'vitest'
import { plainText } from '../../src/protocol/plain-text.js'
import { startSidecar } from '../support/with-sidecar.js'
import { run } from './support.js'

interface Line {
  readonly type: string
  readonly at: number
  readonly state?: string
  readonly gameServer?: { readonly status: { readonly state: string } }
}

describe('watch', () => {
  test('shows what there is, then each change in a line without what steers a terminal', async () => {
    const local = await startSidecar()
    const watch = run('watch', '--url', local.url)
    await watch.line(/local is Scheduled, at 127\.0\.0\.1:7777, rooms 1\/10, players 0\/100/)
    local.control({ type: 'setState', state: 'Ready' })
    await watch.line(/Scheduled → Ready/)
    local.control({
      type: 'allocate',
      annotations: { mode: 'dm\u001b[31m\u202e' },
      lists: { players: { addValues: ['bob'] } },
    })
    const change = /^\d\d:\d\d:\d\d\.\d{3} {2}Ready → Allocated, .*annotation mode=dm.*, .*list players \+bob/
    expect((await watch.line(change)).input).not.toMatch(/\u001b|\u202e/)
    watch.stop('SIGINT')
    expect((await watch.finished).code).toBe(0)
  })

  test('--json stays JSON and means the same whatever characters a value has', async () => {
    const local = await startSidecar()
    const flag = '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f} \u202e \u2028 \u0085'
    local.control({ type: 'setAnnotation', key: 'flag', value: flag })
    const watch = run('watch', '--json', '--url', local.url)
    const { input: line } = await watch.line(/"gameserver"/)
    // The terminal's guard finds nothing to escape in its own way.
    expect(plainText(line, Infinity)).toBe(line)
    expect(JSON.parse(line)).toMatchObject({ gameServer: { object_meta: { annotations: { flag } } } })
  })

  test('--json writes a line for each GameServer and each change of the connection', async () => {
    const local = await startSidecar()
    const watch = run('watch', '--json', '--url', local.url, '--until', 'ready')
    await watch.line(/"gameserver"/)
    local.control({ type: 'setState', state: 'Ready' })
    const { code, out } = await watch.finished
    expect(code).toBe(0)
    const lines = out.split('\n').map((line) => JSON.parse(line) as Line)
    const short = lines.map(({ type, state, gameServer }) => `${type} ${state ?? gameServer!.status.state}`)
    expect(short[0]).toBe('connection connecting')
    expect(short).toContain('gameserver Scheduled')
    expect(short).toContain('gameserver Ready')
    expect(lines.every(({ at }) => Number.isInteger(at))).toBe(true)
    expect(short).not.toContain('connection closed')
  })

  test('exits with 0 once the state of --until is reached, and with 75 if the time is over before', async () => {
    const { url } = await startSidecar()
    // The first one has to come by an answer, which a busy machine may delay.
    const ends = [
      [['--timeout', '2', '--url', url], 0, /./],
      [['--until', 'Scheduled', '--url', url], 0, /^/],
      [['--until', 'Ready', '--timeout', '1', '--url', url], 75, /over before Ready: the GameServer is Scheduled\.$/],
    ] as const
    for (const [index, { code, err }] of (
      await Promise.all(ends.map(([args]) => run('watch', ...args).finished))
    ).entries()) {
      expect(code).toBe(ends[index]![1])
      expect(err).toMatch(ends[index]![2])
    }
  })

  test('a watch that is stopped before its state is 130 or 143', async () => {
    const local = await startSidecar()
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const watch = run('watch', '--until', 'Ready', '--url', local.url)
      await watch.line(/Scheduled/)
      watch.stop(signal)
      expect((await watch.finished).code).toBe(code)
    }
  })
})
