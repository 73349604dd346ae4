import { describe, expect, test } from 'vitest'
import { cli, type Run } from '../cli/support.js'
import { processes } from '../host/support/processes.js'
import { connectPlayer, type TestPlayer, type Told } from './player.js'
import { until } from '../support/until.js'

interface Lobby {
  readonly dashboard: string
  readonly waiting: number
  readonly decisions: readonly { readonly player?: string; readonly server?: string }[]
  readonly arenas: readonly { readonly name: string; readonly state: string; readonly players: number }[]
}

interface Seat {
  readonly name: string
  readonly url: string
  readonly reason: string
}

interface FleetDemo extends Run {
  readonly url: string
  /** Resolves with the news of the lobby that fit. */
  until(fits: (lobby: Lobby) => boolean): Promise<Lobby>
  play(name: string): Promise<Seat>
  enter(seat: Seat, name: string): Promise<TestPlayer>
}

async function startFleetDemo(env?: NodeJS.ProcessEnv): Promise<FleetDemo> {
  const run = cli(['demo', '--fleet', '--no-open', '--port', '0'], env)
  const [url] = await run.line(/.*/)
  return {
    ...run,
    url,
    async until(fits) {
      const response = await fetch(`${url}lobby`)
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        const events = text.split('\n\n')
        text = events.pop()!
        const found = events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Lobby).find(fits)
        if (found !== undefined) return found
      }
      throw new Error('The lobby has ended')
    },
    play: async (name) => (await (await fetch(`${url}play?name=${name}`, { method: 'POST' })).json()) as Seat,
    enter: (seat, name) => connectPlayer(seat.url, url, name),
  }
}

const areReady = ({ arenas }: Lobby): boolean => arenas.filter(({ state }) => state === 'Ready').length === 5

/** The programs of the arenas, which only Linux lists: they keep their ids when their parent is gone. */
const programsOf = ({ child }: FleetDemo): number[] =>
  process.platform === 'linux' ? processes().flatMap(({ parent, pid }) => (parent === child.pid ? pid : [])) : []
const isGone = (wanted: number): boolean => !processes().some(({ pid, state }) => pid === wanted && state !== 'Z')

describe('gameserver-sidecar demo --fleet', () => {
  test('players get seats in the same match, only from the page of the lobby, and Ctrl-C leaves no process', async () => {
    const demo = await startFleetDemo()
    expect(demo.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    const { dashboard } = await demo.until(areReady)
    expect((await fetch(dashboard)).status).toBe(200)

    const seat = await demo.play('Zoe')
    expect(seat.reason).toContain('5 match selector 2')
    const zoe = await demo.enter(seat, 'Zoe')
    const named = (message: Told): string[] => message.players?.map(({ name }) => name).sort() ?? []
    await zoe.until((message) => message.phase === 'playing' && named(message).includes('Zoe'))
    expect(await demo.play('Max')).toMatchObject({ name: seat.name, reason: expect.stringContaining('selector 1') })
    await demo.until(({ arenas }) => arenas.some(({ state, players }) => state === 'Allocated' && players === 5))

    const foreign = { method: 'POST', headers: { origin: 'http://evil.example' } }
    expect((await fetch(`${demo.url}play`, foreign)).status).toBe(403)
    await expect(connectPlayer(seat.url, 'http://evil.example/', 'Eve')).rejects.toThrow('401')

    const programs = programsOf(demo)
    demo.child.kill('SIGINT')
    expect((await demo.finished).code).toBe(0)
    expect(programs.filter((pid) => !isGone(pid))).toEqual([])
  })

  test('a match that ends is replaced by a new arena, and SIGKILL of the demo leaves no process', async () => {
    const demo = await startFleetDemo({ MATCH_SECONDS: '1' })
    await demo.until(areReady)
    const seat = await demo.play('Zoe')
    const zoe = await demo.enter(seat, 'Zoe')
    await zoe.until(({ type }) => type === 'over')
    expect(await zoe.closed).toBe(1001)
    await demo.until((lobby) => areReady(lobby) && !lobby.arenas.some(({ name }) => name === seat.name))

    const programs = programsOf(demo)
    demo.child.kill('SIGKILL')
    await demo.finished
    await until(() => programs.every(isGone))
  })
})
