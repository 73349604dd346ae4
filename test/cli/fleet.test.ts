import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isGroupAlive } from '../../src/local/game/processes.js'
import { cli, type Run } from './support.js'

const PROGRAM = fileURLToPath(new URL('../fleet/program.mjs', import.meta.url))
let nextPort = 22_000

const fleet = (behaviour: string, ...more: readonly string[]): Run => {
  const first = nextPort
  nextPort += 20
  const flags = `--port 0 --players-port ${first}-${first + 19} --replicas 1 --log-format json`.split(' ')
  return cli(['fleet', ...flags, ...more, '--', process.execPath, PROGRAM], { BEHAVIOUR: behaviour })
}

/** A Fleet of one, once it is Ready, and the process group of its game. */
async function startFleet(behaviour: string, ...more: readonly string[]): Promise<Run & { readonly group: number }> {
  const run = fleet(behaviour, ...more)
  const [, pid] = await run.line(/started as process (\d+)/)
  await run.line(/→ Ready/)
  return { ...run, group: Number(pid) }
}

test('after kill -9 of the command no game is left, nor what a game has started in a session of its own', async () => {
  const run = fleet('parent')
  const [, own] = await run.line(/"text":"child (\d+)"/)
  const [, pid] = await run.line(/started as process (\d+)/)
  await run.line(/→ Ready/)
  run.child.kill('SIGKILL')
  await run.finished
  await expect.poll(() => [pid, own].map(Number).some(isGroupAlive)).toBe(false)
})

test('Ctrl-C gives the games their grace period, and a second one kills them', async () => {
  const { child, group, line, finished } = await startFleet('stubborn')
  child.kill('SIGINT')
  await line(/"text":"SIGTERM"/)
  expect(isGroupAlive(group)).toBe(true)
  // Sooner, npm's copy of the same signal would be meant.
  await new Promise((resolve) => setTimeout(resolve, 300))
  child.kill('SIGINT')
  expect((await finished).code).toBe(130)
  await expect.poll(() => isGroupAlive(group)).toBe(false)
})

test('the first line leads to the dashboard; lines of a game have its name', async () => {
  const args = 'fleet --port 0 --players-port 22900-22919 --replicas 1 --'.split(' ')
  const run = cli([...args, process.execPath, PROGRAM])
  expect((await run.line(/./)).input).toMatch(/^ {2}➜ {2}Dashboard: +http:\/\/127\.0\.0\.1:\d+\/_\/$/)
  await run.line(/^\w{5} │ fleet-\w{5}-\w{5} of fleet at 229\d\d$/)
  await run.line(/^[\d:.]+ {2}\w{5} {2}RequestReady → Ready/)
  run.child.kill('SIGTERM')
  expect(await run.finished).toMatchObject({ code: 0, err: '' })
})
