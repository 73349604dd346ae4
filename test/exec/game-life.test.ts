import { expect, onTestFinished, test } from 'vitest'
import { GameLife, type GameLifeOptions, type Next } from '../../src/local/game/game-life.js'
import { createSeen } from '../support/seen.js'
import { startQuickSidecar } from '../support/with-sidecar.js'

interface Started {
  /** What the life did to the game. */
  readonly told: readonly string[]
  exit(code: number): void
}

/** A life whose games do nothing by themselves, and the games it has started. */
async function live(options: Partial<GameLifeOptions<number>> = {}) {
  const local = await startQuickSidecar()
  const games = createSeen<Started>()
  const asked: [end: number, hasEnded: boolean][] = []
  const said = createSeen<string>()
  const life = new GameLife<number>({
    ...{ local, graceMs: 1_000_000, kubelet: 'ends game' },
    start() {
      const told: string[] = []
      let exit!: (code: number) => void
      const exited = new Promise<number>((resolve) => (exit = resolve))
      games.add({ told, exit })
      const tell = (text: string): void => {
        told.push(text)
        said.add(text)
      }
      return Promise.resolve({ exited, terminate: tell, kill: () => (tell('SIGKILL'), exit(137)) })
    },
    next(end, hasEnded): Next {
      asked.push([end, hasEnded])
      return hasEnded ? 'fresh' : 'nothing'
    },
    ...options,
  })
  onTestFinished(() => life.end('SIGKILL', 0))
  const game = (index: number): Promise<Started> => games.find((one) => (one === games.all[index] ? one : undefined))
  return { local, life, game, asked, told: (text: string) => said.find((one) => (one === text ? one : undefined)) }
}

const shutDown = { type: 'setState', state: 'Shutdown' } as const

test('after a signal without a time limit, the kubelet still ends the game with its GameServer', async () => {
  const { local, life, game, told } = await live({ graceMs: 100 })
  const first = await game(0)
  life.end('SIGINT', Infinity)
  local.control(shutDown)
  await told('SIGKILL')
  expect(first.told).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL'])
  expect(await life.ended).toBe(137)
})

test('a grace period above the longest timer is none that ends at once', async () => {
  const { life, game, asked } = await live({ graceMs: 2 ** 31 })
  const { exit, told } = await game(0)
  life.end()
  // Node fires a timer that is too long after 1 ms, before this one.
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(told).toEqual(['SIGTERM'])
  exit(0)
  expect([await life.ended, asked]).toEqual([0, [[0, true]]])
})

test('a life that ends waits until the shutdown() of its game is written', async () => {
  const { local, life, game } = await live()
  const { exit } = await game(0)
  life.end()
  await fetch(`${local.url}/shutdown`, { method: 'POST', body: '{}' })
  exit(0)
  await life.ended
  expect(local.sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
})

test('the end of a game that the kubelet has ended is no end of the fresh GameServer of meanwhile', async () => {
  const { local, game, told, asked } = await live()
  const { exit } = await game(0)
  local.control(shutDown)
  await told('SIGTERM')
  local.control({ type: 'restart', fresh: true })
  exit(0)
  await game(1)
  expect(asked).toEqual([[0, true]])
})

test('a GameServer that ends during the pause before a restart is replaced, and the game starts for a fresh one', async () => {
  const { local, game, asked } = await live({
    next(end, hasEnded) {
      asked.push([end, hasEnded])
      if (!hasEnded) setTimeout(() => local.control(shutDown))
      return hasEnded ? 'fresh' : 'again'
    },
  })
  ;(await game(0)).exit(1)
  await game(1)
  expect(asked).toEqual([
    [1, false],
    [1, true],
  ])
  expect(local.sidecar.snapshot().gameServer.status.state).not.toBe('Shutdown')
})

test('a game that was told to end is killed as soon as the grace period is shortened, without a second signal', async () => {
  const { life, game } = await live()
  const { told } = await game(0)
  life.end()
  life.graceMs = 0
  life.hasten()
  expect(await life.ended).toBe(137)
  expect(told).toEqual(['SIGTERM', 'SIGKILL'])
})
