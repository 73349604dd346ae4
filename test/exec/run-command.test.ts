import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../src/node/exec/run-command.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'

test('a terminate that is refused, because one is under way, sends no other SIGTERM and moves no SIGKILL', async () => {
  const local = await startSidecar()
  const said: string[] = []
  const program =
    'process.on("SIGTERM", () => process.stdout.write("")); setInterval(() => undefined, 1000); ' +
    `void fetch(${JSON.stringify(local.url)} + "/ready", { method: "POST", body: "{}" })`
  const isReady = new Promise<void>((resolve) => {
    onTestFinished(local.sidecar.log.subscribe(({ event }) => event.type === 'call' && resolve()))
  })
  const ended = runCommand({
    command: [process.execPath, '-e', program],
    local,
    env: process.env,
    graceMs: 60_000,
    restarts: false,
    stdin: 'ignore',
    say: (text) => void said.push(text),
  })
  await isReady
  expect(local.control({ type: 'terminate', graceMs: 100 })).toEqual({ ok: true })
  expect(local.control({ type: 'terminate', graceMs: 0 }).ok).toBe(false)
  expect((await ended).exitCode).toBe(137)
  expect(said.filter((text) => text.includes('SIGTERM to'))).toHaveLength(1)
})

test('a command that calls shutdown() and ends at once starts again, for a GameServer after one that is Shutdown', async () => {
  const local = await startSidecar()
  const said: string[] = []
  // The second time it ends as a game that crashes.
  const program = `
    const fs = require('node:fs')
    try { fs.mkdirSync(${JSON.stringify(join(await temporaryFolder('exec'), 'once'))}) } catch { process.exit(4) }
    fetch(${JSON.stringify(local.url)} + '/shutdown', { method: 'POST', body: '{}' }).then(() => process.exit(0))`
  const { exitCode } = await runCommand({
    command: [process.execPath, '-e', program],
    local,
    env: process.env,
    graceMs: 60_000,
    restarts: true,
    stdin: 'ignore',
    say: (text) => void said.push(text),
  })
  expect(exitCode).toBe(4)
  expect(said[0]).toMatch(/ended with exit code 0; GameServer local is Shutdown$/)
  expect(said[1]).toContain('starts again for')
})
