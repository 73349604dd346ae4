import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.js'
import { read } from '../support/source.js'
import { exampleFolder } from './support/example-folder.js'
import { startProcess, type GameProcess } from '../support/start-process.js'
import { connectPlayer, type Player } from './support/player.js'

test('npm start and the matchmaker play a match on a Fleet on the desk, each player once', async (context) => {
  const folder = await exampleFolder(context, 'matchmaker')
  const { scripts } = JSON.parse(read('examples/matchmaker/package.json')) as {
    scripts: Readonly<Record<'start' | 'matchmaker', string>>
  }
  const PATH = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const run = (script: string, env: NodeJS.ProcessEnv): GameProcess =>
    startProcess(context, folder, ['sh', '-c', `exec ${script}`], { PATH, ...env })
  const fleet = run(scripts.start.replace(' -- ', ' --port 0 --players-port 28000-28050 -- '), {})
  const [, url] = await fleet.line(/GAMESERVER_FLEET_URL=(http:\S+?)\)/)
  const port = String(await freePort())
  const matchmaker = run(scripts.matchmaker, { GAMESERVER_FLEET_URL: url, PORT: port })
  await matchmaker.line(/^matchmaker at http/)
  // They come before the allocation, so they wait for it.
  const early = new Map<string, Player>()
  for (const port of ['28000', '28001']) {
    await fleet.line(new RegExp(`players come in at .*:${port}`))
    early.set(port, await connectPlayer(context, `ws://127.0.0.1:${port}`, 'mallory'))
  }
  const enter = async (player: string) => {
    const response = await fetch(`http://localhost:${port}/match?player=${player}`)
    const server = (await response.text()).trim()
    return { server, ...(await connectPlayer(context, server, player)) }
  }
  const [alice, bob] = await Promise.all(['alice', 'bob'].map(enter))
  expect(await alice!.message('start')).toEqual({ type: 'start', players: ['alice', 'bob'] })
  expect((await early.get(new URL(alice!.server).port)!.closed).code).toBe(4000)
  for (const stranger of ['alice', 'mallory'])
    expect((await (await connectPlayer(context, alice!.server, stranger)).closed).code).toBe(4000)
  bob!.send('done')
  expect(await alice!.closed).toEqual({ code: 1000, reason: 'bob has won' })
  await fleet.line(/Allocated → Shutdown/)
  expect(await fleet.end('SIGTERM')).toBe(0)
})
