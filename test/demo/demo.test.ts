import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { processes } from '../host/support/processes.js'
import type { GameServer } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { type Told } from './player.js'
import { answers, nameIn, open, startDemo } from './support.js'

const isNews = (pattern: RegExp) => (message: Told) => message.type === 'news' && pattern.test(JSON.stringify(message))
/** Tells one sidecar from another that takes the same port after it. */
const gameServerAt = async (dashboard: string): Promise<unknown> =>
  fetch(new URL('/gameserver', dashboard)).then(
    async (response) => ((await response.json()) as GameServer).object_meta.uid,
    () => undefined,
  )

describe('gameserver-sidecar demo', () => {
  test('bots move at once; an allocation starts the match, and its end brings the next server', async () => {
    const demo = await startDemo()
    const page = await open(demo)
    const players = (message: Told): string[] => message.players?.map(({ name }) => name) ?? []
    const first = await page.until((message) => players(message).length === 4)
    expect(players(first).sort()).toEqual(['Ada', 'Grace', 'Linus', 'Me'])
    const place = ({ players: all }: Told): unknown => all?.find(({ name }) => name === 'Ada')?.x
    await page.until((message) => message.type === 'view' && place(message) !== place(first))
    const name = await nameIn(page, 'Ready')
    page.send({ type: 'action', action: 'allocate' })
    await page.until(isNews(/your click allocates/))
    expect(await nameIn(page, 'Allocated')).toBe(name)
    await page.until(({ phase }) => phase === 'playing')
    page.send({ type: 'action', action: 'end' })
    await page.until(({ type }) => type === 'over')
    expect(await nameIn(page, 'Shutdown')).toBe(name)
    expect(await nameIn(page, 'Ready')).not.toBe(name)
    await demo.line(/state +Ready → Allocated$/)
    await demo.line(/state +Allocated → Shutdown$/)
  })

  test.each([
    ['SIGINT', 0],
    ['SIGKILL', null],
  ] as const)('%s leaves no process, port or temporary file', async (signal, code) => {
    const temporary = await temporaryFolder('demo')
    const demo = await startDemo(undefined, { TMPDIR: temporary })
    const page = await open(demo)
    await nameIn(page, 'Ready')
    if (process.platform === 'linux') {
      expect(processes().filter(({ parent }) => parent === demo.child.pid)).toEqual([])
    }
    const gameServer = await gameServerAt(demo.dashboard)
    expect(gameServer).toBeTypeOf('string')
    demo.child.kill(signal)
    expect((await demo.finished).code).toBe(code)
    expect(await answers(demo.url)).toBe(false)
    expect(await gameServerAt(demo.dashboard)).not.toBe(gameServer)
    expect(await readdir(temporary)).toEqual([])
  })
})
